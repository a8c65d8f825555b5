"""Golden files whose answer differs on purpose, and why; every other one must match."""

from __future__ import annotations

_ANSWERS = "malformed content counts as far as it can be read; the reference throws"
_NO_ID = "a line without a string id is no entry: it is counted, and kept in the file (2)"

DIFFERENCES: dict[str, str] = {
    "edge-bom-header": "a byte order mark before the header is accepted (1)",
    "edge-dup-sibling": "an entry whose id was used again is drawn once, without children (2)",
    "edge-two-cycle": "a cycle is cut at its first entry and drawn, not dropped (2)",
    "edge-empty-object-last": _NO_ID,
    "edge-missing-id-last": _NO_ID,
    "edge-numeric-ids": _NO_ID,
    "edge-numeric-vs-string-id": _NO_ID,
    "edge-scalar-last": _NO_ID,
    "edge-scalar-lines": _NO_ID,
    "edge-comp-unknown": "an unknown kept boundary falls back to the last user turn (3)",
    "edge-edit-bare-string": "an edit without content changes nothing and is reported",
    "edge-edit-no-replacement-key": "an edit without content changes nothing and is reported",
    "edge-edit-number-content": "an edit without content changes nothing and is reported",
    "edge-message-missing": "an entry without a message is reported; the reference throws",
    "edge-message-null": "an entry without a message is reported; the reference throws",
    "edge-args-missing": _ANSWERS,
    "edge-args-null": _ANSWERS,
    "edge-assistant-string-content": _ANSWERS,
    "edge-assistant-text-missing": _ANSWERS,
    "edge-comp-system-null-content": _ANSWERS,
    "edge-user-null-block": _ANSWERS,
    "edge-user-object-content": _ANSWERS,
    "list": "what can be opened is listed, and nothing else; the other rows are equal",
    "edge-name-number": "a name that is no text counts as none; the reference throws",
}
"""Name of the golden file (without `.expected.json`) → why our answer is another.

The number in brackets is the point of "Better than the reference" in docs/differences-from-pi.md.
"""
