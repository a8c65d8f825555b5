"""One line of the file ⇄ one JSON value, exactly as JavaScript reads and writes it.

Reading: orjson, and where it is stricter than ``JSON.parse`` (lone surrogates, invalid UTF-8, huge
numbers) the standard library under the same rules. Writing: orjson, whose output equals that of
``JSON.stringify`` once numbers and integer-like keys are put right; lone surrogates, which it
refuses, take a slow path. Values that come back are plain Python objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Any, NoReturn

import orjson

from sapwood.session.javascript import MAX_SAFE_INTEGER, key_order, number_text
from sapwood.session.schema import Json


def decode_line(line: bytes | memoryview) -> Json:
    """The value of one line. Raises ``ValueError`` for what ``JSON.parse`` refuses."""
    try:
        return orjson.loads(line)
    except ValueError:
        return _decode_exactly(bytes(line))


def encode_line(value: Json) -> bytes:
    """The bytes ``JSON.stringify`` writes for ``value``, in UTF-8, without a line end.

    Raises ``TypeError`` for what is not JSON, ``ValueError`` for what is nested too deeply.
    """
    try:
        return orjson.dumps(value if _is_plain(value) else _put_right(value))
    except (TypeError, RecursionError):  # lone surrogates, or deeper than orjson writes
        return "".join(_write(value)).encode()


def json_text(value: Json) -> str:
    """``JSON.stringify(value)``."""
    return encode_line(value).decode()


def _decode_exactly(line: bytes) -> Json:
    try:
        return json.loads(
            line.decode("utf-8", "replace"), parse_int=_parse_int, parse_constant=_refuse
        )
    except RecursionError:
        raise ValueError("nested too deeply to be read") from None


def _parse_int(literal: str) -> float:
    """Short integers stay integers; longer ones round as doubles do (1e400 becomes infinity)."""
    if len(literal) < 16:
        return int(literal)
    number = float(literal)
    return int(number) if isfinite(number) else number


def _refuse(literal: str) -> NoReturn:
    raise ValueError(f"{literal} is not JSON")


_plain_keys: set[str] = set()
"""Keys that are known not to look like array indices; keeps the check of common shapes short."""
_PLAIN_KEYS_LIMIT = 4096


def _is_plain(value: Any) -> bool:
    """Whether orjson writes ``value`` as JavaScript would. On the way of each append: kept lean."""
    kind = type(value)
    if kind is dict:
        if not value.keys() <= _plain_keys and not _learn_keys(value):
            return False
        values = value.values()
    elif kind is list:
        values = value
    else:
        values = (value,)
    for item in values:
        kind = type(item)
        if kind is str or item is None or kind is bool:
            continue
        if kind is dict or kind is list:
            if not _is_plain(item):
                return False
        elif kind is int:
            if not -MAX_SAFE_INTEGER <= item <= MAX_SAFE_INTEGER:
                return False
        elif kind is not float or not 1e-4 <= abs(item) < 1e15 or item.is_integer():
            return False
    return True


def _learn_keys(mapping: dict[str, Any]) -> bool:
    """Whether no key looks like an array index; remembers keys of that kind."""
    if any(key[:1].isdigit() for key in mapping):
        return False
    if len(_plain_keys) + len(mapping) > _PLAIN_KEYS_LIMIT:
        _plain_keys.clear()
    _plain_keys.update(mapping)
    return True


def _put_right(value: Any) -> Any:
    """A copy in which numbers and key order are those of JavaScript."""
    if isinstance(value, dict):
        return {key: _put_right(value[key]) for key in key_order(value)}
    if isinstance(value, (list, tuple)):
        return [_put_right(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return orjson.Fragment(number_text(value))
    return value


_DEPTH = 1024  # as deep as orjson reads
_SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
_ESCAPED = re.compile('[\x00-\x1f"\\\\\ud800-\udfff]')
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _join(pair: re.Match[str]) -> str:
    """Two lone halves that meet are one character to JavaScript."""
    return pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _escape(char: re.Match[str]) -> str:
    code = ord(char[0])
    return _SHORT.get(code) or f"\\u{code:04x}"


def _write_string(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, _PAIR.sub(_join, text))}"'


class _Mark(str):
    """Punctuation between values that are still to be written."""

    __slots__ = ()


def _write(value: Any) -> Iterator[str]:
    """The pieces of the text, without recursion."""
    stack = [value]
    depth = 0
    while stack:
        item = stack.pop()
        if isinstance(item, _Mark):
            depth -= item in "]}"
            yield item
        elif isinstance(item, str):
            yield _write_string(item)
        elif item is None or item is True or item is False:
            yield {None: "null", True: "true", False: "false"}[item]
        elif isinstance(item, (int, float)):
            yield number_text(item)
        else:
            depth += 1
            if depth > _DEPTH:
                raise ValueError("nested too deeply")
            stack.extend(reversed(_parts(item)))


def _parts(value: Any) -> list[Any]:
    """A list or object as marks and values in the order they are written."""
    parts: list[Any] = []
    if isinstance(value, (list, tuple)):
        for item in value:
            parts += (_Mark(","), item)
        return [_Mark("["), *parts[1:], _Mark("]")]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        for key in key_order(value):
            parts += (_Mark(","), key, _Mark(":"), value[key])
        return [_Mark("{"), *parts[1:], _Mark("}")]
    raise TypeError(f"{type(value).__name__} is not JSON")


__all__ = ["decode_line", "encode_line", "json_text"]
