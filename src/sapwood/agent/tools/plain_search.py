"""A stand-in for ripgrep where it is not installed: a small program of its own.

It writes what ``rg --null --line-number --with-filename`` writes, as far as ``grep`` reads it. A
process can be ended in the middle of an expression that backtracks for ever; a thread cannot.
"""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

import sapwood
from sapwood.agent.tools.walk import walk

MAX_COLUMNS = 500
FAILED = 2
_MAX_LINE = 1 << 20


# Not ``python -m``: that would import from the folder that is searched.
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from sapwood.agent.tools.plain_search import main; main(sys.argv[2])"
)


def command(**options: Any) -> list[str]:
    """How to start it: ``pattern``, ``literal``, ``ignore_case``, ``context``, and ``target``, a
    file name or ``.`` for the folder in which it is started."""
    packages = str(Path(sapwood.__file__).resolve().parents[1])
    return [sys.executable, "-P", "-c", _START, packages, json.dumps(options)]


def main(given: str) -> None:
    """Search as the options say, and exit as ripgrep does."""
    sys.exit(_search_all(json.loads(given), sys.stdout.buffer))


def _search_all(options: dict[str, Any], output: BinaryIO) -> int:
    source = re.escape(options["pattern"]) if options["literal"] else options["pattern"]
    try:
        wanted = re.compile(source.encode(), re.IGNORECASE if options["ignore_case"] else 0)
    except re.error as error:
        print(f"not a valid pattern: {error}", file=sys.stderr)
        return FAILED
    for name in _files(options["target"]):
        _search(name, wanted, options["context"], output)
    return 0


def _files(target: str) -> Iterable[str]:
    if target != ".":
        return [target]
    return (path for path, is_folder in walk(Path.cwd()) if not is_folder)


def _search(name: str, wanted: re.Pattern[bytes], context: int, output: BinaryIO) -> None:
    path = Path(name)
    try:
        if not path.is_file():
            return
        with path.open("rb") as file:
            if b"\0" not in file.read(8192):
                file.seek(0)
                _search_lines(name, file, wanted, context, output)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)


def _search_lines(
    name: str, file: BinaryIO, wanted: re.Pattern[bytes], context: int, output: BinaryIO
) -> None:
    before: deque[tuple[int, bytes]] = deque(maxlen=context or None)
    after = number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        line = line.rstrip(b"\r\n")
        if wanted.search(line):
            for earlier in before:
                _write(output, name, *earlier, b"-")
            before.clear()
            _write(output, name, number, line, b":")
            after = context
        elif after:
            _write(output, name, number, line, b"-")
            after -= 1
        elif context:
            before.append((number, line))


def _write(output: BinaryIO, name: str, number: int, line: bytes, sign: bytes) -> None:
    if len(line) > MAX_COLUMNS:
        line = line[:MAX_COLUMNS] + " […]".encode()
    output.write(b"%s\0%d%s%s\n" % (name.encode("utf-8", "surrogateescape"), number, sign, line))
    output.flush()
