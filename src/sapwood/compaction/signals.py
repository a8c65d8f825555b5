"""Words that mark what a text is about: decisions, open work, errors, facts worth keeping.

The extractor understands nothing; it knows such marks in English and Chinese, and the shapes of
paths, URLs, identifiers and numbers in any language. Every pattern is linear.
"""

from __future__ import annotations

import re

from sapwood.compaction.lexicon import Lexicon

DECISION = Lexicon(
    "decide, decided, decision, chose, chosen, opted for, opting for, opt for, "
    "settled on, go with, going with, went with, went for, we'll use, we will use, we'll keep, "
    "we keep, i'll use, switch to, switched to, switching to, stick to, stick with, sticking with, "
    "instead of, rather than, in favor of, in favour of, trade-off, tradeoff, ruled out, "
    "rejected, agreed, the better choice, stays, will stay, moves to, moved to, replaces, "
    "we drop, we dropped, i dropped, drop support, dropped support, 决定, 选用, 采用, 改用, "
    "放弃, 弃用, 定为, 确定用, 沿用, 敲定, 而不是, 权衡, 方案, 换成, 保留, 没有用, 没有上",
    also=r"选择(?![器框题性])",
)
FIRST_PERSON = Lexicon("i, we, i've, we've, i'll, we'll, 我, 我们, 这里, 最终")
"""With a reason in the same sentence: something was decided, whatever the verb is."""

NO_DECISION = re.compile(
    r"^(?:if|when|whether|let me|let's see)\b"
    r"|\b(?:he|she|they|users?|the user|was|were) (?:\w+ )?(?:decide|chose|switch|opt)"
    r"|\bdecision (?:trees?|tables?|makers?|boundar)|-(?:down|in|out) stays\b"
    r"|\bstays? (?:open|the same)\b",
    re.IGNORECASE,
)
REASON = Lexicon(
    "because, since, so that, due to, in order to, reason, otherwise, avoids, to avoid, "
    "therefore, hence, which means, 因为, 由于, 原因, 为了, 以免, 避免, 所以, 否则, 理由, 以便"
)
HEDGE = Lexicon(
    "could, might, would, maybe, perhaps, suggest, propose, proposal, option, options, "
    "alternative, alternatively, either, if we, if you want, if you like, i'd like, want me to, "
    "shall i, should i, one way, another way, another option, consider, 建议, 可以, 也许, 或者, "
    "可能, 要不, 另一个选择, 考虑, 是否"
)
"""What makes of a decision a thought of one."""

OPEN_TASK = Lexicon(
    "todo, to-do, fixme, still need, still needs, still have, still has, still to, "
    "still open, still missing, still pending, left to do, left for, "
    "not done, not finished, not implemented, not started, not covered, yet to, pending, "
    "outstanding, unfinished, untested, undocumented, next steps, next up, next we, next i, "
    "follow-up, follow up, followup, don't forget, do not forget, remember to, come back to, "
    "open task, open item, open issue, open point, open question, backlog, for later, "
    "on the list, to be done, needs doing, missing is, what's missing, tbd, 待办, 还需要, 还需, "
    "还要, 还得, 还没, 还差, 尚未, 未完成, 剩下, 剩余, 稍后, 回头, 接下来, 下一步, 记得, 别忘, "
    "后续, 遗留, 待处理, 需要补, 有待, 补上, 先不动",
    also=r"\bonce\b.{3,60}\b(?:works?|done|merged|fixed|in place|passes)\b"
    r"|\bnot yet\b(?! another)|^(?:later|remaining|next|next step)\s*[:,]|\bremains? (?:to|open)\b"
    r"|\bremaining (?:work|tasks?|steps?|items?|points?|issues?)\b|\b(?:later|afterwards)[.!]?$"
    r"|\b(?:afterwards|after (?:this|that))\b.*\b(?:we|i|will|needs?|should)\b"
    r"|\bhave(?: not|n.?t) (?:touched|done|written|tested|checked|looked|started|finished|added)\b"
    r"|还有.{0,30}(?:要|没|需|待)|之后再(?!.{0,12}了)",
)
OPEN_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[ \][ \t]+(\S.*)$", re.MULTILINE)
DONE_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[[xX]\][ \t]+(\S.*)$", re.MULTILINE)

ERROR = Lexicon(
    "error, fatal, panic, fail, failed, failure, cannot, could not, can't, denied, refused, "
    "not found, no such, timed out, timeout, undefined, unexpected, invalid, missing, mismatch, "
    "conflict, aborted, segfault, overflow, unable, does not exist, is not a, out of range, "
    "rejected, unknown, 错误, 失败, 异常, 无法, 找不到, 超时, 拒绝",
    also=r"\w(?:Error|Exception|Fault)\b|\berror\[\w+\]",
)
"""What an error line of a failed call says."""

SURE_ERROR = re.compile(
    r"^(?:E +|[\w.]+: |Caused by: )?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception): \S.{2}"
    r"|^(?:\S+ +){0,4}\W?(?:ERROR|FATAL|PANIC)\b[ :\]].{3}"
    r"|^(?:error|fatal|panic)(?:\[\w+\])?: .{3}|^(?:错误|失败|异常)[:：].{2}"
)
"""An error line in the output of a call that did not fail: only unmistakable forms count."""

_URL = r"https?://[^\s<>\"'`）)\]}，。；、]+"
_PATH = (
    r"(?<![\w/.:@-])(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w"
    r"|(?<![\w/.@-])[\w-]+\.(?:py|js|tsx?|jsx|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|sh|sql|md|rst"
    r"|toml|ya?ml|jsonl?|lock|cfg|ini|env|html|s?css|vue|svelte|txt|csv|xml|proto|tf|ipynb|log)\b"
)
_IDENTIFIER = (
    r"\b(?:[A-Za-z]+-\d+|[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|v\d+\.\d+[\w.-]*|\d+\.\d+\.\d+[\w.-]*"
    r"|0x[0-9a-fA-F]{4,}|[A-Za-z_]+\d\w*|\d+[A-Za-z_]\w*|[a-z]+(?:[A-Z][a-z0-9]+)+)\b"
    r"|#\d+|`[^`\n]{2,60}`"
)
_NUMBER = r"(?<![\w.])\d[\d,._]*\d(?:\s?(?:%|ms|kB|KB|MB|GB|px|Hz))?|(?<!\w)\d+\s?%"
PATH = re.compile(_PATH, re.ASCII)
TOKEN = re.compile(f"{_URL}|{_PATH}|{_IDENTIFIER}|{_NUMBER}", re.ASCII)
"""A URL, path, identifier or number."""
