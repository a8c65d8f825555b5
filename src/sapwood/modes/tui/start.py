"""Run the UI from a terminal and leave the terminal as it was."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sapwood.modes.tui.launch import Launch


def run_tui(launch: Launch) -> int:
    """Show the UI until the user leaves; gives the exit status and prints how to come back."""
    if os.environ.get("TERM", "") in {"dumb", "unknown"}:
        # Rich would leave out bold and reversed text too, and with them the cursor.
        os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", "standard")
    from sapwood.modes.tui.app import SapwoodApp

    app = SapwoodApp(launch)
    status = app.run()
    if app.farewell:
        print(app.farewell, file=sys.stdout)
    return status if isinstance(status, int) else (app.return_code or 0)
