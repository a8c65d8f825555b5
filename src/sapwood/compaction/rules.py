"""What the user laid down: the sentences of their messages that state a rule.

A rule is known by its words, not understood: "always", "never", "must", "from now on", 必须, 不要,
and their kin in some other languages. Strong words make a rule at once; weak ones ("should",
"prefer", an order that holds "each time") too, but they give way first when room runs out. Items
listed under a line such as "Rules:" are rules whatever they say. Questions are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sapwood.compaction.lexicon import Lexicon, Spoken
from sapwood.compaction.sentences import sentences, without_code

_STRONG = Lexicon(
    "always, never, must, mustn't, do not, don't, shall not, may not, may only, only ever, ever, "
    "under no circumstances, no matter what, from now on, going forward, at all times, strictly, "
    "without exception, mandatory, forbidden, prohibited, banned, off limits, off-limits, taboo, "
    "not allowed, is required, are required, make sure, ensure, be sure to, remember to, "
    "keep in mind, only use, use only, rule, constraint, requirement, convention, policy, "
    "refrain from, not without, without my, without asking, unless i say, hands off, "
    "leave alone, stay away from, immer, niemals, nie, muss, müssen, darf nicht, keinesfalls, "
    "auf keinen fall, verboten, toujours, jamais, il faut, interdit, obligatoire, siempre, "
    "nunca, prohibido, obligatorio, debe, всегда, никогда, нельзя, должен, должна, должны, "
    "обязательно, 必须, 务必, 一律, 始终, 永远, 总是, 绝不, 决不, 绝对不, 不要, 禁止, 严禁, "
    "不得, 不准, 不许, 不允许, 请勿, 切勿, 只能, 只准, 只用, 只许, 只允许, 从现在起, 从现在开始, "
    "以后, 今后, 记住, 牢记, 规则, 约定, 规范, 统一, 不可以, 千万别, 先跟我, 先问我, 经我同意, "
    "必ず, 絶対, 常に, しないで, 使わないで, してはいけ, べき, 항상, 절대, 반드시, 하지 마",
    also=r"别(?:用|动|改|碰|再|加|删|提交|忘|在|把)|\bno\s+(?:new|more|external|third.party|global|further)\b"
    r"|\b(?:all|every|each|any)\s+\S+.{0,60}\b(?:needs?|has to|have to|are|is|gets?|goes?|carry)\b"
    r"|\bonly\b.{1,40}\bmay\b|\bonly\s*[.!]?$|所有.{0,40}都|每[个次].{0,30}都|不能(?:低于|超过|少于|多于)",
)
_WEAK = Lexicon(
    "should, shouldn't, prefer, preferably, avoid, stick to, stick with, instead of, "
    "rather than, need to, needs to, have to, has to, ought to, at most, at least, no more than, "
    "unless, whenever, please use, please keep, please write, please answer, please reply, "
    "please put, please name, please limit, i want, i'd like, i like, i prefer, i expect, bitte, "
    "sollte, prefiero, 应该, 应当, 优先, 避免, 尽量, 保持, 不能, 每次, 都要, 都得, 不超过, 最多, "
    "至少, 请用, 我希望, 我要求, てください",
    also=r"^(?:use|keep|run|write|answer|reply|follow|leave|treat|name|put|ask|commit|format|limit|stay"
    r"|target|support|store|log|document|test|check|wrap|pin|spell|indent|call|quote)\b"
    r"|\bas (?:errors?|is|well)\b|一律|先.{1,20}再|使用.{1,20}而不是",
)
_LIST_HEAD = Lexicon(
    "rule, rules, constraints, requirements, conventions, guidelines, preferences, regeln, "
    "règles, reglas, 规则, 约束, 要求, 约定, 规范, 注意事项, ルール"
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)、])\s*(\S.*)$")
MAX_LIST_ITEM = 300
MAX_LIST_HEAD = 80


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of the user's, verbatim."""

    text: str
    strong: bool


def stated_rules(text: str) -> list[Rule]:
    """The rules in one message of the user's, in order, each once."""
    found = {rule.text: rule for rule in _listed_rules(text)}
    for sentence in sentences(text):
        if sentence.endswith(("?", "？")):
            continue
        said = Spoken(sentence)
        if _STRONG.is_in(said):
            found.setdefault(sentence, Rule(sentence, True))
        elif _WEAK.is_in(said):
            found.setdefault(sentence, Rule(sentence, False))
    return list(found.values())


def _listed_rules(text: str) -> list[Rule]:
    rules: list[Rule] = []
    in_list = False
    for line in without_code(text).split("\n"):
        item = _ITEM.match(line)
        if in_list and item and len(item[1]) <= MAX_LIST_ITEM:
            rules.append(Rule(item[1].strip(), True))
        elif head := line.strip():
            is_head = head.endswith((":", "：")) and len(head) <= MAX_LIST_HEAD
            in_list = is_head and _LIST_HEAD.is_in(Spoken(head))
    return rules
