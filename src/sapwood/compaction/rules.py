"""What the user laid down: the sentences of their messages that state a rule or take one back.

A rule is known by its words, not understood: "always", "never", "must", "from now on", 必须, 不要,
and their kin in some other languages. Strong words make a rule at once; weak ones ("should",
"prefer", an order that holds "each time") too, but they give way first when room runs out. Items
listed under a line such as "Rules:" are rules whatever they say. Questions are none.

What takes something back ("forget the table", "no, to the nearest 5", 作废, 改成) stands among the
rules with what it corrects, so that whoever reads them in order knows which one holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sapwood.compaction.lexicon import Lexicon, Spoken
from sapwood.compaction.sentences import ends, sentences, without_code

_STRONG = Lexicon(
    "always, never, must, mustn't, do not, don't, shall not, may not, may only, only ever, "
    "under no circumstances, no matter what, whatever you do, from now on, going forward, "
    "at all times, strictly, without exception, mandatory, forbidden, prohibited, banned, "
    "off limits, off-limits, taboo, not allowed, is required, are required, make sure, ensure, "
    "be sure to, remember to, keep in mind, only use, use only, rule, constraint, requirement, "
    "convention, policy, refrain from, not without, without my, without asking, unless i say, "
    "hands off, leave alone, stay away from, ask me, let's not, immer, niemals, nie, muss, "
    "müssen, darf nicht, keinesfalls, auf keinen fall, verboten, toujours, jamais, il faut, "
    "interdit, obligatoire, siempre, nunca, prohibido, obligatorio, debe, всегда, никогда, "
    "нельзя, должен, должна, должны, обязательно, 必须, 务必, 一律, 始终, 永远, 绝不, 决不, "
    "绝对不, 不要, 禁止, 严禁, 不得, 不准, 不许, 不允许, 请勿, 切勿, 只能, 只准, 只用, 只许, "
    "只允许, 只读, 从现在起, 从现在开始, 以后, 今后, 记住, 牢记, 规则, 约定, 规范, 不可以, "
    "先跟我, 先问我, 经我同意, "
    "必ず, 絶対, 常に, しないで, 使わないで, してはいけ, べき, 항상, 절대, 반드시, 하지 마",
    also=r"(?<![特区差分类级性识个辨鉴告派各])别(?![的人处名墅致离称])"
    r"|\bno\s+(?:new|more|external|third.party|global|further)\b"
    r"|^only\b|\bleave\b.{1,60}\balone\b"
    r"|\b(?:all|every|each|any)\s+\S+.{0,60}\b(?:needs?|has to|have to|goes|go|carry)\b"
    r"|\bonly\b.{1,40}\bmay\b|\bonly\s*[.!]?$|不能(?:低于|超过|少于|多于)"
    r"|(?:所有.{0,40}|每[个次].{0,30})都(?:要|得|必须|应|用|写)"
    r"|总是(?:要|用|先)|统一(?:用|使用|成|放|写)"
    r"|(?:^|[，,；;、\s])(?:也|都)?(?:不(?:碰|动|改|引入|使用|写)|只(?:改|动|碰|写))",
)
_WEAK = Lexicon(
    "should, shouldn't, prefer, preferably, avoid, stick to, stick with, instead of, "
    "rather than, need to, needs to, have to, has to, ought to, no more than, "
    "unless, whenever, except, please use, please keep, please answer, please reply, "
    "please name, please limit, i want, i'd like, i like, i prefer, i expect, bitte, "
    "sollte, prefiero, 应该, 应当, 优先, 避免, 尽量, 保持, 不能, 每次, 都要, 都得, 不超过, 最多, "
    "至少, 请用, 用中文, 用英文, 写中文, 写英文, 向后兼容, 我希望, 我要求, てください",
    also=r"^(?:use|keep|answer|reply|follow|leave|treat|name|limit|stay"
    r"|target|support|store|pin|spell|indent|quote)\b"
    r"|^(?:run|write|put|commit|format|log|document|test|check|wrap|call|ask)\b.*"
    r"\b(?:each|every|before|after|always|all|any|when|whenever|once|first)\b"
    r"|\b(?:in|auf) (?:\w+ )?(?:english|german|deutsch|french|spanish|chinese|japanese)\b"
    r"|\bat (?:least|most) (?:\d|an?\b|one\b|two\b|three\b)|\bas (?:errors?|is|well)\b"
    r"|^no(?: \w+){1,3}[.!]?$|\bnothing (?:but|\w+y)\b"
    r"|先.{1,20}再|使用.{1,20}而不是|前(?:先|都?要)",
)
_DESCRIBES = re.compile(
    r"\b(?:i|it|he|she|they|this|that|which|who|there)"
    r"(?: (?!must|should|shall|may|can|need|has|have)\w+)? (?:always|never)\b"
    r"|\b(?:i|it|he|she|they|this|that) (?:do not|don.?t|doesn.?t) (?!want|like|need)"
    r"|^i (?:should|have to|need to)\b|^we (?:need|have) to\b"
    r"|\b(?:it|this|that) should (?:work|have|be (?:fine|ok|okay|enough|there)\b)"
    r"|\bmust (?:be (?:joking|kidding)|have)\b|^keep (?:going|trying|looking|at it)\b"
    r"|^no (?:problem|idea|worries|luck|need|rush|thanks|change)\b"
    r"|我不要|以后再|不能(?:运行|用|打开|编译|连|跑)|应该(?:没|是|可以|不会|能)|总是(?!要|用|先)",
    re.IGNORECASE,
)
"""What tells how things are, or what somebody does, with the words of a rule."""

_CORRECTION = Lexicon(
    "no longer, not anymore, any more, anymore, forget the, forget about, forget that, scrap, "
    "scratch that, undo, revert, after all, changed my mind, on second thought, correction, "
    "i'd rather, never mind, nevermind, drop the, get rid of, instead, "
    "作废, 不要了, 不用了, 取消, 去掉, 撤销, 撤回, 改回, 改成, 改为, 换成, 算了, 更正, 纠正, 收回",
)
_TAKES_BACK = re.compile(
    r"^(?:(?:hm+|oh|ah|sorry|well|ok(?:ay)?)[,. ]+)*"
    r"(?:(?:no|nope|wait)(?:\s*[,;.:!-]|\s+wait\b)|actually\b|scratch that\b)"
    r"(?!\s*(?:i (?:see|found|got)|(?:it|that|this|all)(?:.?s| is)? "
    r"(?:works?|fine|ok|okay|good|right))\b)"
    r"|^(?:呃|哦|啊|嗯|抱歉)?[，,]?(?:不对|不[，,]|等等|等一下|算了|说错了)",
    re.IGNORECASE,
)
"""How a sentence begins that refuses what the one before it says."""

_LIST_HEAD = Lexicon(
    "rule, rules, constraints, requirements, conventions, guidelines, preferences, principles, "
    "regeln, règles, reglas, 规则, 约束, 要求, 约定, 规范, 原则, 前提, 几条, 几点, 注意事项, ルール"
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)、])\s*(\S.*)$")
MAX_LIST_ITEM = 300
MAX_LIST_HEAD = 80
LONGEST_TYPED = 16_000
WHOLE_CORRECTION = 300
"""Characters up to which a message that takes something back is carried as a whole."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A sentence of the user's, verbatim; a correction may be several, on one line."""

    text: str
    strong: bool


