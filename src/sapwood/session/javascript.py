"""Where JavaScript answers differently from Python, as far as session files show it.

The format was defined by a JavaScript program, so its rules are part of the format: what ``trim``
removes, how numbers are written, which keys an object lists first, how dates are read.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isfinite, nan
from typing import Any

WHITESPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What ``String.prototype.trim`` removes: U+FEFF is in, U+0085 and U+001C-1F are not."""

MAX_SAFE_INTEGER = 2**53 - 1
MAX_DATE = 8.64e15
"""Milliseconds from the epoch beyond which nothing is a date, either way."""
_MAX_ARRAY_INDEX = 2**32 - 2
_DAY_MS = 86_400_000


def trim(text: str) -> str:
    return text.strip(WHITESPACE)


def truthy(value: Any) -> bool:
    """Objects and arrays are true even when empty; NaN is false."""
    return isinstance(value, (dict, list)) or (bool(value) and value == value)


def utf16_order(text: str) -> bytes:
    """Sort key: strings compare by UTF-16 code unit, not by code point."""
    return text.encode("utf-16-be", "surrogatepass")


def is_array_index(key: str) -> bool:
    """Whether an object lists ``key`` before its other keys."""
    return (
        key.isdecimal()
        and key.isascii()
        and (key[0] != "0" or key == "0")
        and len(key) <= 10
        and int(key) <= _MAX_ARRAY_INDEX
    )


def key_order(keys: Iterable[str]) -> list[str]:
    """The order in which an object with these keys, set in this order, lists them."""
    names = list(keys)
    indices = [name for name in names if is_array_index(name)]
    if not indices:
        return names
    return sorted(indices, key=int) + [name for name in names if not is_array_index(name)]


