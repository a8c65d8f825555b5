"""Planted facts: what a good compaction must not lose, in many wordings.

Six kinds. A fact is a text that is planted and the keys that must all stand in the context later
for the fact to count as kept. `{name}` slots are filled from the random generator, so that no two
facts share a key. Some wordings of each kind hold none of the words that the extractor knows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random


class Kind(StrEnum):
    RULE = "user rule"
    PATH = "file path"
    DECISION = "decision with reason"
    ERROR = "error text"
    NUMBER = "number or identifier"
    TASK = "open task"


@dataclass(frozen=True, slots=True)
class Fact:
    kind: Kind
    text: str
    keys: tuple[str, ...]

    def kept_in(self, context: str) -> bool:
        return all(key in context for key in self.keys)


WORDS = (
    *("ledger", "parcel", "beacon", "harbor", "quartz", "willow", "anchor", "copper", "meadow"),
    *("lantern", "falcon", "ginger", "marble", "nectar", "orchid", "pepper", "raven", "saddle"),
    *("timber", "umber", "velvet", "walnut", "yarrow", "zephyr", "basil", "cedar", "dune"),
    *("ember", "fjord", "grove", "hazel", "iris", "jasper", "kelp", "lotus", "maple", "nickel"),
    *("opal", "pine", "quill", "reed", "slate", "thorn"),
)

_RULES = {
    "en": (
        "Never touch anything under vendor/{a}.",
        "All public functions in the {a} package need a docstring.",
        "I want British spelling in every comment of the {a} module.",
        "Please answer in short paragraphs when we talk about {a}.",
        "Tabs are banned in {a}; use four spaces.",
        "Commits for {a} go to the branch release/{n} only.",
        "No new dependencies for {a} without my OK.",
        "Treat warnings from the {a} linter as errors.",
        "Keep the public API of {a} stable.",
        "A run of the {a} suite may take at most {n} minutes.",
        "You must run the {a} tests before you tell me that something works.",
        "Don't ever log the contents of {a}_token.",
        "From now on, name the helpers of {a} after what they return.",
        "Database migrations for {a} are append-only, always.",
        "If you change {a}, update CHANGELOG-{a}.md as well.",
        "Only I may push to the {a} remote.",
        "Stick to the standard library inside {a}.",
        "Prefer composition over inheritance in {a}.",
        "Four spaces in {a}, tabs give me headaches.",
        "I review {a} on my phone, so lines under 80 columns please.",
    ),
    "zh": (
        "不要修改 generated/{a} 目录下的任何文件。",
        "{a} 模块的注释一律用中文写。",
        "动 {a} 之前先跟我确认。",
        "{a} 的测试覆盖率不能低于 {n}%。",
        "{a} 的数据库迁移脚本只准追加，不准改旧的。",
        "提交信息里必须带上 {a} 的工单号。",
        "别在日志里打印 {a}_token 的内容。",
        "以后 {a} 相关的接口都返回 JSON。",
        "{a} 里禁止使用全局变量。",
        "所有 {a} 的公共函数都要写类型注解。",
        "回答关于 {a} 的问题时请尽量简短。",
        "{a} 只能用标准库。",
        "{a} 的函数短一点，我在手机上看。",
    ),
}

_DECISIONS = {
    "en": (
        (
            "We'll go with {a} queues because {b} locks starve under load.",
            ("{a} queues", "{b} locks starve"),
        ),
        (
            "I decided to store {a} as integers, since {b} rounding broke the totals.",
            ("{a} as integers", "{b} rounding"),
        ),
        (
            "Chose the {a} parser over the {b} one: it keeps line numbers.",
            ("{a} parser", "keeps line numbers"),
        ),
        (
            "Decision: {a} stays synchronous, as the {b} callers cannot await.",
            ("{a} stays synchronous", "{b} callers cannot await"),
        ),
        (
            "Instead of caching {a} we recompute it; the {b} invalidation was never right.",
            ("caching {a}", "{b} invalidation"),
        ),
        (
            "Switching to {a} pagination so that {b} pages stay stable.",
            ("{a} pagination", "{b} pages stay stable"),
        ),
        (
            "The {a} retry goes in the client rather than the {b} gateway, against double retries.",
            ("{a} retry", "{b} gateway"),
        ),
        (
            "For {a} we settled on optimistic locking; {b} conflicts are rare.",
            ("{a}", "{b} conflicts are rare"),
        ),
        (
            "Integers for {a}: floats lost cents in {b}.",
            ("Integers for {a}", "lost cents in {b}"),
        ),
    ),
    "zh": (
        ("决定 {a} 用整数存储，因为 {b} 的舍入会让总数出错。", ("{a} 用整数存储", "{b} 的舍入")),
        ("选择 {a} 解析器而不是 {b}，原因是它保留行号。", ("{a} 解析器", "保留行号")),
        ("{a} 改用游标分页，以免 {b} 列表跳动。", ("{a} 改用游标分页", "{b} 列表跳动")),
        ("放弃缓存 {a}，由于 {b} 的失效逻辑一直不对。", ("放弃缓存 {a}", "{b} 的失效逻辑")),
        ("{a} 走队列，{b} 锁扛不住。", ("{a} 走队列", "{b} 锁扛不住")),
        ("最终采用 {a} 队列，{b} 锁在高负载下会饿死。", ("{a} 队列", "{b} 锁")),
    ),
}

_ERRORS = (
    "{A}Error: expected {b} at offset {n}, got {c}",
    "error[E{n}]: cannot move out of `{a}.{b}` which is behind a shared reference",
    "FAILED tests/test_{a}.py::test_{b} - AssertionError: {n} != {c}",
    "fatal: {a} refused connection on port {n} ({b})",
    "ValueError: invalid literal for {a}: '{b}-{n}'",
    "TypeError: {a}.{b} is not a function at line {n}",
    "panic: {a} index out of range [{n}] with length {b}",
    "psycopg.errors.UndefinedColumn: column {a}_{n} does not exist in {b}",
    "TimeoutError: {a} did not answer within {n} ms while waiting for {b}",
    "ModuleNotFoundError: No module named '{a}_{b}{n}'",
)

_NUMBERS = {
    "en": (
        ("The {a} service listens on port {n}.", ("{n}",)),
        ("The ticket for {a} is {A}-{n}.", ("{A}-{n}",)),
        ("{a} is pinned at v{n}.4.1 in production.", ("v{n}.4.1",)),
        ("The regression came in with commit {h}.", ("{h}",)),
        ("We measured {n} ms for {a} at the 99th percentile.", ("{n} ms",)),
        ("The feature flag is called {A}_ENABLE_{B}.", ("{A}_ENABLE_{B}",)),
        ("The staging account of {a} has the id acct_{h}.", ("acct_{h}",)),
        (
            "The dashboards are at https://grafana.{a}.example/d/{h}.",
            ("https://grafana.{a}.example/d/{h}",),
        ),
    ),
    "zh": (
        ("{a} 服务监听 {n} 端口。", ("{n}",)),
        ("{a} 的工单号是 {A}-{n}。", ("{A}-{n}",)),
        ("线上 {a} 的版本固定在 v{n}.4.1。", ("v{n}.4.1",)),
        ("这个回归是提交 {h} 引入的。", ("{h}",)),
        ("{a} 的 P99 实测是 {n} ms。", ("{n} ms",)),
        ("开关名叫 {A}_ENABLE_{B}。", ("{A}_ENABLE_{B}",)),
    ),
}

_TASKS = {
    "en": (
        ("TODO: add a rollback path for {a} {b}.", ("rollback path for {a} {b}",)),
        ("We still need to document the {a} {b} flags.", ("document the {a} {b} flags",)),
        (
            "Don't forget to remove the {a} {b} shim before the release.",
            ("remove the {a} {b} shim",),
        ),
        ("The {a} {b} benchmark is not done yet.", ("{a} {b} benchmark",)),
        ("Later: split {a} {b} into two modules.", ("split {a} {b} into two modules",)),
        ("Remaining: wire {a} {b} into the CLI.", ("wire {a} {b} into the CLI",)),
        (
            "Once that works, {a} {b} needs the same treatment; put it on the list.",
            ("{a} {b} needs the same treatment",),
        ),
        ("- [ ] migrate {a} {b} to the new schema", ("migrate {a} {b} to the new schema",)),
        ("After this we should rename {a} {b} everywhere.", ("rename {a} {b} everywhere",)),
        ("The {a} {b} rollback path: nobody wrote it.", ("{a} {b} rollback path",)),
        ("Open point: who owns the {a} {b} alerts?", ("{a} {b} alerts",)),
    ),
    "zh": (
        ("待办：给 {a} {b} 加回滚。", ("给 {a} {b} 加回滚",)),
        ("{a} {b} 的文档还没写。", ("{a} {b} 的文档",)),
        ("别忘了发版前删掉 {a} {b} 的兼容代码。", ("{a} {b} 的兼容代码",)),
        ("接下来要把 {a} {b} 拆成两个模块。", ("把 {a} {b} 拆成两个模块",)),
        ("{a} {b} 的监控没人做。", ("{a} {b} 的监控",)),
        ("{a} {b} 的压测稍后补上。", ("{a} {b} 的压测",)),
        ("- [ ] 把 {a} {b} 迁到新表结构", ("把 {a} {b} 迁到新表结构",)),
    ),
}

_FOLDERS = ("src", "lib", "app", "pkg", "internal", "services", "tools", "docs")
_ENDINGS = ("py", "ts", "go", "rs", "sql", "md", "yaml")


class FactMaker:
    """Makes facts with keys that occur nowhere else in a session."""

    def __init__(self, random: Random, language: str) -> None:
        self._random, self._language = random, language
        self._used: set[str] = set()

    def make(self, kind: Kind) -> Fact:
        slots = self._slots()
        if kind is Kind.PATH:
            path = "{f}/{a}/{b}_{c}.{e}".format(
                f=self._random.choice(_FOLDERS), e=self._random.choice(_ENDINGS), **slots
            )
            return Fact(kind, path, (path,))
        if kind is Kind.ERROR:
            text = self._random.choice(_ERRORS).format(**slots)
            return Fact(kind, text, (text,))
        if kind is Kind.RULE:
            text = self._random.choice(_RULES[self._language]).format(**slots)
            return Fact(kind, text, (text,))
        templates = {Kind.DECISION: _DECISIONS, Kind.NUMBER: _NUMBERS, Kind.TASK: _TASKS}[kind]
        text, keys = self._random.choice(templates[self._language])
        return Fact(kind, text.format(**slots), tuple(key.format(**slots) for key in keys))

    def _slots(self) -> dict[str, str]:
        while True:
            a, b, c = self._random.sample(WORDS, 3)
            pair = f"{a}{self._random.choice(WORDS)}"
            if pair not in self._used:
                self._used.add(pair)
                break
        return {
            "a": pair, "A": pair.title(), "b": b, "B": b.upper(), "c": c,
            "n": str(self._random.randint(1100, 98000)),
            "h": f"{self._random.getrandbits(40) | 1 << 39:010x}",
        }  # fmt: skip
