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


@pytest.mark.parametrize(
    "text",
    [
        "I always get a 404 when I open the page.",
        "It never finishes on my machine.",
        "I don't understand why this works.",
        "It doesn't matter.",
        "I don't know, you decide.",
        "Every time I run it, it prints nothing.",
        "Each request is logged twice.",
        "All tests are green now, thanks!",
        "You must be joking.",
        "This should work, but it does not.",
        "I should mention that Bob wrote this.",
        "Keep going.",
        "Actually it works now.",
        "Wait, I found it.",
        "No, that's fine.",
        "Commit this.",
        "Check the logs.",
        "Put it in utils.py.",
        "Ask Bob if you are stuck.",
        "Test it.",
        "Thanks, that is exactly what I wanted.",
        "At least it compiles.",
        "We need to find out why it crashes.",
        "The build has been broken ever since.",
        "我不要这个结果，再试一次",
        "以后再说",
        "不能运行，报错了",
        "总是超时",
        "这个函数应该没问题",
        "不行，还是报错",
        "统一登录那块坏了",
        "可以，就这样",
    ],
)
def test_what_only_tells_how_things_are_is_no_rule(text: str) -> None:
    assert stated_rules(text) == []


@pytest.mark.parametrize(
    "rule",
    [
        "Use 2 spaces for indentation everywhere.",
        "Don't commit directly to main.",
        "Whatever you do, leave the migrations alone.",
        "Responses in German please.",
        "Keep the diff small.",
        "No emojis.",
        "Write tests first.",
        "Please don't add comments that restate the code.",
        "I prefer small commits.",
        "Stay on Python 3.9.",
        "We deploy on Fridays, so nothing risky on Thursdays.",
        "Docs must be updated with each change.",
        "Only touch files under src/api.",
        "Let's not use any ORM.",
        "You can edit everything except config/.",
        "Ask before installing packages.",
        "Run prettier before you commit.",
        "改代码之前先跑测试",
        "提交前要跑 lint",
        "别动 package-lock.json",
        "只改后端，不碰前端",
        "变量名用英文",
        "注释写中文",
        "不引入新的依赖",
        "最多改三个文件",
        "接口要向后兼容",
        "请不要直接推到 main",
        "No, it should be blue.",
        "It must never block.",
        "It needs to be fast.",
        "Before the backfill ask me, I need to tell the tax advisor.",
    ],
)
def test_what_shall_hold_is_a_rule_in_many_wordings(rule: str) -> None:
    assert [found.text for found in stated_rules(rule)] == [rule]


def test_the_middle_of_a_paste_states_no_rules() -> None:
    pasted = "\n".join(f"The caller must check code {number}." for number in range(3000))
    text = f"Never touch vendor.\n{'x ' * 4000}\n{pasted}\n{'x ' * 4000}\nAlways answer in verse."
    assert [rule.text for rule in stated_rules(text)] == [
        "Never touch vendor.",
        "Always answer in verse.",
    ]
