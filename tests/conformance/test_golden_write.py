"""Series of manager calls give the bytes that the reference wrote for them."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from sapwood.errors import SapwoodError
from sapwood.session import UNSET, SessionManager
from sapwood.session.origin import Origin

GOLDEN = Path(__file__).parent.parent / "golden" / "sessions"
SCRIPTS = sorted(GOLDEN.glob("write-*.json"))
START_MS = 1_767_323_045_678  # 2026-01-02T03:04:05.678Z

METHODS = {
    "appendMessage": "append_message",
    "appendCustomMessageEntry": "append_custom_message",
    "appendModelChange": "append_model_change",
    "appendThinkingLevelChange": "append_thinking_level_change",
    "appendUsage": "append_usage",
    "appendCompaction": "append_compaction",
    "branchWithSummary": "branch_with_summary",
    "appendContextEdit": "append_context_edit",
    "appendLabelChange": "append_label_change",
    "appendSessionInfo": "append_session_info",
    "appendCustomEntry": "append_custom_entry",
    "branch": "branch",
    "resetLeaf": "reset_leaf",
    "createBranchedSession": "create_branched_session",
}


class Script:
    """Plays one script; ``$k`` is what call k returned."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results: list[Any] = []
        entry_ids, session_ids = itertools.count(1), itertools.count(1)
        self.origin = Origin(
            now=lambda: START_MS + 1000 * len(self.results),
            entry_id=lambda: f"{next(entry_ids):08x}",
            session_id=lambda: f"SID{next(session_ids)}",
        )
        self.manager: SessionManager | None = None

    def argument(self, value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch(r"\$\d+", value):
            return self.results[int(value[1:])]
        if value == {"$undefined": True}:
            return UNSET
        return value

    def call(self, op: str, args: list[Any]) -> Any:
        if op == "create":
            cwd, session_id, parent = [*args, None, None][:3]
            self.manager = SessionManager.create(
                cwd, self.folder, id=session_id, parent_session=parent, origin=self.origin
            )
            return self.manager.session_id
        assert self.manager is not None
        return getattr(self.manager, METHODS[op])(*map(self.argument, args))

    def play(self, op: str, args: list[Any]) -> dict[str, Any]:
        try:
            result = self.call(op, args)
            outcome = {} if result is None else {"result": self.outward(result)}
        except SapwoodError:
            result, outcome = None, {"error": True}
        self.results.append(result)
        assert self.manager is not None
        files = len(list(self.folder.glob("*.jsonl"))) if self.folder.exists() else 0
        return {"op": op, **outcome, "leaf": self.manager.get_leaf(), "files": files}

    def outward(self, value: Any) -> Any:
        return str(value).replace(str(self.folder.parent), "$TMP").replace("SID", "$SID")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_of_calls_writes_the_reference_bytes(script: Path, tmp_path: Path) -> None:
    golden = json.loads(script.read_text("utf-8"))
    player = Script(tmp_path / "s")
    for step, (op, want) in enumerate(
        zip(golden["request"]["ops"], golden["expected"]["log"], strict=True)
    ):
        want = {**want, "error": True} if "error" in want else want
        assert player.play(op["op"], op["args"]) == want, f"call {step}"

    written = {
        player.outward(path.name): player.outward(path.read_bytes().decode())
        for path in player.folder.glob("*.jsonl")
    }
    assert written == golden["expected"]["files"]
