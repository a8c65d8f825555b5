"""Any byte string as a file: a session or one clear error, and not a byte changed by opening."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from sapwood.context.projection import project
from sapwood.errors import SapwoodError
from sapwood.session import SessionManager
from support.message_makers import assistant, user

IDS = st.sampled_from(["a", "b", "c", "d", "", None, 5, "\ud800", ["a"]])
ENTRIES = st.fixed_dictionaries(
    {"type": st.sampled_from(["message", "compaction", "label", "context_edit", "session_info",
                              "custom_message", "session", "branch_summary", "new", None])},
    optional={
        "id": IDS, "parentId": IDS, "targetId": IDS, "firstKeptEntryId": IDS,
        "firstKeptEntryIndex": st.integers(-2, 9) | st.floats() | st.none(),
        "timestamp": st.sampled_from(["2026-01-01T00:00:00.000Z", "bad", None, 3, []]),
        "message": st.sampled_from([user("x"), assistant("y"), user(None), None, 5,
                                    {"role": "hookMessage", "content": "z"}, {"role": 3}]),
        "label": st.sampled_from(["l", "", None, 3]), "name": st.sampled_from(["n", 5, None]),
        "summary": st.sampled_from(["s", None, 5]), "content": st.sampled_from(["c", [], None, 5]),
        "replacement": st.sampled_from([None, {"content": "r"}, {"content": 5}, 5]),
    },
)  # fmt: skip
HEADERS = st.builds(
    lambda version: {"type": "session", "id": "x", **version},
    st.sampled_from([{}, *({"version": v} for v in (0, 1, 2, 2.5, 3, "3", 4, None, [], 1e300))]),
)


def line(value: Any) -> bytes:
    return json.dumps(value).encode()


LINES = (
    st.builds(line, ENTRIES)
    | st.builds(line, HEADERS)
    | st.builds(lambda value, cut: line(value)[:cut], ENTRIES, st.integers(0, 80))
    | st.binary(max_size=40)
    | st.sampled_from(
        [
            b"",
            b"",
            b"5",
            b"{}",
            b'{"id":"a"}{"id":"b"}',
            b'{"id":"a",',
            b'"x":"b"}',
            b"null",
            b"NaN",
            b"[",
            b"\xe2\x80\xa8",
            b"\xef\xbb\xbf",
        ]
    )
)
FILES = st.binary(max_size=300) | st.builds(
    lambda header, lines, ending, bom: bom + b"\n".join([line(header), *lines]) + ending,
    HEADERS,
    st.lists(LINES, max_size=25),
    st.sampled_from([b"", b"\n", b"\r\n", b"\n{\"type\":", b"\xff"]),
    st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(FILES)
def test_any_bytes_open_as_a_session_or_are_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.jsonl"
        path.write_bytes(data)
        try:
            manager = SessionManager.open(path)
        except SapwoodError as error:
            refusal = str(error)
        else:
            refusal = ""
            with manager:
                use(manager, data)
        if refusal:
            assert "\n" not in refusal
            assert path.read_bytes() == data


def use(manager: SessionManager, data: bytes) -> None:
    """Read all there is, then append; what was in the file stays in it."""
    assert manager.path is not None
    look_at_everything(manager)
    old = "old-version" in {found.kind for found in manager.diagnostics}
    assert manager.path.read_bytes() == data
    if manager.read_only:
        return
    stored = data.split(b"\n")
    for entry in manager.get_entries():
        assert entry.data["id"] == entry.id
        assert old or stored[entry.line - 1] == entry.raw
    ids = [entry.id for entry in manager.get_entries()]
    added = manager.append_message(user("next"))
    written = manager.path.read_bytes()
    assert written.endswith(b"\n")
    if not old:
        assert written.startswith(data)
    with SessionManager.open(manager.path, writer="none") as again:
        assert [entry.id for entry in again.get_entries()] == [*ids, added]


def look_at_everything(manager: SessionManager) -> None:
    tree = manager.tree
    stack = tree.nodes()
    drawn = 0
    while stack:
        node = stack.pop()
        drawn += 1
        stack.extend(node.children)
    assert drawn == len(tree.entries)
    for entry in tree.entries:
        path = tree.path(entry.id)
        assert len({each.id for each in path}) == len(path)
        assert isinstance(entry.data, dict)
        assert len(project(tree, entry.id).messages) <= 2 * len(path) + 1
    assert tree.name is None or tree.name
    assert all(label.text for label in tree.labels.values())
    list(manager.path_lines())
    assert len(list(manager.lines())) >= len(tree.entries) + 1
