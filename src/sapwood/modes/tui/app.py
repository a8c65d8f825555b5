"""The Textual application: palette, keys, questions, and the way in and out.

Screens are opened with ``result = await app.ask(SomeScreen(…))``. A screen is a Textual ``Screen``
(dialogs: ``dialogs.Dialog``) that takes plain data or the `AgentSession`, holds no conversation of
its own, changes the record only through the session, and ends with ``self.dismiss(result)``; Escape
dismisses with None and has changed nothing. What the result means is decided by whoever asked. So
the tree is a ``Screen[TreeChoice]`` over the session and the picker a ``Screen[Path]``:

- ``tree.TreeScreen(session, cursor=entry_id | None, palette=…)`` → ``TreeChoice(entry_id, exact,
  summary, focus)`` or None. It asks the summary question itself (Escape there goes back to the
  tree); the move is made by ``commands.tree``, which opens it again at the same row if the summary
  is cancelled.
- ``picker.SessionPicker(cwd, session_dir, current=path | None, palette=…)`` → the chosen ``Path``.

``ask`` must be awaited in a worker; commands run in one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen
from textual.worker import WorkerFailed

from sapwood.errors import SapwoodError
from sapwood.modes.tui.chat import Chat
from sapwood.modes.tui.colourless import WithoutColour, replaces
from sapwood.modes.tui.keys import load_keymap, teach_legacy_keys
from sapwood.modes.tui.pasting import take_pastes_whole
from sapwood.modes.tui.theme import PALETTES, Palette, choose

if TYPE_CHECKING:
    from sapwood.modes.tui.launch import Launch

Result = TypeVar("Result")


class SapwoodApp(App[int], inherit_bindings=False):
    """The program. Its exit value is the process's status; ``resume_hint`` is printed after it."""

    TITLE = "sapwood"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = "Input:nocolor .input--selection { text-style: reverse; }"

    def __init__(self, launch: Launch) -> None:
        super().__init__()
        self._colourless = WithoutColour(enabled=False)
        self._filters = [*(own for own in self._filters if not replaces(own)), self._colourless]
        teach_legacy_keys()
        take_pastes_whole()
        self._early_input: list[events.Event] | None = []
        self.launch = launch
        self.keymap_problems: list[str] = []
        self.farewell = ""
        """What is printed on the terminal after the UI is gone."""
        for palette in PALETTES.values():
            self.register_theme(palette.textual())
        self.palette = self._use_palette(launch.theme)
        self.reload_keys()
        self.chat = Chat(launch, self.palette)

    def get_default_screen(self) -> Screen[None]:
        return self.chat

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """Nothing shows through a screen without a transparent part.

        Textual would draw all of it again whenever something changes below it.
        """
        return [] if self.screen.styles.background.a == 1 else super()._background_screens

    async def on_event(self, event: events.Event) -> None:
        """What is typed before there is an editor waits for it (Textual would drop it)."""
        if self._early_input is not None and isinstance(event, events.Key | events.Paste):
            self._early_input.append(event)
        else:
            await super().on_event(event)

    async def take_early_input(self) -> None:
        """Hand on what was typed before the editor had the focus, in order."""
        waiting, self._early_input = self._early_input or [], None
        for event in waiting:
            await self.on_event(event)

    def on_mount(self) -> None:
        # Awake again after Ctrl+Z and fg: the shell has used the screen meanwhile.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))

    def _handle_exception(self, error: Exception) -> None:
        """What nobody expected ends the program. If it has a line of its own, as when the file of
        the session was cut short under us, that is said; else Textual shows where it happened.
        """
        cause = error.error if isinstance(error, WorkerFailed) else error
        if isinstance(cause, SapwoodError):
            self.farewell = f"sapwood: {cause}"
            self.exit(1)
        else:
            super()._handle_exception(error)

    def reload_keys(self) -> None:
        """Read ``keybindings.json`` again."""
        keymap, self.keymap_problems = load_keymap(self.launch.agent_dir)
        self.keys_changed = dict(keymap)
        self.set_keymap(keymap)

    def use_theme(self, setting: str | None) -> None:
        """Draw with another palette from now on."""
        self.palette = self._use_palette(setting)
        self.chat.restyle(self.palette)

    def _use_palette(self, setting: str | None) -> Palette:
        few = self.console.color_system in (None, "standard")
        palette = choose(setting, os.environ, few_colours=few)
        self._colourless.enabled = self.no_color = palette.plain
        self.theme = f"sapwood-{palette.name}"
        return palette

    async def ask(self, screen: Screen[Result]) -> Result | None:
        """Show a screen and wait for its result. Only in a worker."""
        waiting: Screen[Any] = screen
        result: Result | None = await self.push_screen_wait(waiting)
        return result

    async def choose(
        self, title: str, answers: Sequence[tuple[str, str, str]], text: str = ""
    ) -> str | None:
        """Ask a question with a few answers; see `launch.Asker`."""
        from sapwood.modes.tui.dialogs.question import Question
        from sapwood.modes.tui.dialogs.rows import Row

        return await self.ask(Question(title, [Row(*answer) for answer in answers], text))


def shown_folder(path: Path) -> str:
    """A folder as people write it, with ``~`` for home."""
    home = Path.home()
    if path == home:
        return "~"
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
