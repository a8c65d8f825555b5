"""/fork: the list of the user's messages, this branch first, searchable, on any branch."""

from __future__ import annotations

from typing import Any

from sapwood.modes.tui.commands.tree import user_rows
from sapwood.modes.tui.dialogs.pick_list import PickList


async def test_lists_this_branch_first_and_tells_the_branch(open_tree: Any) -> None:
    async with open_tree() as tree:
        rows = user_rows(tree.ui.session.manager.tree)
        assert [(row.label, row.detail) for row in rows] == [
            ("Add tests 表 for it", "this branch, 2 of 2"),
            ("Where is the parser?", "this branch, 1 of 2"),
            ("Rewrite it in Rust", "another branch"),
        ]


async def test_forks_from_another_branch_by_search(open_tree: Any) -> None:
    async with open_tree() as tree:
        await tree.press("escape")
        await tree.in_chat()
        before = tree.ui.session.manager
        tree.ui.chat.action_command("fork")
        await tree.ui.until(lambda: isinstance(tree.ui.app.screen, PickList))
        await tree.press(*"rust", "enter")
        await tree.in_chat()
        await tree.ui.until(lambda: tree.ui.session.manager is not before)
        await tree.ui.until(lambda: tree.ui.chat.editor.text == "Rewrite it in Rust")
        assert [entry.id for entry in tree.ui.session.manager.get_branch()][-1] == tree.ids["found"]
        tree.ui.session.manager.close()
