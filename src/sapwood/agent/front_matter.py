"""The head of a Markdown file: ``---``, fields, ``---``, and then the text. Pure.

Of YAML it reads what such heads are made of: one field a line, plain or quoted, wrapped or as a
block (``|``, ``>``). A plain value may hold a colon, which people write and strict YAML refuses.
Lists and nested fields come out as texts that nobody asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEAD = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"([\w-]+):(?:[ \t]+|$)(.*)")
_BLOCK = re.compile(r"([|>])[+-]?\d?[+-]?(?:\s+#.*)?")
_COMMENT = re.compile(r"\s+#.*")
_ESCAPES = {"n": "\n", "t": "\t"}


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields of the head, and the text below it; no fields where there is no whole head."""
    text = text.replace("\r\n", "\n")
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    return dict(_fields(head[1].split("\n"))), text[head.end() :]


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    start = 0
    while start < len(lines):
        found = _FIELD.fullmatch(lines[start])
        end = start + 1
        while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t"):
            end += 1
        if found is not None:
            yield found[1], _value(found[2].strip(), lines[start + 1 : end])
        start = end


def _value(first: str, below: list[str]) -> str:
    """A field's value from what stands behind its colon and the indented lines that follow."""
    block = _BLOCK.fullmatch(first)
    if block is not None:
        margin = min((len(line) - len(line.lstrip()) for line in below if line.strip()), default=0)
        dedented = "\n".join(line[margin:] for line in below).strip("\n")
        return dedented if block[1] == "|" else _folded(dedented.split("\n"))
    value = _folded([first, *below])
    if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
        return re.sub(r"\\(.)", lambda each: _ESCAPES.get(each[1], each[1]), value[1:-1])
    if value[:1] == "'" and value[-1:] == "'" and len(value) > 1:
        return value[1:-1].replace("''", "'")
    return _COMMENT.sub("", value)


def _folded(lines: list[str]) -> str:
    """Lines as one paragraph; an empty line between two stays a line break."""
    text = "\n".join(line.strip() for line in lines).strip("\n")
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text).strip()
