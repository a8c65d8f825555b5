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


@pytest.mark.parametrize(
    "head",
    [
        "Hey. We move the invoices out. Some ground rules before we start:",
        "帮我查一下线上的问题。先说几条：",
    ],
)
def test_the_line_above_a_list_may_say_more_than_that_rules_follow(head: str) -> None:
    rules = stated_rules(f"{head}\n\n1. 回答简短\n2. green lint per step\n\nStart with the models.")
    assert [rule.text for rule in rules] == ["回答简短", "green lint per step"]


@pytest.mark.parametrize(
    "text",
    [
        "Run the search tests real quick.",
        "Write the manual now.",
        "特别是这个文件。",
        "区别在哪里",
        "看看别的文件",
    ],
)
def test_an_order_for_once_is_no_rule(text: str) -> None:
    assert stated_rules(text) == []


def test_an_order_that_holds_each_time_is_a_rule() -> None:
    for text in (
        "Run the tests before each commit.",
        "另外别跑压测。",
        "Write comments in English.",
    ):
        assert [rule.text for rule in stated_rules(text)] == [text]


def test_a_refusal_brings_what_it_refuses() -> None:
    text = (
        "stop should round up to 5 minutes. hmm no, round to nearest 5. " + "And more talk. " * 30
    )
    assert [rule.text for rule in stated_rules(text)] == [
        "stop should round up to 5 minutes. hmm no, round to nearest 5."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I talked to finance. No YAML file after all: rates go into a table. Drop the YAML.",
        "MSRV 提到 1.73 吧，下游都已经是 1.75 了。之前说的 1.70 作废。",
        "forget the table, report is CSV by default",
    ],
)
def test_a_short_message_that_takes_something_back_stands_as_a_whole(text: str) -> None:
    assert [rule.text for rule in stated_rules(text)] == [text]


def test_numbers_are_no_list_marks() -> None:
    assert stated_rules("0.5.40 must stay.")[0].text == "0.5.40 must stay."


def test_a_correction_leaves_the_rule_before_it_standing() -> None:
    text = "Never touch vendor. Use a table instead. " + "And more talk. " * 30
    assert [rule.text for rule in stated_rules(text)] == [
        "Never touch vendor.",
        "Use a table instead.",
    ]
