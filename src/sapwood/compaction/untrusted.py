"""Text from a conversation cannot pass for the wrapping around it.

What a summarizer reads is conversation text between our tags and under role labels. Tool output,
web pages and pasted text may hold the same tags and labels. They are disarmed by one backslash:
`</conversation>` becomes `<\\/conversation>`, and `[User]:` at the start of a line `\\[User]:`.
"""

from __future__ import annotations

import re

from sapwood.context.wrapping import disarm

WRAPPER_TAGS = (
    "conversation",
    "previous-summary",
    "summary",
    "read-files",
    "modified-files",
    "latest-request",
    "retained",
    "focus",
)
ROLE_LABELS = ("User", "Assistant", "Assistant tool calls", "Tool result")

_LABEL = re.compile(
    rf"(^|[\r\v\f\x85\u2028\u2029])([^\S\n]*)\[(?=\s*(?:{'|'.join(ROLE_LABELS)})\s*\]\s*:)",
    re.IGNORECASE | re.MULTILINE,
)


def disarm_tags(text: str) -> str:
    """`text` without a tag that could open or close one of our wrappers."""
    return disarm(text, WRAPPER_TAGS)


def disarm_labels(text: str) -> str:
    """`text` without a line that could pass for the start of another speaker's turn."""
    return _LABEL.sub(r"\1\2\\[", text) if "[" in text else text


def wrap(tag: str, text: str) -> str:
    """`text` between `<tag>` lines that nothing in it can close."""
    return f"<{tag}>\n{disarm_tags(text)}\n</{tag}>"
