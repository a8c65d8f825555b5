"""Any JSON value is written as JavaScript writes it and reads back as what JavaScript reads."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.session.codec import decode_line, encode_line
from support.canonical import js_dumps, js_loads

KEYS = st.text(max_size=8) | st.integers(0, 2**33).map(str) | st.sampled_from(["01", "-1", "²", ""])
TEXTS = st.text(max_size=20) | st.text(
    st.sampled_from(["\ud83d", "\ude00", "a", "\u2028", "\x7f", "\x1f", "\\", '"', "é"]), max_size=8
)
NUMBERS = (
    st.integers(-(2**70), 2**70) | st.floats() | st.sampled_from([1.0, -0.0, 1e21, 1e-7, 1e16])
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


def joined(value: Any) -> Any:
    """The value with surrogate halves that meet made one character, as in JavaScript strings."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {joined(key): joined(item) for key, item in value.items()}
    return value


@settings(max_examples=500, deadline=None)
@given(VALUES)
def test_values_are_written_as_javascript_writes_them(value: Any) -> None:
    assert encode_line(value).decode() == js_dumps(joined(value))


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_what_was_written_reads_back_and_is_written_the_same(value: Any) -> None:
    line = encode_line(value)
    assert js_dumps(decode_line(line)) == js_dumps(js_loads(line.decode()))
    assert encode_line(decode_line(line)) == line


@given(st.integers(0, 1020), st.booleans())
def test_what_is_deep_can_be_written_as_far_as_it_can_be_read(depth: int, objects: bool) -> None:
    line = b'{"a":' * depth + b"1.0" + b"}" * depth if objects else b"[" * depth + b"]" * depth
    value = decode_line(line or b"[]")
    assert encode_line(value) == (line or b"[]").replace(b"1.0", b"1")