def items(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """``Object.entries``."""
    return [(key, mapping[key]) for key in key_order(mapping)]


def number_text(number: float) -> str:
    """The text ``JSON.stringify`` writes for a number; every number is a double."""
    try:
        value = float(number)
    except OverflowError:
        return "null"
    if not isfinite(value):
        return "null"
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    padded = whole + fraction
    point = len(whole) + int(exponent or 0) - (len(padded) - len(padded.lstrip("0")))
    return sign + _place_point(padded.strip("0"), point)


def _place_point(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    tail = "." + digits[1:] if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def to_number(value: Any) -> float:
    """What a comparison with a number makes of ``value``; NaN where it makes nothing of it."""
    if value is None:
        return 0
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, str):
        return nan
    text = trim(value)
    try:
        return float(text) if text else 0
    except ValueError:
        return nan


_ISO = re.compile(
    r"(\d{4}|[+-]\d{6})(?:-(\d\d)(?:-(\d\d))?)?"
    r"(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LOOSE = (
    re.compile(
        r"(?:[a-z]{3,9},? +)?(?P<month>[a-z]{3,9})\.? +"
        r"(?P<day>\d{1,2}),? +(?P<year>\d{4})(?P<clock>.*)"
    ),
    re.compile(
        r"(?:[a-z]{3,9},? +)?(?P<day>\d{1,2})[ -]+"
        r"(?P<month>[a-z]{3,9})[ -]+(?P<year>\d{4})(?P<clock>.*)"
    ),
    re.compile(r"(?P<month>\d{1,2})[/-](?P<day>\d{1,2})[/-](?P<year>\d{4})(?P<clock>.*)"),
    re.compile(r"(?P<year>\d{4})[/-](?P<month>\d{1,2})[/-](?P<day>\d{1,2})(?P<clock>.*)"),
)
_CLOCK = re.compile(
    r"(?:[ ,]+|t)(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)? *(am|pm)?"
    r" *(z|gmt|utc)? *([+-]\d\d:?\d\d)?(?: *\(.*\))?"
)


def parse_date(value: Any) -> float:
    """``new Date(value).getTime()``: Unix milliseconds, NaN for what is no date.

    A date alone is UTC, a date with a time and no zone is local, null is the epoch. Beside ISO 8601
    the commonest loose forms are read ("Dec 1 2025", "2025-12-01 10:00:00").
    """
    if value is None or isinstance(value, (bool, int, float)):
        number = to_number(value)
        return float(int(number)) if isfinite(number) and abs(number) <= MAX_DATE else nan
    if not isinstance(value, str):
        return nan
    if match := _ISO.fullmatch(value):
        year, month, day, hour, minute, second, fraction, zone = match.groups()
        moment = _moment(year, month or "1", day or "1", hour, minute, second, fraction)
        return _in_zone(moment, "Z" if hour is None else zone)
    return _parse_loose(value.strip().lower())


def _parse_loose(text: str) -> float:
    for form in _LOOSE:
        match = form.fullmatch(text)
        if match is None:
            continue
        month = match["month"]
        if not month.isdigit():
            if month[:3] not in _MONTHS:
                return nan
            month = str(_MONTHS.index(month[:3]) + 1)
        clock = _CLOCK.fullmatch(match["clock"]) if match["clock"].strip() else None
        if clock is None and match["clock"].strip():
            return nan
        hour, minute, second, fraction, half, utc, offset = clock.groups() if clock else (None,) * 7
        if half and hour:
            hour = str(int(hour) % 12 + (12 if half == "pm" else 0))
        moment = _moment(match["year"], month, match["day"], hour, minute, second, fraction)
        return _in_zone(moment, offset or ("Z" if utc else None))
    return nan


def _moment(
    year: str,
    month: str,
    day: str,
    hour: str | None,
    minute: str | None,
    second: str | None,
    fraction: str | None,
) -> float:
    """Milliseconds since the epoch as if the parts were UTC; NaN when a part is out of range."""
    y, m, d = int(year), int(month), int(day)
    h, mi, s = int(hour or 0), int(minute or 0), int(second or 0)
    ms = int((fraction or "0")[:3].ljust(3, "0"))
    if not (1 <= m <= 12 and 1 <= d <= 31 and h <= 24 and mi <= 59 and s <= 59):
        return nan
    if h == 24 and (mi or s or ms):
        return nan
    return days_from_civil(y, m, d) * _DAY_MS + ((h * 60 + mi) * 60 + s) * 1000 + ms


def _in_zone(moment: float, zone: str | None) -> float:
    if moment != moment or zone in ("Z", "z"):
        return moment
    if zone is None:
        return _local_to_utc(moment)
    sign = -1 if zone[0] == "-" else 1
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return moment - sign * minutes * 60_000


def _local_to_utc(moment: float) -> float:
    try:
        parts = time.gmtime(moment / 1000)
        seconds = time.mktime((*parts[:8], -1))
    except (OverflowError, ValueError, OSError):
        return nan
    return seconds * 1000 + moment % 1000


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the proleptic Gregorian calendar; overlong months run on."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return (
        era * 146_097
        + year_of_era * 365
        + year_of_era // 4
        - year_of_era // 100
        + day_of_year
        - 719_468
    )


def iso_timestamp(ms: int) -> str:
    """``new Date(ms).toISOString()``."""
    seconds, millis = divmod(ms, 1000)
    return f"{_iso_seconds(seconds)}.{millis:03d}Z"


@lru_cache(maxsize=4)
def _iso_seconds(seconds: int) -> str:
    t = time.gmtime(seconds)
    return (
        f"{t.tm_year:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}"
        f"T{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}"
    )


def compare_dates(left: float, right: float) -> int:
    """``left - right`` as a sort comparator reads it: NaN counts as equal."""
    return -1 if left < right else 1 if left > right else 0


__all__ = [
    "MAX_DATE",
    "MAX_SAFE_INTEGER",
    "WHITESPACE",
    "compare_dates",
    "days_from_civil",
    "is_array_index",
    "iso_timestamp",
    "items",
    "key_order",
    "number_text",
    "parse_date",
    "to_number",
    "trim",
    "truthy",
    "utf16_order",
]
