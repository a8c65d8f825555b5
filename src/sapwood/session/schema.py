"""The shapes of a session file: header, entries and messages, field names as on disk.

These are plain JSON objects. The types document and check our own code; nothing is validated or
converted on load, so unknown fields and unknown types survive. Source: the file format, version 3.
Entry timestamps are ISO 8601 with milliseconds and ``Z``; message timestamps are Unix milliseconds.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

Json: TypeAlias = Any
"""Any value that JSON can hold."""

JsonObject: TypeAlias = dict[str, Any]

SESSION_VERSION = 3


class SessionHeader(TypedDict):
    """Line 1 of the file. ``parentSession`` is the path of the file this one was forked from."""

    type: Literal["session"]
    version: NotRequired[int]
    id: str
    timestamp: str
    cwd: NotRequired[str]
    parentSession: NotRequired[str]


class TextBlock(TypedDict):
    type: Literal["text"]
    text: str
    textSignature: NotRequired[str]


class ImageBlock(TypedDict):
    """``data`` is base64."""

    type: Literal["image"]
    data: str
    mimeType: str


class ThinkingBlock(TypedDict):
    """``thinkingSignature`` may be replayed to the model that made it and to no other."""

    type: Literal["thinking"]
    thinking: str
    thinkingSignature: NotRequired[str]
    redacted: NotRequired[bool]


class ToolCallBlock(TypedDict):
    type: Literal["toolCall"]
    id: str
    name: str
    arguments: JsonObject
    thoughtSignature: NotRequired[str]
    namespace: NotRequired[str]


UserBlock: TypeAlias = TextBlock | ImageBlock
AssistantBlock: TypeAlias = TextBlock | ThinkingBlock | ToolCallBlock


class Cost(TypedDict):
    """US dollars."""

    input: float
    output: float
    cacheRead: float
    cacheWrite: float
    total: float


class Usage(TypedDict):
    """Tokens of a request. ``input`` excludes both cache figures, ``output`` has ``reasoning``."""

    input: int
    output: int
    cacheRead: int
    cacheWrite: int
    totalTokens: int
    cost: Cost
    cacheWrite1h: NotRequired[int]
    reasoning: NotRequired[int]


class ToolSpec(TypedDict):
    """A tool as declared to the model; ``parameters`` is a JSON schema."""

    name: str
    description: str
    parameters: JsonObject


class ToolName(TypedDict):
    name: str


class SystemMessage(TypedDict):
    """The prompt, or a patch of it: named ``sections`` (null removes), tools added and removed."""

    role: Literal["system"]
    content: str | list[TextBlock]
    timestamp: int
    sections: NotRequired[dict[str, str | None]]
    toolsAdded: NotRequired[list[ToolSpec]]
    toolsRemoved: NotRequired[list[ToolName]]


class UserMessage(TypedDict):
    role: Literal["user"]
    content: str | list[UserBlock]
    timestamp: int


StopReason: TypeAlias = Literal["stop", "length", "toolUse", "error", "aborted", "deferred"]


class AssistantMessage(TypedDict):
    role: Literal["assistant"]
    content: list[AssistantBlock]
    api: str
    provider: str
    model: str
    usage: Usage
    stopReason: StopReason
    timestamp: int
    errorMessage: NotRequired[str]
    responseId: NotRequired[str]
    responseModel: NotRequired[str]
    thinkingLevel: NotRequired[str]
    rawStopReason: NotRequired[str]
    diagnostics: NotRequired[list[JsonObject]]


class ToolResultMessage(TypedDict):
    role: Literal["toolResult"]
    toolCallId: str
    toolName: str
    content: list[UserBlock]
    isError: bool
    timestamp: int
    details: NotRequired[Json]
    usage: NotRequired[Usage]
    nestedCalls: NotRequired[list[JsonObject]]


class BashExecutionMessage(TypedDict):
    """A shell command that the user ran with ``!``; ``!!`` sets ``excludeFromContext``."""

    role: Literal["bashExecution"]
    command: str
    output: str
    cancelled: bool
    truncated: bool
    timestamp: int
    exitCode: NotRequired[int]
    fullOutputPath: NotRequired[str]
    excludeFromContext: NotRequired[bool]


class CustomMessage(TypedDict):
    role: Literal["custom"]
    customType: str
    content: str | list[UserBlock]
    display: bool
    timestamp: int
    details: NotRequired[Json]


class BranchSummaryMessage(TypedDict):
    """Made by the projection from a ``branch_summary`` entry; never stored as a message."""

    role: Literal["branchSummary"]
    summary: str
    fromId: str
    timestamp: int | None


class CompactionSummaryMessage(TypedDict):
    """Made by the projection from a ``compaction`` entry; never stored as a message."""

    role: Literal["compactionSummary"]
    summary: str
    tokensBefore: int
    timestamp: int | None


Message: TypeAlias = (
    SystemMessage
    | UserMessage
    | AssistantMessage
    | ToolResultMessage
    | BashExecutionMessage
    | CustomMessage
    | BranchSummaryMessage
    | CompactionSummaryMessage
)


class FileDetails(TypedDict):
    """Files touched in what a summary replaced."""

    readFiles: list[str]
    modifiedFiles: list[str]


class Replacement(TypedDict):
    """New content for the target of a context edit."""

    content: str | list[UserBlock]
