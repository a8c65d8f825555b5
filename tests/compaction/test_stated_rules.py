"""Rules are found in what the user wrote, verbatim, in several languages; other talk is not."""

from __future__ import annotations

import pytest

from sapwood.compaction.rules import stated_rules


@pytest.mark.parametrize(
    "rule",
    [
        "Never commit without running the tests.",
        "You must not touch the vendored code.",
        "From now on use pnpm.",
        "Don't add dependencies.",
        "Please answer in French.",
        "Use tabs for indentation.",
        "Only Anna may merge.",
        "Every module needs a docstring.",
        "Ändere niemals die öffentliche Schnittstelle.",
        "N'utilise jamais de variables globales.",
        "不要修改配置文件。",
        "所有接口都要有测试。",
        "以后提交信息用英文。",
        "テストは必ず実行してください。",
    ],
)
def test_a_rule_is_found_verbatim(rule: str) -> None:
    text = f"I had a look at the parser yesterday. {rule}\nThe weather is nice."
    assert [found.text for found in stated_rules(text)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "Fix the parser.",
        "Why does it never stop?",
        "The build took ten minutes.",
        "```\n# always do this\n```",
        "> you must quote me",
        "看一下这个文件。",
    ],
)
def test_other_talk_is_no_rule(text: str) -> None:
    assert stated_rules(text) == []


def test_items_under_a_heading_for_rules_are_rules_whatever_they_say() -> None:
    text = "Some rules:\n- four spaces\n- short names\n\nNow fix the bug."
    assert [rule.text for rule in stated_rules(text)] == ["four spaces", "short names"]