def stated_rules(text: str) -> list[Rule]:
    """The rules and corrections in one message of the user's, in order, each once.

    Of what nobody types, the middle is a paste: its sentences are not the user's.
    """
    text = ends(text, LONGEST_TYPED)
    found = {rule.text: rule for rule in _listed_rules(text)}
    said = [(sentence, Spoken(sentence)) for sentence in sentences(text)]
    whole = " ".join(text.split()) if len(text) <= 2 * WHOLE_CORRECTION else text
    if len(whole) <= WHOLE_CORRECTION and any(takes_back(*sentence) for sentence in said):
        return [Rule(whole, True)]
    before, start = "", 0
    for sentence, spoken in said:
        start = text.find(sentence, start)
        if takes_back(sentence, spoken):
            rule = _correction(before, sentence, text[max(0, start - len(before) - 2) : start])
            if rule.text != sentence:
                found.pop(before, None)
            found.setdefault(rule.text, rule)
        elif words := _strength(sentence, spoken):
            found.setdefault(sentence, Rule(sentence, words is _STRONG))
        before, start = sentence, start + len(sentence)
    return list(found.values())


def takes_back(sentence: str, spoken: Spoken) -> bool:
    """Whether a sentence of the user's takes back something said before."""
    if sentence.endswith(("?", "？")):
        return False
    return _CORRECTION.is_in(spoken) or _TAKES_BACK.search(sentence) is not None


def _correction(before: str, sentence: str, just_before: str) -> Rule:
    """A sentence that takes something back, with what it refuses if that stands right before it."""
    if before and before in just_before and _TAKES_BACK.search(sentence):
        gap = just_before.rpartition(before)[2]
        return Rule(" ".join(f"{before}{gap}{sentence}".split()), True)
    return Rule(sentence, True)


def _strength(sentence: str, spoken: Spoken) -> Lexicon | None:
    """The list that makes a rule of a sentence."""
    if sentence.endswith(("?", "？", ":", "：")) or _DESCRIBES.search(sentence):
        return None
    return next((words for words in (_STRONG, _WEAK) if words.is_in(spoken)), None)


def _listed_rules(text: str) -> list[Rule]:
    rules: list[Rule] = []
    in_list = False
    for line in without_code(text).split("\n"):
        item = _ITEM.match(line)
        if in_list and item and len(item[1]) <= MAX_LIST_ITEM:
            rules.append(Rule(item[1].strip(), True))
        elif head := line.strip():
            in_list = head.endswith((":", "：")) and _is_list_head(head)
    return rules


def _is_list_head(line: str) -> bool:
    """Whether the last sentence of a line that ends with a colon announces rules."""
    head = line[max(map(line.rfind, ".!?。！？")) + 1 :]
    return len(head) <= MAX_LIST_HEAD and _LIST_HEAD.is_in(Spoken(head))
