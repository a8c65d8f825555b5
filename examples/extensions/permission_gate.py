"""Ask before a command that deletes, publishes or takes more rights; without a person, refuse.

Try it:  sapwood -e examples/extensions/permission_gate.py

This is a seat belt for honest mistakes. A model that wants to can get around a pattern: run
untrusted work in a container.
"""

from __future__ import annotations

import re
from typing import Any

from sapwood.agent.extensions import ExtensionApi

RISKY = re.compile(
    r"\brm\s+(-\w*\s+)*-\w*[rf]"
    r"|\bsudo\b"
    r"|\bgit\s+(push|clean|reset\s+--hard)\b"
    r"|\b(npm|twine|cargo)\s+(publish|upload)\b"
    r"|\bdd\s+.*\bof=|\bmkfs\b"
)


def extension(api: ExtensionApi) -> None:
    async def gate(event: dict[str, Any]) -> dict[str, Any] | None:
        command = str(event["input"].get("command", ""))
        if event["toolName"] != "bash" or not RISKY.search(command):
            return None
        if await api.confirm(f"Run this command?\n{command}"):
            return None
        return {
            "block": True,
            "reason": "The person did not allow this command. Find another way, or ask them.",
        }

    api.on("tool_call", gate)
