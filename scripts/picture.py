"""Draw docs/images/tree.svg: what `sapwood session tree` prints of the demo's session.

python scripts/picture.py
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text
from sapwood.library.tree_rows import TreeView

from sapwood.modes.cli.demo import run_demo
from sapwood.modes.cli.render_tree import row_label, row_words, short_ids
from sapwood.session.manager import SessionManager
from sapwood.text import fit

TARGET = Path(__file__).parents[1] / "docs" / "images" / "tree.svg"
WIDTH = 88


def main() -> None:
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text("$ sapwood session tree 019aeb", style="bold"))
    with tempfile.TemporaryDirectory() as folder:
        path = run_demo(lambda _: None, Path(folder) / "demo")
        with SessionManager.open(path) as manager:
            _label(manager)
            _draw(manager, console)
    TARGET.parent.mkdir(exist_ok=True)
    svg = re.sub(r"@font-face \{.*?\}", "", console.export_svg(title="sapwood"), flags=re.DOTALL)
    TARGET.write_text("\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n")
    print(TARGET)


def _label(manager: SessionManager) -> None:
    """Name the place where the two branches part, and stay where the conversation is."""
    leaf = manager.get_leaf()
    fork = next(e for e in manager.tree.entries if len(manager.get_children(e.id)) > 1)
    manager.append_label_change(fork.id, "before the option")
    if leaf is not None:
        manager.branch(leaf)


def _draw(manager: SessionManager, console: Console) -> None:
    short = short_ids(manager.tree)
    for row in TreeView(manager.tree).rows():
        line = Text(no_wrap=True)
        line.append(f"{short(row.entry)}  ", "bright_black")
        line.append(row.guides, "bright_black")
        line.append("• " if row.on_path else "  ", "green")
        line.append(row_label(row), "yellow")
        room = WIDTH - len(line.plain) - 8
        line.append(fit(row_words(row), room), "bold" if row.on_path else "bright_black")
        line.append(" ◀ here" if row.is_leaf else "", "green")
        console.print(line)


if __name__ == "__main__":
    main()
