"""The settings that Sapwood acts on, their types and their defaults; key names as in the file.

Unknown keys are no part of this: they stay in the file and in ``Settings.raw``. What ``compaction``
and ``branchSummary`` hold is read by ``sapwood.compaction.settings``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
QueueMode: TypeAlias = Literal["all", "one-at-a-time"]
TreeFilter: TypeAlias = Literal["default", "no-tools", "user-only", "labeled-only", "all"]


class RetrySettings(msgspec.Struct, rename="camel", frozen=True):
    """Sending a request again after a passing failure. Delays in ms."""

    enabled: bool = True
    max_retries: Count = 3
    base_delay_ms: Count = 2000
    max_agent_delay_ms: Count = 60000


class ImageSettings(msgspec.Struct, rename="camel", frozen=True):
    """``auto_resize``: make images smaller before sending; ``block_images``: send none."""

    auto_resize: bool = True
    block_images: bool = False


class SettingValues(msgspec.Struct, rename="camel", frozen=True):
    """Every setting with a value. None = not set; the place that uses it knows what to do then."""

    default_provider: str | None = None
    default_model: str | None = None
    default_thinking_level: ThinkingLevel | None = None
    model_thinking_levels: dict[str, ThinkingLevel] = {}
    enabled_models: list[str] | None = None
    hide_thinking_block: bool = False
    steering_mode: QueueMode = "one-at-a-time"
    follow_up_mode: QueueMode = "one-at-a-time"
    external_editor: str | None = None
    double_escape_action: Literal["tree", "fork", "none"] = "tree"
    tree_filter_mode: TreeFilter = "default"
    default_tools: list[str] | None = None
    default_project_trust: Literal["ask", "always", "never"] = "ask"
    session_dir: str | None = None
    retry: RetrySettings = RetrySettings()
    theme: str | None = None
    quiet_startup: bool | Literal["header"] = False
    shell_path: str | None = None
    shell_command_prefix: str | None = None
    extensions: list[str] = []
    images: ImageSettings = ImageSettings()
    compaction: dict[str, Any] = {}
    branch_summary: dict[str, Any] = {}
