"""Messages of the record → messages that models know: system, user, assistant, tool result.

What a user did or was told in other ways (commands run by hand, summaries, messages of extensions)
becomes a user message in our own words. Text inside them cannot close the tags around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from sapwood.context.projection import Projected
from sapwood.context.wrapping import wrap
from sapwood.session.schema import Json, Message

COMPACTED = "The conversation up to this point was replaced by this summary of it:"
LEFT_BRANCH = (
    "The conversation went another way from here and then came back. A summary of that branch:"
)
COMMAND_RUN = "The user ran this shell command by hand:"

_PASSED_ON = frozenset({"system", "user", "assistant", "toolResult"})


def to_model_messages(items: Iterable[Projected]) -> list[Projected]:
    """The items as a model knows them, each with its entry; what no model sees is left out."""
    converted: list[Projected] = []
    for item in items:
        message = to_model_message(item.message)
        if message is item.message:
            converted.append(item)
        elif message is not None:
            converted.append(item.with_message(message))
    return converted


def to_model_message(message: Message) -> Message | None:
    """One message as a model knows it; None for an excluded command and for unknown roles."""
    role = message["role"]
    if role in _PASSED_ON:
        return message
    make = _WORDED.get(role)
    content = make(message) if make is not None else None
    if content is None:
        return None
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    user: dict[str, Any] = {"role": "user", "content": content}
    if "timestamp" in message:
        user["timestamp"] = message["timestamp"]
    return cast(Message, user)


def _text(message: Any, name: str) -> str:
    value = message.get(name)
    return value if isinstance(value, str) else ""


def _custom(message: Any) -> Json:
    return message.get("content")


def _compaction_summary(message: Any) -> str:
    return f"{COMPACTED}\n\n{wrap('summary', _text(message, 'summary'))}"


def _branch_summary(message: Any) -> str:
    return f"{LEFT_BRANCH}\n\n{wrap('branch-summary', _text(message, 'summary'))}"


def _bash_execution(message: Any) -> str | None:
    if message.get("excludeFromContext"):
        return None
    parts = [COMMAND_RUN, wrap("command", _text(message, "command"), ("output",))]
    if output := _text(message, "output"):
        parts.append(wrap("output", output, ("command",)))
    else:
        parts.append("It printed nothing.")
    parts.extend(_outcome(message))
    return "\n\n".join(parts)


def _outcome(message: Any) -> Iterable[str]:
    exit_code = message.get("exitCode")
    if message.get("cancelled"):
        yield "The user stopped it before it ended."
    elif exit_code not in (None, 0):
        yield f"It ended with exit code {exit_code}."
    if message.get("truncated"):
        path = _text(message, "fullOutputPath")
        yield (
            f"Only part of the output is shown. All of it: {path}"
            if path
            else ("Only part of the output is shown.")
        )


_WORDED = {
    "custom": _custom,
    "compactionSummary": _compaction_summary,
    "branchSummary": _branch_summary,
    "bashExecution": _bash_execution,
}
