"""Whether a model's answer can stand in for a part of the conversation.

`find_fault` gives the reason why not, as a clause: "your answer could not be used: …".
A fault costs one repair attempt; nothing with a fault is ever stored.
"""

from __future__ import annotations

import re

from sapwood.compaction.prompts import is_template
from sapwood.compaction.sections import missing_headings, read_items
from sapwood.compaction.summarizer import SummaryReply
from sapwood.compaction.untrusted import ROLE_LABELS
from sapwood.text import utf16_len

SHORT_ANSWER = 240
"""UTF-16 units up to which an answer without headings is taken for talk, not for a summary."""

_REFUSAL = re.compile(
    r"\b(?:I(?:['’]m| am) (?:sorry|unable|not able)|I can(?:['’]t|not)|as an AI|unable to comply)\b"
    r"|抱歉|无法(?:完成|提供|协助)|不能提供",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"^\s*(?:\{\s*\"error\"|<!doctype html|<html|(?:\w+\s)?error\b|exception\b|traceback\b"
    r"|HTTP \d{3})"
    r"|\b(?:internal server error|bad gateway|service unavailable|rate limit|too many requests)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"^\[(?:{'|'.join(ROLE_LABELS)})\]: ", re.MULTILINE)
_WRAPPING = re.compile(
    r"\A\s*(?:```(?:markdown|md)?\n(?P<fenced>.*)\n```|<summary>(?P<tagged>.*)</summary>)\s*\Z",
    re.DOTALL,
)


def unwrap(text: str) -> str:
    """The answer without a code fence or `<summary>` tags around the whole of it."""
    match = _WRAPPING.match(text)
    return (match["fenced"] or match["tagged"] if match else text).strip()


def find_fault(reply: SummaryReply, max_tokens: int) -> str | None:
    """The reason why this answer is no summary, or None when it is one."""
    text = unwrap(reply.text)
    if reply.stop_reason == "length":
        return "it was cut off at the length limit, so it must be shorter"
    if reply.stop_reason == "toolUse":
        return "it called a tool, and there are none"
    if not text:
        return "it was empty"
    if missing := missing_headings(text):
        return _no_summary(text) or f"it lacks the heading {missing[0]!r}"
    if len(_LABEL.findall(text)) > 1:
        return "it repeats the conversation instead of summarizing it"
    if is_template(text):
        return "it repeats the instructions instead of following them"
    if not any(read_items(text).values()):
        return "it says nothing under its headings"
    if utf16_len(text) > max_tokens * 6:
        return f"it was too long; {max_tokens} tokens are the limit"
    return None


def _no_summary(text: str) -> str | None:
    start = text[:SHORT_ANSWER]
    if _ERROR.search(start):
        return "it was an error message"
    if _REFUSAL.search(start):
        return "it was a refusal"
    if utf16_len(text) <= SHORT_ANSWER:
        return "it was no summary"
    return None
