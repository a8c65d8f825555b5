"""Sessions made from templates, with facts planted where people and tools would put them.

Three stories (refactoring, debugging, research) in two languages. A turn is a request, a few tool
calls with bulky results, and an answer. Rules come from the user; paths from tool calls and prose;
decisions from the assistant; errors from failing calls; numbers and open tasks from either speaker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bench.retention.facts import WORDS, Fact, FactMaker, Kind

STORIES = ("refactoring", "debugging", "research")
LANGUAGES = ("en", "zh")

_REQUESTS = {
    ("refactoring", "en"): (
        "Now pull the {a} logic out of {b}.",
        "Let's clean up how {a} talks to {b}.",
        "Rework {a} so the {b} part can be tested alone.",
    ),
    ("debugging", "en"): (
        "{a} crashes when {b} is empty, have a look.",
        "Why does {a} return the wrong {b}?",
        "The {a} job hangs since yesterday. Find out why.",
    ),
    ("research", "en"): (
        "How does {a} decide which {b} to load?",
        "Compare the ways {a} and {b} handle timeouts.",
        "What would it take to move {a} off {b}?",
    ),
    ("refactoring", "zh"): (
        "把 {a} 的逻辑从 {b} 里拆出来。",
        "整理一下 {a} 和 {b} 的交互。",
        "重构 {a}，让 {b} 可以单独测试。",
    ),
    ("debugging", "zh"): (
        "{b} 为空时 {a} 会崩溃，看一下。",
        "{a} 返回的 {b} 为什么不对？",
        "{a} 任务从昨天起卡住了，查一下原因。",
    ),
    ("research", "zh"): (
        "{a} 是怎么决定加载哪个 {b} 的？",
        "比较 {a} 和 {b} 的超时处理。",
        "把 {a} 从 {b} 上迁走要做什么？",
    ),
}
_ANSWERS = {
    "en": (
        "That part of {a} is in place now.",
        "I looked through {a}; {b} is where it happens.",
        "{a} and {b} are separated, the checks pass.",
        "The {a} side is clear now.",
    ),
    "zh": (
        "{a} 这部分已经改好了。",
        "看完了 {a}，问题出在 {b}。",
        "{a} 和 {b} 已经分开，检查通过。",
        "{a} 这边清楚了。",
    ),
}
_STEPS = {
    "en": ("Reading {a} first.", "Let me check {b}.", "Looking at how {a} uses {b}.", ""),
    "zh": ("先读 {a}。", "看一下 {b}。", "看 {a} 怎么用 {b}。", ""),
}
_CHATTER = {
    "en": (
        "I'll look at {a} later, after {b} is clear.",
        "The {a} file has {n} lines, most of them about {b}.",
        "That is because {a} still imports {b}.",
        "I could go with {a} or {b} here; let me read more before choosing.",
        "The next step is to read {b}.",
        "It took {n} ms, which is fine since {a} is cold.",
        "{a}_{b} is called from {c} only.",
        "Everything else in {a} looks as expected.",
        "The helper in {a}/{b}.py already does this.",
        "Now the remaining callers of {a}.",
    ),
    "zh": (
        "{a} 稍后再看，先弄清 {b}。",
        "{a} 文件有 {n} 行，大多和 {b} 有关。",
        "这是因为 {a} 还在引用 {b}。",
        "这里可以选择 {a} 或 {b}，先多看一点。",
        "下一步读 {b}。",
        "{a}_{b} 只被 {c} 调用。",
        "{a} 的其他部分没有问题。",
        "{a}/{b}.py 里的函数已经做了这件事。",
    ),
}
"""Talk that uses the same words as facts do and is not worth keeping."""

_FAILURES = (
    "FAILED tests/test_{a}.py - assert {n} == 0",
    "error: {a} is not defined",
    "{a}: command not found",
    "E   KeyError: '{b}'",
)
"""Errors that come and go during work; the planted ones hide among them."""

_CODE = (
    "def {a}_{b}({c}, limit={n}):",
    "    {a} = load_{b}({c})",
    "    if {a} is None: return {b}.{c}",
    "    for {c} in {a}.{b}: yield {c}",
    "class {a}{b}: # {c}",
    "    return {a}[{n}] + {b}({c})",
    "const {a} = await {b}.{c}({n});",
    "  {a}: {b} # {c}",
    "{n} passed in 0.{n}s",
)


@dataclass(slots=True)
class Turn:
    """One turn's messages and the facts planted in them; `tokens` is a rough size."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return sum(len(str(message.get("content"))) for message in self.messages) // 4


