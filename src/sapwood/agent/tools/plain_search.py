"""A stand-in for ripgrep where it is not installed: a small program of its own.

It writes what ``rg --null --line-number --with-filename`` writes, as far as ``grep`` reads it. A
process can be ended in the middle of an expression that backtracks for ever; a thread cannot.

    python -m sapwood.agent.tools.plain_search '{"pattern": …, "target": …}'
"""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from sapwood.agent.tools.walk import walk

MAX_COLUMNS = 500
BAD_PATTERN = 2
_MAX_LINE = 1 << 20


def main(options: dict[str, Any], output: BinaryIO) -> int:
    """Search ``options["target"]`` (a file, or ``.``); 0 = found, 1 = not, 2 = bad pattern."""
    source = re.escape(options["pattern"]) if options["literal"] else options["pattern"]
    try:
        wanted = re.compile(source.encode(), re.IGNORECASE if options["ignore_case"] else 0)
    except re.error as error:
        print(f"not a valid pattern: {error}", file=sys.stderr)
        return BAD_PATTERN
    found = False
    for name in _files(options["target"]):
        found = _search(name, wanted, options["context"], output) or found
    return 0 if found else 1


def _files(target: str) -> Iterable[str]:
    if target != ".":
        return [target]
    return (path for path, is_folder in walk(Path.cwd()) if not is_folder)


def _search(name: str, wanted: re.Pattern[bytes], context: int, output: BinaryIO) -> bool:
    path = Path(name)
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            if b"\0" in file.read(8192):
                return False
            file.seek(0)
            return _search_lines(name, file, wanted, context, output)
    except OSError as error:
        print(f"{name}: {error.strerror}", file=sys.stderr)
        return False


def _search_lines(
    name: str, file: BinaryIO, wanted: re.Pattern[bytes], context: int, output: BinaryIO
) -> bool:
    before: deque[tuple[int, bytes]] = deque(maxlen=context or None)
    after = 0
    found = False
    number = 0
    while line := file.readline(_MAX_LINE):
        number += 1
        line = line.rstrip(b"\r\n")
        if wanted.search(line):
            for earlier in before:
                _write(output, name, *earlier, b"-")
            before.clear()
            _write(output, name, number, line, b":")
            found, after = True, context
        elif after:
            _write(output, name, number, line, b"-")
            after -= 1
        elif context:
            before.append((number, line))
    return found


def _write(output: BinaryIO, name: str, number: int, line: bytes, sign: bytes) -> None:
    if len(line) > MAX_COLUMNS:
        line = line[:MAX_COLUMNS] + " […]".encode()
    output.write(b"%s\0%d%s%s\n" % (name.encode("utf-8", "surrogateescape"), number, sign, line))
    output.flush()


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1]), sys.stdout.buffer))
