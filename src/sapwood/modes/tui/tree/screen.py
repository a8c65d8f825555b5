"""The screen: a `TreeBrowser` with its rows, a preview, a line of search and two of hints."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import Screen

from sapwood.errors import SapwoodError
from sapwood.library.tree_kinds import Kind, kind_of
from sapwood.library.tree_rows import TreeFilter
from sapwood.modes.tui.canvas import TextLines
from sapwood.modes.tui.in_order import run_bound
from sapwood.modes.tui.keys import bindings
from sapwood.modes.tui.rows_view import RowsView
from sapwood.modes.tui.theme import Palette
from sapwood.modes.tui.tree.browser import TreeBrowser
from sapwood.modes.tui.tree.choice import TreeChoice, choose_how
from sapwood.modes.tui.tree.drawing import RowLook
from sapwood.modes.tui.tree.keys import HINTS, TREE, TYPED
from sapwood.modes.tui.tree.label import LabelField
from sapwood.modes.tui.tree.list import TreeList
from sapwood.modes.tui.tree.prepared import prepared
from sapwood.modes.tui.tree.preview import Preview
from sapwood.modes.tui.tree.weight import Held, held_by
from sapwood.modes.tui.tree.words import empty_words, title_words
from sapwood.modes.tui.typed_search import pasted_words, typed_letter, without_last_word
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession

WIDE = 110
"""From this many columns on, the preview is beside the rows."""

TALL = 20
"""From this many lines on, the preview is below the rows where it is not beside them."""

PAN = 16
"""Cells of one step to the side."""

WARMING = 0.008
"""Seconds of reading for a search to come, whenever nothing else is to do."""
SEARCHING = 0.03
"""Seconds of reading at a time while a search waits for it: a key is still heard at once."""
LOOK_AGAIN = 0.25
"""Seconds after which what a search, or the session, has added meanwhile is shown."""


class TreeScreen(Screen[TreeChoice], inherit_bindings=False):
    """See the package. ``cursor``: the entry to stand on, else the leaf."""

    BINDINGS: ClassVar[list[BindingType]] = list(bindings(TREE))
    DEFAULT_CSS = """
    TreeScreen {
        layers: base above; layout: vertical; background: $background;
        & .title, & .search { height: 1; }
        & .hints { height: 2; }
        & Horizontal { height: 1fr; }
        & Preview { display: none; }
        & .below { height: 30%; }
        &.wide .beside { display: block; width: 40%; }
        &.tall .below { display: block; }
        &.low .hints { display: none; }
    }
    """

    def __init__(self, session: AgentSession, *, cursor: str | None, palette: Palette) -> None:
        super().__init__()
        self.session = session
        tree = session.manager.tree
        values = session.settings.values
        self.browser = TreeBrowser(prepared(tree), TreeFilter(values.tree_filter_mode), cursor)
        self.searching = False
        self._look = RowLook(palette, 80, time.time())
        self._list = TreeList(self.browser, palette)
        self._beside = Preview(tree, palette, beside=True)
        self._below = Preview(tree, palette, beside=False)
        self._title = TextLines(classes="title")
        self._search = TextLines(classes="search")
        self._hints = TextLines(classes="hints")
        self._note = ""
        self._labelled: str | None = None
        self._deciding = False
        self._looked = 0.0
        self._has_grown = False

    def compose(self) -> ComposeResult:
        yield self._title
        yield self._search
        with Horizontal():
            yield self._list
            yield self._beside
        yield self._below
        yield self._hints

    def on_mount(self) -> None:
        self._stop_listening = self.session.subscribe(self._heard)
        self.set_interval(0.02, self._in_idle_time)
        self._arrange()
        self._draw()

    def on_unmount(self) -> None:
        self._stop_listening()

    def on_resize(self) -> None:
        self._arrange()

    def _arrange(self) -> None:
        """What there is room for."""
        width, height = self.app.size
        self.set_class(width >= WIDE, "wide")
        self.set_class(width < WIDE and height >= TALL, "tall")
        self.set_class(height < 14, "low")

    def _in_idle_time(self) -> None:
        """Read on for the search; now and then show what is new, however much that is."""
        browser = self.browser
        was_searching = bool(browser.unread and browser.search.strip())
        browser.read_on(SEARCHING if was_searching else WARMING)
        due = time.monotonic() - self._looked >= LOOK_AGAIN
        if self._has_grown and due:
            self._refresh()
        elif was_searching and (due or not browser.unread):
            self._looked = time.monotonic()
            browser.search_again()
            self._draw()

    def _heard(self, event: dict[str, Any]) -> None:
        """The session goes on while one looks."""
        if event.get("type") == "entry_appended":
            self._has_grown = True

    def _refresh(self) -> None:
        self._has_grown = False
        self._looked = time.monotonic()
        self.browser.refresh()
        self._draw()

    def _draw(self) -> None:
        browser = self.browser
        words = tuple(browser.search.lower().split())
        self._look = replace(self._look, now=time.time(), words=words)
        self._list.show(self._look, empty_words(browser))
        palette = self._look.palette
        self._title.show(palette["strong"], title_words(browser))
        search = f"/{browser.search}▏" if self.searching else ""
        self._search.show(palette["accent"], one_line(search or self._note))
        self._hints.show(palette["dim"], *HINTS)
        row = browser.row
        for preview in (self._beside, self._below):
            preview.show(row.entry if row is not None else None)

    # Moving

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a label is edited or a question is open, no key of the tree counts."""
        if self._labelled is not None or self._deciding:
            return False
        return not (self.searching and action in TYPED)

    def action_move(self, step: int) -> None:
        self.browser.move(step)
        self._draw()

    def action_page(self, pages: int) -> None:
        page = max(self._list.size.height - 1, 1)
        self.browser.stand(self.browser.cursor + pages * page)
        self._draw()

    def action_end(self, end: int) -> None:
        self.browser.stand(len(self.browser.rows) if end > 0 else 0)
        self._draw()

    def action_fold(self) -> None:
        self.browser.fold_or_up()
        self._draw()

    def action_unfold(self) -> None:
        self.browser.unfold_or_down()
        self._draw()

    def action_pan(self, step: int) -> None:
        self._look = replace(self._look, pan=max(self._look.pan + step * PAN, 0))
        self._draw()

    def action_preview(self, rows: int) -> None:
        for preview in (self._beside, self._below):
            if preview.display:
                preview.scroll_rows(rows)

    def on_rows_view_clicked(self, event: RowsView.Clicked) -> None:
        if self.check_action("go", ()):
            self.browser.stand(event.index)
            self._draw()
            if event.double:
                self.action_go()

    # What is shown

    def action_filter(self, name: str) -> None:
        self.browser.use_filter(TreeFilter(name))
        self._draw()

    def action_cycle(self, step: int) -> None:
        self.browser.cycle_filter(step)
        self._draw()

    def action_label_times(self) -> None:
        self._look = replace(self._look, label_times=not self._look.label_times)
        self._draw()

    def action_weights(self) -> None:
        self._look = replace(self._look, weights=not self._look.weights)
        self._draw()

    # Searching

    async def on_key(self, event: events.Key) -> None:
        letter = typed_letter(self, event)
        if letter is None:
            await run_bound(self, event)
        if letter is None or not self.check_action("go", ()):
            return
        if self.searching or not letter.isspace():
            event.stop()
            self._search_for(self.browser.search + letter)

    def on_paste(self, event: events.Paste) -> None:
        if self.check_action("go", ()):
            event.stop()
            self._search_for(self.browser.search + pasted_words(event))

    def _search_for(self, text: str) -> None:
        self.searching = True
        self._note = ""
        self.browser.search_for(text)
        self._draw()

    def action_begin_search(self) -> None:
        self._search_for("")

    def action_delete_char(self) -> None:
        if self.searching:
            self._search_for(self.browser.search[:-1])

    def action_delete_word(self) -> None:
        if self.searching:
            self._search_for(without_last_word(self.browser.search))

    def action_cancel(self) -> None:
        if not self.searching:
            self.dismiss(None)
            return
        self.searching = False
        self.browser.search_for("")
        self._draw()

    # Labels

    async def action_label(self) -> None:
        await self.action_edit_label()

    async def action_edit_label(self) -> None:
        row = self.browser.row
        if row is None:
            return
        if self.session.manager.read_only:
            self._note = "No labels here: the session is open read only"
            self._draw()
            return
        self._labelled = row.entry.id
        label = self.browser.tree.label(row.entry.id)
        field = LabelField(
            label or "",
            y=self._list.marked_y,
            width=self._list.size.width,
            placeholder="Label; Enter takes it",
        )
        await self.mount(field)
        field.focus()

    async def on_label_field_done(self, event: LabelField.Done) -> None:
        entry_id, self._labelled = self._labelled, None
        await self.query(LabelField).remove()
        if entry_id is not None and event.text is not None:
            self._set_label(entry_id, event.text)

    def _set_label(self, entry_id: str, text: str) -> None:
        if text == (self.browser.tree.label(entry_id) or ""):
            return
        try:
            self.session.set_label(entry_id, text or None)
        except SapwoodError as error:
            self._note = str(error)
        self._refresh()

    # Going

    def action_go(self) -> None:
        if self.browser.row is not None:
            self._deciding = True
            self.run_worker(self._go(self.browser.row.entry.id), exit_on_error=False)

    async def _go(self, entry_id: str) -> None:
        try:
            choice = await self._choose(entry_id)
        except SapwoodError as error:
            choice, self._note = None, str(error)
        finally:
            self._deciding = False
        if choice is not None:
            self.dismiss(choice)
        self._draw()

    async def _choose(self, entry_id: str) -> TreeChoice | None:
        tree = self.browser.tree
        if entry_id == tree.leaf_id:
            return TreeChoice(entry_id)
        editable = kind_of(tree.require(entry_id)) in (Kind.USER, Kind.CUSTOM)
        held = await asyncio.to_thread(self._held, entry_id)
        is_here = not held and entry_id in self.browser.view.path
        if self.session.settings.branch_summary.skip_prompt or self.session.manager.read_only:
            held = Held()  # nothing to ask about what is left
        if is_here and not editable:
            return TreeChoice(entry_id=str(tree.leaf_id))
        choice = await choose_how(self.app.push_screen_wait, entry_id, held, editable=editable)
        if is_here and choice is not None and choice.exact:
            return TreeChoice(entry_id=str(tree.leaf_id))
        return choice

    def _held(self, entry_id: str) -> Held:
        """What of the conversation is left by going to an entry."""
        from sapwood.compaction.branch import collect_branch

        tree = self.browser.tree
        return held_by(collect_branch(tree, tree.leaf_id, entry_id).entries)
