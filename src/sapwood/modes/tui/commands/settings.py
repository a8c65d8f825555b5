"""``/settings``: the ones people change, each with its value and what it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sapwood.models.thinking import LEVELS
from sapwood.modes.tui.theme import SETTINGS

if TYPE_CHECKING:
    from sapwood.modes.tui.chat import Chat
    from sapwood.session.schema import JsonObject


@dataclass(frozen=True, slots=True)
class Option:
    """A setting by its dotted key; ``values`` are the answers, empty for a free number or text."""

    key: str
    does: str
    default: Any
    values: Sequence[Any] = ()


ON_OFF = (True, False)
ONE_OR_ALL = ("one-at-a-time", "all")

OPTIONS: tuple[Option, ...] = (
    Option("theme", "Colours", "auto", SETTINGS),
    Option("hideThinkingBlock", "Fold thinking from the start", True, ON_OFF),
    Option("defaultThinkingLevel", "Thinking of new sessions", "medium", LEVELS),
    Option("defaultProvider", "Provider of new sessions", ""),
    Option("defaultModel", "Model of new sessions", ""),
    Option(
        "doubleEscapeAction", "Escape twice on an empty editor", "tree", ("tree", "fork", "none")
    ),
    Option(
        "treeFilterMode",
        "What the tree shows first",
        "default",
        ("default", "no-tools", "user-only", "labeled-only", "all"),
    ),
    Option("steeringMode", "Steering messages go in", ONE_OR_ALL[0], ONE_OR_ALL),
    Option("followUpMode", "Follow-ups go in", ONE_OR_ALL[0], ONE_OR_ALL),
    Option("compaction.enabled", "Compact when the window is nearly full", True, ON_OFF),
    Option("compaction.reserveTokens", "Tokens kept free for the answer", 16384),
    Option("compaction.keepRecentTokens", "Newest tokens kept verbatim", 20000),
    Option("branchSummary.skipPrompt", "Leave branches without the question", False, ON_OFF),
    Option("retry.enabled", "Try again after passing failures", True, ON_OFF),
    Option("retry.maxRetries", "How often", 3),
    Option("images.autoResize", "Make large images smaller", True, ON_OFF),
    Option("images.blockImages", "Send no images", False, ON_OFF),
    Option("externalEditor", "Editor that Ctrl+G opens", ""),
    Option(
        "defaultProjectTrust", "Projects that nobody decided on", "ask", ("ask", "always", "never")
    ),
)


def value_of(raw: JsonObject, option: Option) -> Any:
    """The value in force, from the merged settings."""
    value: Any = raw
    for part in option.key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return option.default if value is None else value


def shown(value: Any) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value) if value not in ("", None) else "not set"


async def show_settings(chat: Chat, text: str) -> None:
    """List, change, list again, until Escape."""
    from sapwood.agent.settings import Settings
    from sapwood.modes.tui.commands.program import reopen
    from sapwood.modes.tui.dialogs.pick_list import PickList
    from sapwood.modes.tui.dialogs.rows import Row

    session = chat.session
    assert session is not None
    before = Settings.load(chat.launch.agent_dir, None, False).raw
    while True:
        raw = Settings.load(chat.launch.agent_dir, None, False).raw
        rows = [
            Row(option, f"{option.does}", f"{shown(value_of(raw, option))}  ·  {option.key}")
            for option in OPTIONS
        ]
        note = f"Kept in {session.settings.user_file}. A project's own settings go before these."
        option = await chat.sapwood.ask(PickList("Settings", rows, text=note, query=text))
        if option is None:
            break
        await _change(chat, option, value_of(raw, option))
    if raw != before:
        await reopen(chat)


async def _change(chat: Chat, option: Option, now: Any) -> None:
    from sapwood.modes.tui.dialogs.question import Question
    from sapwood.modes.tui.dialogs.rows import Row
    from sapwood.modes.tui.dialogs.text_field import TextField

    session = chat.session
    assert session is not None
    if option.values:
        rows = [Row((value,), shown(value), current=value == now) for value in option.values]
        answer = await chat.sapwood.ask(Question(option.does, rows, option.key))
        if answer is not None:
            session.settings.save_user(option.key, answer[0])
        return None
    typed = await chat.sapwood.ask(TextField(option.does, str(now), text=option.key))
    if typed is None:
        return None
    if isinstance(option.default, int):
        if not typed.strip().isdigit():
            return chat.status.notice(f"{option.key} needs a whole number", "error")
        session.settings.save_user(option.key, int(typed))
    else:
        session.settings.save_user(option.key, typed.strip() or None)
    return None
