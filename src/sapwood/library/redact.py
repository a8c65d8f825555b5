"""Masking of what looks like a key. Pure; the session itself is never touched.

Known shapes are found by their prefix, unknown ones by the name they are assigned to. A mask keeps
the first characters, so that a reader knows which key it was. Not every secret has a shape, hence
the count and the samples: a person looks before anything is published.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sapwood.session.codec import decode_line, encode_line
from sapwood.session.entry import Entry
from sapwood.session.schema import Json
from sapwood.session.tree import SessionTree

MASK = "[masked]"
MAX_SAMPLES = 12
_SHOWN = 4
"""Characters of a secret that stay."""

_KINDS = (
    ("JSON web token", "eyJ", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    (
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    ),
    ("GitLab token", "glpat-", r"glpat-[\w-]{16,}"),
    ("Slack token", "xox", r"xox[a-z]-[\w-]{10,}"),
    ("Google key", "AIza ya29.", r"(?:AIza[\w-]{30,}|ya29\.[\w-]{20,})"),
    ("AWS key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{20,}"),
    ("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}"),
    ("Stripe key", "k_live_ k_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    ("API key", "sk- sk_ xai- xai_ pplx- pplx_", r"(?:sk|gsk|xai|pplx)[-_][\w-]{16,}"),
)
"""Kinds of keys: what each must hold, for a quick look at texts that have none; its shape."""

_PRIVATE = (
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?!-----BEGIN )[\s\S])*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)"
)
_NAME = r"(?:api[_-]?key|secret|token|passw(?:or)?d|credential|access[_-]?key)"
"""What the name of a secret holds; what stands before it in the name does not matter."""

_SHAPES = "|".join(f"(?P<k{n}>{shape})" for n, (_, _, shape) in enumerate(_KINDS))
_KNOWN = re.compile(rf"{_PRIVATE}|(?<![\w-])(?:{_SHAPES})")  # a key starts a word
_KNOWN_MARKS = ("-----BEGIN ", *(mark for _, marks, _ in _KINDS for mark in marks.split()))
_BEARER = re.compile(
    r"(?i)(?P<before>\b(?:bearer|authorization[\"']?\s*[:=]\s*[\"']?basic)\s+)"
    r"(?P<secret>[\w.~+/=-]{12,})"
)
_ASSIGNED = re.compile(
    rf"(?i)(?P<before>{_NAME}[\w-]{{0,40}}(?:\\?[\"'])?\s{{0,8}}(?::|=>|=)\s{{0,8}})"
    r"(?:(?P<quote>\\?[\"'])(?P<quoted>[^\"'\\\n]{6,})(?=\\?[\"'])|(?P<bare>[^\s\"'\\,;&<>(){}\[\]$]{8,}))"
)
_BEARER_MARKS = ("bearer", "authorization")
_ASSIGNED_MARKS = ("key", "secret", "token", "passw", "credential")
_URL = re.compile(
    r"(?P<before>\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@]{0,100}:)(?P<secret>[^\s/@]{3,200})(?=@)"
)
_SECRET_NAME = re.compile(_NAME, re.IGNORECASE)
_COUNTED = re.compile(
    r"(?i)(?:max|num|count|total|input|output|usage|before|after|limit).*tokens?|tokens.*"
)
_OPAQUE = frozenset({"data", "thinkingSignature", "textSignature", "thoughtSignature"})
"""Fields of encoded bytes: no text, and long."""


@dataclass(slots=True)
class Masker:
    """Masks texts and keeps count: ``counts`` by kind, ``samples`` as they read afterwards."""

    counts: Counter[str] = field(default_factory=Counter)
    samples: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.counts.total()

    def text(self, text: str) -> str:
        """``text`` with its secrets masked."""
        if _has(text, _KNOWN_MARKS):
            text = _KNOWN.sub(self._known, text)
        small = text.lower()
        if _has(small, _BEARER_MARKS):
            text = _BEARER.sub(self._after("authorization"), text)
        if "://" in text and "@" in text:
            text = _URL.sub(self._after("password in an address"), text)
        return _ASSIGNED.sub(self._assigned, text) if _has(small, _ASSIGNED_MARKS) else text

    def json(self, value: Json) -> Json:
        """A copy of a JSON value with every string in it masked; bytes in base64 stay."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.json(each) for each in value]
        if isinstance(value, dict):
            return {self.text(name): self._member(name, each) for name, each in value.items()}
        return value

    def line(self, line: bytes) -> bytes:
        """A line of a session file; one that is no JSON is masked as text."""
        try:
            return encode_line(self.json(decode_line(line)))
        except ValueError:
            return self.text(line.decode("utf-8", "replace")).encode()

    def tree(self, tree: SessionTree) -> SessionTree:
        """A masked copy of a session with the same leaf."""
        entries = (Entry.of(self._entry(entry)) for entry in tree.entries)
        copy = SessionTree(self.json(tree.header), entries)
        copy.move(tree.leaf_id)
        return copy

    def _entry(self, entry: Entry) -> Json:
        """Ids stay as they are: the tree hangs on them."""
        masked = self.json(entry.data)
        for name in ("id", "parentId", "targetId", "firstKeptEntryId", "fromId"):
            if name in masked:
                masked[name] = entry.data[name]
        return masked

    def _member(self, name: str, value: Json) -> Json:
        if name in _OPAQUE and isinstance(value, str):
            return value
        if isinstance(value, str) and _is_secret_member(name, value):
            masked = self.text(value)
            return masked if masked != value else self._mask("assigned secret", value)
        return self.json(value)

    def _known(self, match: re.Match[str]) -> str:
        kind = _KINDS[int(match.lastgroup[1:])][0] if match.lastgroup else "private key"
        return self._mask(kind, match[0])

    def _after(self, kind: str) -> Callable[[re.Match[str]], str]:
        def mask(match: re.Match[str]) -> str:
            if MASK in match["secret"] or _is_placeholder(match["secret"]):
                return match[0]
            return match["before"] + self._mask(kind, match["secret"])

        return mask

    def _assigned(self, match: re.Match[str]) -> str:
        secret = match["quoted"] or match["bare"]
        if MASK in match[0] or _is_placeholder(secret) or secret.replace(",", "").isdigit():
            return match[0]
        return match["before"] + (match["quote"] or "") + self._mask("assigned secret", secret)

    def _mask(self, kind: str, secret: str) -> str:
        self.counts[kind] += 1
        start = "" if kind == "private key" or len(secret) < 3 * _SHOWN else secret[:_SHOWN]
        masked = f"{start}{MASK}"
        sample = f"{kind}: {masked}"
        if len(self.samples) < MAX_SAMPLES and sample not in self.samples:
            self.samples.append(sample)
        return masked


def described(masker: Masker) -> str:
    """One line: how many secrets of which kinds were masked."""
    if not masker.total:
        return "Nothing that looks like a key was found."
    kinds = ", ".join(f"{count} × {kind}" for kind, count in masker.counts.most_common())
    return f"Masked {masker.total:,}: {kinds}."


def _has(text: str, marks: Sequence[str]) -> bool:
    return any(mark in text for mark in marks)


def _is_secret_member(name: str, value: str) -> bool:
    """Whether a JSON field is named like a secret and holds what could be one."""
    if not _SECRET_NAME.search(name[:80]) or _COUNTED.fullmatch(name[:80]):
        return False
    return len(value) >= 2 * _SHOWN and " " not in value and not _is_placeholder(value)


def _is_placeholder(secret: str) -> bool:
    """Names of variables and starred or dotted stand-ins tell nothing."""
    return bool(re.fullmatch(r"[*.xX•…<>$-]+|\$?\{?[A-Z_]+\}?|(?:os|process)\.env\S*", secret))