class SessionMaker:
    """Yields turns for ever; same seed, same turns."""

    def __init__(self, story: str, language: str, seed: int) -> None:
        self.random = Random(f"{story}/{language}/{seed}")
        self.story, self.language = story, language
        self.facts = FactMaker(self.random, language)
        self._calls = 0
        self._clock = 1_764_000_000_000

    def turns(self, facts_per_turn: float) -> Iterator[Turn]:
        kinds = list(Kind)
        owed = 0.0
        while True:
            owed += facts_per_turn
            count, owed = int(owed), owed - int(owed)
            self.random.shuffle(kinds)
            yield self._turn([self.facts.make(kind) for kind in kinds[:count]])

    def _turn(self, facts: list[Fact]) -> Turn:
        turn = Turn(facts=facts)
        by_kind = {fact.kind: fact.text for fact in facts}
        self._user(turn, by_kind)
        for _ in range(self.random.randint(2, 5)):
            self._step(turn, "read", {"path": self._path()}, self._noise())
        if path := by_kind.get(Kind.PATH):
            name = self.random.choice(("read", "edit", "write", "grep"))
            arguments = (
                {"path": path} if name != "grep" else {"pattern": self._word(), "path": path}
            )
            self._step(turn, name, arguments, self._noise())
        if error := by_kind.get(Kind.ERROR):
            output = f"{self._noise(8)}\n{error}\n{self._noise(4)}"
            self._step(turn, "bash", {"command": f"run {self._word()}"}, output, failed=True)
            self._step(turn, "edit", {"path": self._path(), "edits": []}, "ok")
        failed = self.random.random() < 0.3
        output = f"{self._noise()}\n{self._say(_FAILURES)}" if failed else self._noise()
        self._step(turn, "bash", {"command": f"pytest tests/{self._word()}"}, output, failed)
        self._answer(turn, by_kind)
        return turn

    def _user(self, turn: Turn, by_kind: dict[Kind, str]) -> None:
        parts = [self._say(_REQUESTS[self.story, self.language])]
        if Kind.RULE in by_kind:
            parts.insert(self.random.randint(0, 1), by_kind[Kind.RULE])
        for kind in (Kind.NUMBER, Kind.TASK):
            if kind in by_kind and self.random.random() < 0.5:
                joint = "\n" if by_kind[kind].startswith("-") else " "
                parts.append(joint.strip(" ") + by_kind.pop(kind))
        turn.messages.append({"role": "user", "content": " ".join(parts), "timestamp": self._now()})

    def _answer(self, turn: Turn, by_kind: dict[Kind, str]) -> None:
        lines = [self._say(_ANSWERS[self.language])]
        lines += [self._say(_CHATTER[self.language]) for _ in range(self.random.randint(1, 3))]
        lines += [by_kind[k] for k in (Kind.DECISION, Kind.NUMBER, Kind.TASK) if k in by_kind]
        if self.random.random() < 0.5:
            self.random.shuffle(lines)
        turn.messages.append(self._assistant([{"type": "text", "text": "\n".join(lines)}], "stop"))

    def _step(
        self, turn: Turn, tool: str, arguments: dict[str, Any], output: str, failed: bool = False
    ) -> None:
        self._calls += 1
        call_id = f"call_{self._calls}"
        blocks: list[dict[str, Any]] = []
        talk = (self._say(_STEPS[self.language]), self._say(_CHATTER[self.language]))
        if text := " ".join(part for part in talk if part):
            blocks.append({"type": "text", "text": text})
        blocks.append({"type": "toolCall", "id": call_id, "name": tool, "arguments": arguments})
        turn.messages.append(self._assistant(blocks, "toolUse"))
        turn.messages.append({
            "role": "toolResult", "toolCallId": call_id, "toolName": tool, "isError": failed,
            "content": [{"type": "text", "text": output}], "timestamp": self._now(),
        })  # fmt: skip

    def _assistant(self, content: list[dict[str, Any]], stop_reason: str) -> dict[str, Any]:
        zero = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
        usage = {**zero, "totalTokens": 0, "cost": zero}
        return {
            "role": "assistant", "content": content, "api": "bench", "provider": "bench",
            "model": "bench", "usage": usage, "stopReason": stop_reason, "timestamp": self._now(),
        }  # fmt: skip

    def _noise(self, lines: int | None = None) -> str:
        count = lines or self.random.randint(30, 120)
        return "\n".join(self._say(_CODE) for _ in range(count))

    def _path(self) -> str:
        return f"{self._word()}/{self._word()}.py"

    def _word(self) -> str:
        return self.random.choice(WORDS)

    def _say(self, texts: tuple[str, ...]) -> str:
        a, b, c = self.random.sample(WORDS, 3)
        return self.random.choice(texts).format(a=a, b=b, c=c, n=self.random.randint(2, 900))

    def _now(self) -> int:
        self._clock += 1000
        return self._clock
