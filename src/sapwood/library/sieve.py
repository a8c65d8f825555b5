"""Which lines of session files may hold some words, told from their bytes and without decoding.

A file is lowered and searched in blocks of whole lines; only lines that hold everything that the
words must look like are given out. That is as fast as reading from memory (160 MB in a quarter of a
second), which is why there is no index: nothing to build, to store, to bound, to repair.

A line passes if any writer of JSON may have written the words in it: letters beyond ASCII stand for
themselves or as ``\\uXXXX``, in either case. (A writer that escapes plain letters is not known.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sapwood.errors import SessionError
from sapwood.session.source import MAX_LINE, FileSource

BLOCK = 4 * 1024 * 1024
"""Bytes read at once."""

_PLAIN = re.compile(r"[ !#-%(-.0-;=?-\[\]-~]+")
"""What no writer escapes: ASCII without quotes, slashes, ``<``, ``>``, ``&`` and controls."""

_SHORT = {"\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
_MORE_CAPITALS = {"å": "\u212b", "ω": "\u2126", "θ": "\u03f4", "ß": "\u1e9e"}
"""Capitals beside the usual one; lowered they are the same letter."""


def lower(text: str) -> str:
    """``text`` in lower case, letter by letter, so that places in both are the same."""
    if "İ" in text:  # the only letter that grows
        return "İ".join(part.lower() for part in text.split("İ"))
    return text.lower()


class Sieve:
    """Holds lines back that cannot have all of ``words``, which are in lower case."""

    def __init__(self, words: Sequence[str]) -> None:
        pieces = {piece for word in words for piece in _PLAIN.findall(word)}
        self._pieces = sorted((piece.encode() for piece in pieces), key=len, reverse=True)
        odd = [word for word in words if not _PLAIN.fullmatch(word)]
        self._letters = [_looks(letter) for letter in set(_PLAIN.sub("", "".join(odd)))]
        self._patterns = [re.compile(b"".join(map(_either, word))) for word in odd]

    def lines(self, source: FileSource) -> Iterator[bytes]:
        """The lines of a file that may hold the words, in order, without line ends.

        Raises ``SessionError`` for a file that cannot be read to its end.
        """
        for block in _blocks(source):
            small = block.lower()
            if self._may_hold(small):
                yield from self._pick(block, small)

    def _may_hold(self, small: bytes) -> bool:
        """Whether all pieces and letters are there, which is quick to tell."""
        return all(piece in small for piece in self._pieces) and all(
            any(look in small for look in looks) for looks in self._letters
        )

    def _pick(self, block: bytes, small: bytes) -> Iterator[bytes]:
        start = 0
        while start < len(block):
            if self._pieces:
                found = small.find(self._pieces[0], start)
                if found < 0:
                    return
                start = small.rfind(b"\n", start, found) + 1 or start
            end = small.find(b"\n", start)
            end = end if end >= 0 else len(block)
            line = small[start:end]
            if self._may_hold(line) and all(each.search(line) for each in self._patterns):
                yield block[start:end]
            start = end + 1


def _either(letter: str) -> bytes:
    """A pattern for all looks of a letter."""
    if _PLAIN.fullmatch(letter):
        return re.escape(letter).encode()
    return b"(?:" + b"|".join(map(re.escape, _looks(letter))) + b")"


def _looks(letter: str) -> list[bytes]:
    """How JSON may write a letter that is not plain, lowered byte by byte."""
    looks = {f"\\{_SHORT.get(letter, letter)}".encode()} if letter.isascii() else set()
    for each in {letter, letter.upper(), letter.title(), _MORE_CAPITALS.get(letter, letter)}:
        looks.add(each.encode("utf-8", "surrogatepass").lower())
        units = each.encode("utf-16-be", "surrogatepass").hex()
        looks.add("".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)).encode())
    return sorted(looks)


def _blocks(source: FileSource) -> Iterator[bytes]:
    """The file in pieces that end where lines end."""
    rest: list[bytes] = []
    held = offset = 0
    size = source.stat().st_size
    while data := source.read_some(offset, min(BLOCK, max(size - offset, 4096))):
        offset += len(data)
        end = data.rfind(b"\n") + 1
        if end:
            yield b"".join([*rest, data[:end]]) if rest else data[:end]
            rest, held = [], 0
        if end < len(data):
            rest.append(data[end:])
            held += len(data) - end
        if held > MAX_LINE:
            raise SessionError(f"{source.path}: it has a line of more than {MAX_LINE >> 20} MiB.")
    if rest:
        yield b"".join(rest)
