"""Between a session and the widgets: events in, what is shown out.

The view holds no conversation: the transcript's blocks come from the session's tree, the live part
from events until it is stored. Attach it to another session and the old one is forgotten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sapwood.modes.tui.branches import count_branches
from sapwood.modes.tui.footer import Footer, FooterInfo
from sapwood.modes.tui.spending import CostMeter
from sapwood.modes.tui.status import StatusLines
from sapwood.modes.tui.transcript.live import LiveRun
from sapwood.modes.tui.transcript.path import PathBlocks
from sapwood.modes.tui.transcript.tools import headline
from sapwood.modes.tui.transcript.view import Header, Transcript
from sapwood.modes.tui.words import tokens_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.session.manager import SessionManager

STOPS = "Esc stops"


class SessionView:
    """Keeps transcript, status lines and footer in step with one session."""

    def __init__(
        self,
        transcript: Transcript,
        status: StatusLines,
        footer: Footer,
        header: Header,
        on_switch: Callable[[], None] = lambda: None,
    ) -> None:
        self.transcript = transcript
        self.status = status
        self.footer = footer
        self.live = LiveRun()
        self.session: AgentSession | None = None
        self.blocks: PathBlocks | None = None
        self._header = header
        self._on_switch = on_switch
        self._branches = 1
        self._meter: CostMeter | None = None
        self._forks_next = False
        self._unsubscribe: Callable[[], None] = lambda: None

    def attach(self, session: AgentSession) -> None:
        """Show a session from its end."""
        self.detach()
        self.session = session
        self._unsubscribe = session.subscribe(self.on_event)
        self._show_record()

    def detach(self) -> None:
        """Listen no longer."""
        self._unsubscribe()
        self._unsubscribe = lambda: None
        self.session = None

    def _show_record(self) -> None:
        """The session's record is another one (opened, new, switched, forked)."""
        assert self.session is not None
        self.live = LiveRun()
        tree = self.session.manager.tree
        self.blocks = PathBlocks(tree, self.live, self._header)
        self._branches = count_branches(tree)
        self.transcript.show(self.blocks)
        self.status.queue((), ())
        self._meter_cost(self.session.manager)
        self.refresh_footer()
        self._on_switch()

    def sync(self) -> None:
        """Take in what was appended or moved."""
        if self.blocks is None or self.session is None:
            return
        self.live.unsaved = [dict(message) for message in self.session.unsaved]
        before = len(self.blocks.entries)
        grew = self.blocks.sync()
        if not grew:
            self._forks_next = True
            self.transcript.show(self.blocks)
        elif len(self.blocks.entries) > before and self._forks_next:
            self._forks_next = False
            self._branches = count_branches(self.session.manager.tree)

    # Events

    def on_event(self, event: dict[str, Any]) -> None:
        """One session event."""
        kind = event["type"]
        self.live.feed(event)
        handler = getattr(self, f"_on_{kind}", None)
        if handler:
            handler(event)
        if kind not in {"message_update", "tool_execution_update"}:
            self.sync()
        self.transcript.changed()

    def _on_session_changed(self, event: dict[str, Any]) -> None:
        self._show_record()

    def _on_agent_start(self, event: dict[str, Any]) -> None:
        self.status.notice("")
        self.status.doing("Waiting for the model", STOPS)

    def _on_turn_start(self, event: dict[str, Any]) -> None:
        self.status.doing("Waiting for the model", STOPS)

    def _on_message_update(self, event: dict[str, Any]) -> None:
        kind = event["assistantMessageEvent"].get("type", "")
        words = {
            "thinking_start": "Thinking",
            "text_start": "Answering",
            "toolcall_start": "Preparing a tool call",
        }.get(kind)
        if words:
            self.status.doing(words, STOPS)

    def _on_tool_execution_start(self, event: dict[str, Any]) -> None:
        self.status.doing(f"Running {headline(event['toolName'], event['args'])}", STOPS)

    def _on_turn_end(self, event: dict[str, Any]) -> None:
        self.refresh_footer()

    def _on_entry_appended(self, event: dict[str, Any]) -> None:
        if not self.status.status.doing:
            self.refresh_footer()

    def _on_agent_settled(self, event: dict[str, Any]) -> None:
        self.status.doing("")
        self.refresh_footer()

    def _on_queue_update(self, event: dict[str, Any]) -> None:
        self.status.queue(tuple(event["steering"]), tuple(event["followUp"]))

    def _on_compaction_start(self, event: dict[str, Any]) -> None:
        why = {"threshold": "The context is getting full", "overflow": "The context is full"}
        reason = why.get(event["reason"])
        self.status.doing(f"{reason}: compacting" if reason else "Compacting", "Esc cancels")

    def _on_compaction_end(self, event: dict[str, Any]) -> None:
        self.status.doing("Waiting for the model" if event.get("willRetry") else "", STOPS)
        result = event.get("result")
        if result:
            self.status.notice(compaction_words(result))
        elif event.get("aborted"):
            self.status.notice("Compaction cancelled, nothing changed")
        elif event.get("errorMessage"):
            self.status.notice(event["errorMessage"], "warn")
        self.refresh_footer()

    def _on_auto_retry_start(self, event: dict[str, Any]) -> None:
        seconds = event["delayMs"] / 1000
        self.status.notice(event["errorMessage"], "warn")
        self.status.doing(
            f"Retry {event['attempt']} of {event['maxAttempts']} in {seconds:.0f}s", "Esc gives up"
        )

    def _on_auto_retry_end(self, event: dict[str, Any]) -> None:
        if event.get("success"):
            self.status.notice("")

    def _on_summarization_retry_scheduled(self, event: dict[str, Any]) -> None:
        self.status.notice(event["errorMessage"], "warn")

    def _on_notice(self, event: dict[str, Any]) -> None:
        self.status.notice(event["message"], "warn")

    def _on_session_info_changed(self, event: dict[str, Any]) -> None:
        self.refresh_footer()

    def _on_thinking_level_changed(self, event: dict[str, Any]) -> None:
        self.refresh_footer()

    def _on_tree_moved(self, event: dict[str, Any]) -> None:
        self.refresh_footer()

    # Footer

    def refresh_footer(self) -> None:
        """Say where the session stands now."""
        if self.session is not None:
            self.footer.info = footer_info(
                self.session, self._branches, self._meter.dollars if self._meter else None
            )

    def _meter_cost(self, manager: SessionManager) -> None:
        """Keep up the cost of this record; what it cost before is added up in a thread."""
        if self._meter is not None:
            self._meter.close()
        meter = self._meter = CostMeter(manager)

        async def add_up() -> None:
            meter.know(await asyncio.to_thread(meter.add_up))
            if meter is self._meter:
                self.refresh_footer()

        if meter.dollars is None:
            self.footer.run_worker(add_up(), exit_on_error=False, group="cost")


def footer_info(session: AgentSession, branches: int, cost: float | None) -> FooterInfo:
    """What the footer says of a session."""
    from sapwood.modes.tui.app import shown_folder

    usage = session.get_context_usage()
    manager = session.manager
    return FooterInfo(
        folder=shown_folder(session.cwd),
        name=session.session_name,
        branches=branches,
        model=session.model_name,
        level=session.thinking_level,
        tokens=usage.tokens,
        window=usage.context_window,
        estimated=usage.estimated,
        cost=cost,
        note="not saved" if session.unsaved else record_note(manager),
    )


def record_note(manager: SessionManager) -> str:
    """What is special about how the session is kept."""
    if not manager.is_persisted:
        return "not saved"
    return "read only" if manager.read_only else ""


def compaction_words(result: dict[str, Any]) -> str:
    """What a compaction saved."""
    before, after = result.get("tokensBefore"), result.get("estimatedTokensAfter")
    if not isinstance(before, int) or not isinstance(after, int):
        return "Compacted"
    saved = max(before - after, 0)
    sizes = f"{tokens_text(before)} → ~{tokens_text(after)} tokens"
    return f"Compacted: {sizes}, {tokens_text(saved)} saved"
