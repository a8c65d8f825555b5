"""Are processes really gone?"""

from __future__ import annotations

import asyncio
from pathlib import Path


def is_running(pid: int) -> bool:
    """A zombie that nobody has collected yet does not run."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


async def wait_until_gone(pid: int) -> None:
    """Return once the process has ended; fails after ten seconds."""
    async with asyncio.timeout(10):
        while is_running(pid):
            await asyncio.sleep(0.01)
