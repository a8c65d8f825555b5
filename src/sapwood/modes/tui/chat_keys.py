"""The keys of the chat screen: one method for each action of `keys.CHAT`."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, ClassVar, cast

from textual.binding import BindingType
from textual.screen import Screen

from sapwood.modes.tui.keys import CHAT, bindings

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.tui.chat import Chat

DOUBLE = 0.6
"""Seconds within which a second Escape counts as a double one."""
AGAIN = 3.0
"""The same for Ctrl+C: long enough to read that it would leave."""


class ChatKeys(Screen[None], inherit_bindings=False):
    """What keys do; `chat.Chat` has the widgets and the session they work on."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings(CHAT))

    _last_key: tuple[str, float] = ("", 0.0)

    @property
    def chat(self) -> Chat:
        """This screen as what it is."""
        return cast("Chat", self)

    def _twice(self, key: str, within: float) -> bool:
        """Whether the key was pressed just before, too."""
        last, at = self._last_key
        now = monotonic()
        double = last == key and now - at < within
        self._last_key = ("", 0.0) if double else (key, now)
        return double

    def action_interrupt(self) -> None:
        if self.chat.editor.close_menu() or self.chat.transcript.deselect():
            return
        session = self.chat.session
        if session is None:
            return
        if self.chat.view.live.command is not None:
            session.abort_bash()
        elif not session.is_idle:
            self.chat.start(self._abort(session))
        elif self.chat.editor.is_blank and self._twice("escape", DOUBLE):
            action = session.settings.values.double_escape_action
            if action != "none":
                self.action_command(action)

    async def _abort(self, session: AgentSession) -> None:
        from sapwood.agent.activity import Activity

        if session.activity is Activity.COMPACTING:
            session.abort_compaction()
        elif session.activity is Activity.NAVIGATING:
            session.abort_branch_summary()
        else:
            self.action_dequeue()
            await session.abort()

    def action_dequeue(self) -> None:
        """Queued messages go back into the editor, before what is being written."""
        if self.chat.session is None:
            return
        taken = self.chat.session.take_back_queued()
        for message in reversed([*taken.steering, *taken.follow_up]):
            self.chat.editor.restore(message.text, message.images)

    def action_follow_up(self) -> None:
        self.chat.editor.submit(follow_up=True)

    def action_clear_or_exit(self) -> None:
        if selected := self.chat.editor.selected_text:
            self.chat.copy(selected)
        elif self.chat.editor.text:
            self.chat.editor.set_text("")
            self._last_key = ("", 0.0)
        elif self._twice("ctrl+c", AGAIN):
            self.leave()
        else:
            self.chat.status.notice("Ctrl+C again leaves Sapwood")

    def action_exit_if_empty(self) -> None:
        if self.chat.editor.text:
            self.chat.editor.action_delete_right()
        else:
            self.leave()

    def leave(self) -> None:
        """End the program in order."""
        from sapwood.modes.tui.opening import close_and_leave

        self.chat.save_draft()
        self.chat.start(close_and_leave(self.chat))

    def action_suspend_process(self) -> None:
        self.app.action_suspend_process()

    def action_command(self, name: str) -> None:
        if self.chat.session is not None:
            self.chat.run_command(name, "", f"/{name}")

    def action_copy_answer(self) -> None:
        self.action_command("copy")

    def action_cycle_model(self, step: int) -> None:
        from sapwood.modes.tui.commands.model import cycle_model

        if self.chat.may_write():
            self.chat.start(cycle_model(self.chat, step))

    def action_cycle_thinking(self) -> None:
        from sapwood.modes.tui.commands.model import cycle_thinking

        if self.chat.may_write():
            self.chat.start(cycle_thinking(self.chat))

    def action_toggle_thinking(self) -> None:
        shown = not self.chat.transcript.look.thinking
        self._fold_all_alike()
        self.chat.transcript.restyle(thinking=shown)
        self.chat.status.notice("Thinking is shown" if shown else "Thinking is folded")

    def action_toggle_tools(self) -> None:
        shown = not self.chat.transcript.look.expanded
        self._fold_all_alike()
        self.chat.transcript.restyle(expanded=shown)
        words = "Output and summaries are unfolded" if shown else "Output is folded"
        self.chat.status.notice(words)

    def _fold_all_alike(self) -> None:
        if self.chat.session is not None and self.chat.view.blocks is not None:
            self.chat.view.blocks.fold_all_alike()

    def action_external_editor(self) -> None:
        from sapwood.modes.tui.editor.external import edit_outside

        self.chat.start(edit_outside(self.chat))

    def action_paste_clipboard(self) -> None:
        from sapwood.modes.tui.clipboard import paste

        self.chat.start(paste(self.chat))

    def action_search(self) -> None:
        if self.chat.session is not None:
            self.chat.search.begin()

    def action_scroll_page(self, pages: int) -> None:
        self.chat.transcript.scroll_page(pages)

    def action_scroll_line(self, rows: int) -> None:
        self.chat.transcript.scroll_rows(rows)

    def action_jump_prompt(self, step: int) -> None:
        self.chat.transcript.jump_prompt(step)

    def action_scroll_top(self) -> None:
        self.chat.transcript.go_top()

    def action_scroll_bottom(self) -> None:
        self.chat.transcript.go_bottom()
