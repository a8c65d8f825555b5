"""What counts as a decision or as open work, in wordings that nobody planted."""

from __future__ import annotations

import pytest

from sapwood.compaction.extract import extract
from sapwood.compaction.sections import Section, read_items
from support.message_makers import assistant


def found(text: str, section: Section) -> list[str]:
    return read_items(extract([assistant(text)]))[section]


@pytest.mark.parametrize(
    "text",
    [
        "I switched the client to httpx because requests has no HTTP/2.",
        "We keep the old table until May.",
        "I kept the signature unchanged so that callers need no edit.",
        "The cache is now in Redis rather than in memory.",
        "I went for a bitmap index.",
        "Postgres stays, SQLite cannot do concurrent writes.",
        "我把超时设成 800ms，因为上游偶尔会抖动。",
        "没有用 ORM，直接写 SQL，性能更好。",
        "最终没有上 Kafka，量太小。",
    ],
)
def test_a_decision(text: str) -> None:
    assert found(text, Section.DECISIONS) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "The drop-down stays open.",
        "He decided to leave early, says the log.",
        "I'll read the file first.",
        "The user can choose a colour.",
        "The function returns a decision tree.",
        "I could use a queue instead.",
        "If we switch to X, we lose Y.",
        "选择器里有三个选项。",
        "方案如下：",
        "The request was dropped.",
        "Let me decide after reading.",
    ],
)
def test_no_decision(text: str) -> None:
    assert found(text, Section.DECISIONS) == []


@pytest.mark.parametrize(
    "text",
    [
        "The docs still have to be written.",
        "Not covered yet: error paths.",
        "I haven't touched the migrations.",
        "Left for tomorrow: the flaky test.",
        "What's missing is a changelog entry.",
        "You still need to rotate the key.",
        "The Windows build is untested.",
        "还差一个回滚脚本。",
        "文档还没写。",
        "剩余两个用例没跑。",
        "日志那块先不动，等你确认。",
        "TODO: remove the shim",
    ],
)
def test_open_work(text: str) -> None:
    assert found(text, Section.NEXT_STEPS) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "After that, the test passed.",
        "The remaining time is 5 s.",
        "Later versions support this.",
        "This is not yet another framework.",
        "之后再跑就通过了。",
        "还有三个文件是空的。",
        "The next step of the algorithm is a sort.",
    ],
)
def test_no_open_work(text: str) -> None:
    assert found(text, Section.NEXT_STEPS) == []
