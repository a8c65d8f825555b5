"""Draw docs/screens/export.png: the page of scripts/story.py in a headless Chromium.

Run from the repository: ``python scripts/export_screen.py``.
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "screens" / "export.png"
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

import story  # noqa: E402

from sapwood.library.export import export_session  # noqa: E402
from sapwood.session.manager import SessionManager  # noqa: E402
from support.chromium import browser  # noqa: E402

CHOOSE = "[...document.querySelectorAll('#tree a.compaction')][0].click()"


def story_page(folder: Path) -> Path:
    """The story's session, as if it had been written in a folder of its own."""
    project = folder / "project"
    project.mkdir()
    with story.totals(project, folder / "sessions") as manager:
        lines = b"".join(line + b"\n" for line in manager.lines())
    copy = folder / "story.jsonl"
    copy.write_bytes(lines.replace(str(project).encode(), b"/home/dev/invoices"))
    with SessionManager.open(copy, writer="none") as manager:
        return export_session(manager, folder / "story.html")


def main() -> None:
    with tempfile.TemporaryDirectory() as name, browser(Path(name) / "profile") as page:
        page.call(
            "Emulation.setDeviceMetricsOverride",
            width=1280,
            height=820,
            deviceScaleFactor=1,
            mobile=False,
        )
        page.open(story_page(Path(name)).as_uri())
        page.value(CHOOSE)
        page.value("new Promise(done => setTimeout(done, 500))")
        picture = page.call("Page.captureScreenshot", format="png")["data"]
    TARGET.write_bytes(base64.b64decode(picture))
    print(TARGET)


if __name__ == "__main__":
    main()
