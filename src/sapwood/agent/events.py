"""The events that a session tells its listeners: one function per kind, plain dicts.

Field names, kinds and order are those of the JSON mode, so a face may print an event as it is.
One run: ``agent_start``, then per turn ``turn_start``, the messages (``message_start``,
``message_update``…, ``message_end``), the tools, ``turn_end``; then ``agent_end``. Recovery stands
between an ``agent_end`` and the next ``agent_start``; ``agent_settled`` closes it all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from sapwood.session.schema import JsonObject

Event: TypeAlias = dict[str, Any]
Listener: TypeAlias = Callable[[Event], None]


def agent_start() -> Event:
    return {"type": "agent_start"}


def agent_end(messages: Sequence[Mapping[str, Any]], *, will_retry: bool) -> Event:
    """One low-level run is over; ``messages`` are the ones it added."""
    return {"type": "agent_end", "messages": list(messages), "willRetry": will_retry}


def agent_settled(*, aborted: bool) -> Event:
    """Nothing more will happen by itself."""
    return {"type": "agent_settled", "aborted": aborted}


def turn_start() -> Event:
    return {"type": "turn_start"}


def turn_end(message: Mapping[str, Any], tool_results: Sequence[Mapping[str, Any]]) -> Event:
    return {"type": "turn_end", "message": message, "toolResults": list(tool_results)}


def message_start(message: Mapping[str, Any]) -> Event:
    return {"type": "message_start", "message": message}


def message_update(usage: Mapping[str, Any] | None, stream_event: Mapping[str, Any]) -> Event:
    return {"type": "message_update", "usage": usage, "assistantMessageEvent": stream_event}


def message_end(message: Mapping[str, Any]) -> Event:
    """The message is complete and stored."""
    return {"type": "message_end", "message": message}


def tool_execution_start(call: Mapping[str, Any]) -> Event:
    return {
        "type": "tool_execution_start",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "args": call["arguments"],
    }


def tool_execution_update(call: Mapping[str, Any], partial_result: JsonObject) -> Event:
    return {
        "type": "tool_execution_update",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "args": call["arguments"],
        "partialResult": partial_result,
    }


def tool_execution_end(
    call: Mapping[str, Any], result: JsonObject, *, is_error: bool, duration_ms: int
) -> Event:
    return {
        "type": "tool_execution_end",
        "toolCallId": call["id"],
        "toolName": call["name"],
        "result": result,
        "isError": is_error,
        "durationMs": duration_ms,
    }


def queue_update(steering: Sequence[str], follow_up: Sequence[str]) -> Event:
    return {"type": "queue_update", "steering": list(steering), "followUp": list(follow_up)}


def entry_appended(entry: JsonObject) -> Event:
    """An entry that is not a message was stored; messages have their own events."""
    return {"type": "entry_appended", "entry": entry}


def session_info_changed(name: str | None) -> Event:
    return {"type": "session_info_changed", "name": name}


def thinking_level_changed(level: str) -> Event:
    return {"type": "thinking_level_changed", "level": level}


def compaction_start(reason: str) -> Event:
    return {"type": "compaction_start", "reason": reason}


def compaction_end(
    reason: str,
    *,
    result: JsonObject | None = None,
    aborted: bool = False,
    will_retry: bool = False,
    error: str | None = None,
) -> Event:
    """``result``: summary, firstKeptEntryId, tokensBefore, estimatedTokensAfter, usage, details."""
    event: Event = {"type": "compaction_end", "reason": reason}
    if result is not None:
        event["result"] = result
    event.update(aborted=aborted, willRetry=will_retry)
    if error is not None:
        event["errorMessage"] = error
    return event


def auto_retry_start(attempt: int, max_attempts: int, delay_ms: int, error: str) -> Event:
    return {
        "type": "auto_retry_start",
        "attempt": attempt,
        "maxAttempts": max_attempts,
        "delayMs": delay_ms,
        "errorMessage": error,
    }


def auto_retry_end(*, success: bool, attempt: int, final_error: str | None = None) -> Event:
    event: Event = {"type": "auto_retry_end", "success": success, "attempt": attempt}
    if final_error is not None:
        event["finalError"] = final_error
    return event


def summarization_retry_scheduled(
    source: str, attempt: int, max_attempts: int, delay_ms: int, error: str
) -> Event:
    """``source``: ``compaction`` or ``branchSummary``."""
    return {
        "type": "summarization_retry_scheduled",
        "source": source,
        "attempt": attempt,
        "maxAttempts": max_attempts,
        "delayMs": delay_ms,
        "errorMessage": error,
    }


def summarization_retry_attempt_start(source: str, reason: str) -> Event:
    return {"type": "summarization_retry_attempt_start", "source": source, "reason": reason}


def summarization_retry_finished() -> Event:
    return {"type": "summarization_retry_finished"}


def notice(message: str) -> Event:
    """Something the user should read once (ours; the reference has no such record)."""
    return {"type": "notice", "message": message}


def tree_moved(leaf_id: str | None, old_leaf_id: str | None) -> Event:
    """The session stands elsewhere in the tree now (ours)."""
    return {"type": "tree_moved", "leafId": leaf_id, "oldLeafId": old_leaf_id}


def session_changed(session_id: str, path: str | None) -> Event:
    """Another session was opened in place of the old one (ours)."""
    return {"type": "session_changed", "sessionId": session_id, "path": path}
