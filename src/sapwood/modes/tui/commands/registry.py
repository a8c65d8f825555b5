"""Which slash commands there are. A group's module is imported when one of its commands is run."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat

Run: TypeAlias = "Callable[[Chat, str], Coroutine[Any, Any, None]]"
Arguments: TypeAlias = "Callable[[Chat], Sequence[tuple[str, str]]]"


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` without the slash; ``function`` lives in ``commands.<group>``.

    ``takes`` names the argument for the menu; ``offers`` is a function of the group that gives
    completions for it. ``writes``: it is nothing but an entry in the session.
    """

    name: str
    does: str
    group: str
    function: str
    takes: str = ""
    offers: str = ""
    writes: bool = False

    @property
    def run(self) -> Run:
        return getattr(self._module(), self.function)  # type: ignore[no-any-return]

    @property
    def arguments(self) -> Arguments | None:
        return getattr(self._module(), self.offers) if self.offers else None

    def _module(self) -> Any:
        return import_module(f"sapwood.modes.tui.commands.{self.group}")


COMMANDS: tuple[Command, ...] = (
    Command("model", "Choose the model", "model", "choose_model", "[model]", "model_offers", True),
    Command(
        "thinking", "Set how much it thinks", "model", "choose_level", "[level]", "levels", True
    ),
    Command("settings", "Change settings", "settings", "show_settings"),
    Command("new", "Start a new session", "session", "new_session"),
    Command("resume", "Open another session", "session", "resume"),
    Command("name", "Name this session", "session", "name_session", "[name]", writes=True),
    Command("session", "What this session is and has used", "session", "show_session"),
    Command("tree", "Go to another place in the tree", "tree", "open_tree"),
    Command("fork", "New session from an earlier message", "tree", "fork"),
    Command("clone", "Copy this branch into a new session", "tree", "clone"),
    Command(
        "compact", "Make the context smaller", "context", "compact", "[what to keep]", "", True
    ),
    Command(
        "retain", "Pin messages that summaries keep verbatim", "context", "retain", writes=True
    ),
    Command("import", "Take in a session file", "files", "import_file", "<path>"),
    Command("export", "Write HTML, Markdown or JSONL", "files", "export", "[path]"),
    Command("share", "Publish as a secret gist", "files", "share"),
    Command("copy", "Copy the last answer", "files", "copy"),
    Command("reload", "Read settings, keys and extensions again", "program", "reload"),
    Command("hotkeys", "All keys", "program", "show_keys"),
    Command("trust", "Trust this project, or stop to", "account", "trust"),
    Command("login", "Save a key", "account", "login", "[provider]", "providers"),
    Command("logout", "Remove a saved key", "account", "logout", "[provider]", "saved"),
    Command("quit", "Leave Sapwood", "program", "leave"),
)

_BY_NAME = {command.name: command for command in COMMANDS}
_BY_NAME["exit"] = _BY_NAME["quit"]


def find(name: str) -> Command | None:
    """A built-in command by its name."""
    return _BY_NAME.get(name)


def listed(session: AgentSession | None) -> list[tuple[str, str]]:
    """Names and descriptions for the menu: ours, the extensions', templates and skills."""
    own = [(command.name, f"{command.does} {command.takes}".strip()) for command in COMMANDS]
    if session is None:
        return own
    extra = {item.name: item.description for item in session.extensions.commands.values()}
    for name, description, _ in session.shorthand.names():
        extra.setdefault(name, description)
    return own + [(name, words) for name, words in extra.items() if name not in _BY_NAME]
