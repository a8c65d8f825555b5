"""What a path says: the entries in force, the model and level, the prompt. Pure.

State is never stored in a session, only its changes; this module replays them. Each function walks
from the leaf towards the root and stops as soon as it knows, so that a further append on a long
session costs what is new (a compaction ends the walk for entries, a memo that for settings).
Only what is needed is decoded: the type of an entry is known without its body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import cast
from weakref import WeakKeyDictionary

from sapwood.session.bulk import decode_all
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.prompt import replay_prompt
from sapwood.session.schema import Json, SystemMessage
from sapwood.session.tree import CURRENT, Leaf, SessionTree

DEFAULT_THINKING_LEVEL = "off"
_REMEMBERED_LEAVES = 256


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by the names a session stores."""

    provider: str
    model_id: str


@dataclass(frozen=True, slots=True)
class PathSettings:
    """The model and the thinking level in force at a leaf."""

    model: ModelRef | None
    thinking_level: str


@dataclass(frozen=True, slots=True)
class Selection:
    """The entries in force at a leaf.

    Without a compaction on the path ``entries`` is the path. Else it is the newest compaction,
    then ``kept`` entries of the tail that it kept (no system messages), then all after it.
    """

    entries: list[Entry]
    compaction: Entry | None = None
    kept: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)


def select(tree: SessionTree, leaf: Leaf = CURRENT) -> Selection:
    """The entries in force at ``leaf``; none for None or an unknown id."""
    walk = tree.ancestors(leaf)
    after: list[Entry] = []
    for entry in walk:
        if entry.type == "compaction":
            kept, oddities = _kept_tail(tree, entry, walk)
            entries = [entry, *kept, *reversed(after)]
            return Selection(entries, entry, len(kept), oddities)
        after.append(entry)
    after.reverse()
    return Selection(after)


def _kept_tail(
    tree: SessionTree, compaction: Entry, before: Iterator[Entry]
) -> tuple[list[Entry], list[Diagnostic]]:
    """The kept tail, oldest first; ``before`` yields what stands before the compaction.

    A boundary that cannot be found falls back to the last user turn: what a compaction kept must
    not vanish because an id was damaged. Its own id, and none at all, mean to keep nothing; so does
    an entry that comes after it, as in the reference.
    """
    boundary = compaction.data.get("firstKeptEntryId")
    if not isinstance(boundary, str) or boundary == compaction.id:
        return [], []
    if tree.get(boundary) is not None:
        tail = _back_to(before, lambda entry: entry.id == boundary)
        if tail is not None:
            return _without_prompts(tail), []
        if any(entry is compaction for entry in tree.ancestors(boundary)):
            return [], [_boundary_diagnostic(compaction, boundary, "comes later; nothing is kept")]
        before = tree.ancestors(compaction.parent_id)
    tail = _back_to(before, _is_user_message) or []
    outcome = "is not on its path; the last user turn before it is kept"
    return _without_prompts(tail), [_boundary_diagnostic(compaction, boundary, outcome)]


def _back_to(walk: Iterator[Entry], found: Callable[[Entry], bool]) -> list[Entry] | None:
    """Walk until ``found`` and return what was passed, oldest first; None if it never is."""
    passed: list[Entry] = []
    for entry in walk:
        passed.append(entry)
        if found(entry):
            passed.reverse()
            return passed
    return None


def _without_prompts(entries: list[Entry]) -> list[Entry]:
    decode_all(entries)
    return [entry for entry in entries if _role(entry) != "system"]


def _boundary_diagnostic(compaction: Entry, boundary: str, outcome: str) -> Diagnostic:
    message = f"{compaction.id}: its first kept entry {boundary} {outcome}"
    return Diagnostic("kept-boundary", message, compaction.id, compaction.line)


def _role(entry: Entry) -> Json:
    message = entry.message
    return message.get("role") if message is not None else None


def _is_user_message(entry: Entry) -> bool:
    return bool(_role(entry) == "user")


def edits_in_force(entries: Iterable[Entry]) -> dict[str, Json]:
    """Target id → replacement (None = leave out), for selected entries; the last edit wins."""
    edits: dict[str, Json] = {}
    for entry in entries:
        if entry.type == "context_edit" and is_edit(entry):
            edits[entry.data["targetId"]] = entry.data["replacement"]
    return edits


def is_edit(entry: Entry) -> bool:
    """Whether a ``context_edit`` says what it must: a target, and null or an object of content."""
    data = entry.data
    if not isinstance(data.get("targetId"), str) or "replacement" not in data:
        return False
    new = data["replacement"]
    return new is None or (isinstance(new, dict) and isinstance(new.get("content"), (str, list)))


# Model and thinking level


@dataclass(slots=True)
class _Memo:
    """What was found from which leaf. Facts about the path above an entry never change as long as
    every entry comes after its parent under an id of its own.
    """

    settings: dict[str, tuple[ModelRef | None, str | None]] = field(default_factory=dict)
    inherited_prompts: dict[str, SystemMessage | None] = field(default_factory=dict)


_memos: WeakKeyDictionary[SessionTree, _Memo] = WeakKeyDictionary()


def _memo(tree: SessionTree) -> _Memo:
    return _memos.setdefault(tree, _Memo()) if tree.is_ordered else _Memo()


def path_settings(tree: SessionTree, leaf: Leaf = CURRENT) -> PathSettings:
    """Model and thinking level from the whole path, whatever was compacted away.

    The newest of ``model_change`` entries and assistant messages names the model.
    """
    model, level = _nearest_settings(tree, tree.resolve(leaf))
    return PathSettings(model, level if level is not None else DEFAULT_THINKING_LEVEL)


def _nearest_settings(tree: SessionTree, leaf_id: str | None) -> tuple[ModelRef | None, str | None]:
    """What the nearest entries that name a model and a level say."""
    known = _memo(tree).settings
    model: ModelRef | None = None
    level: str | None = None
    for entry in tree.ancestors(leaf_id):
        kind = entry.type
        if known and entry.id in known:
            above = known[entry.id]
            model, level = model or above[0], above[1] if level is None else level
            break
        if model is None and (kind == "message" or kind == "model_change"):
            model = _model_of(entry)
        elif level is None and kind == "thinking_level_change":
            level = _level_of(entry)
        if model is not None and level is not None:
            break
    if leaf_id is not None:
        known[leaf_id] = model, level
        if len(known) > _REMEMBERED_LEAVES:
            del known[next(iter(known))]
    return model, level


def _level_of(entry: Entry) -> str | None:
    level = entry.data.get("thinkingLevel")
    return level if isinstance(level, str) else None


def _model_of(entry: Entry) -> ModelRef | None:
    if entry.type == "model_change":
        provider, model_id = entry.data.get("provider"), entry.data.get("modelId")
    elif _role(entry) == "assistant":
        message = entry.data["message"]
        provider, model_id = message.get("provider"), message.get("model")
    else:
        return None
    if isinstance(provider, str) and isinstance(model_id, str):
        return ModelRef(provider, model_id)
    return None


# The prompt


def prompt_checkpoint(tree: SessionTree, leaf: Leaf = CURRENT) -> SystemMessage | None:
    """Prompt and tools in force at ``leaf`` as one message: what a compaction there stores.

    None when the path never had a prompt.
    """
    selection = select(tree, leaf)
    messages = _system_messages(selection.entries)
    inherited = inherited_prompt(tree, selection)
    return replay_prompt([inherited, *messages] if inherited is not None else messages)


def inherited_prompt(tree: SessionTree, selection: Selection) -> SystemMessage | None:
    """The prompt as of a compaction that stored none; else None.

    Compactions of older programs hold no checkpoint. The prompt is then what the path before them
    says, back to the nearest checkpoint.
    """
    compaction = selection.compaction
    if compaction is None or isinstance(compaction.data.get("systemMessage"), dict):
        return None
    known = _memo(tree).inherited_prompts
    if compaction.id not in known:
        known[compaction.id] = replay_prompt(
            _system_messages(_back_to_checkpoint(tree, compaction))
        )
    return known[compaction.id]


def _back_to_checkpoint(tree: SessionTree, compaction: Entry) -> list[Entry]:
    """What may speak of the prompt between the nearest checkpoint and ``compaction``."""
    before: list[Entry] = []
    for entry in tree.ancestors(compaction.parent_id):
        if _may_speak_of_prompt(entry):
            before.append(entry)
        if entry.type == "compaction" and isinstance(entry.data.get("systemMessage"), dict):
            break
    before.reverse()
    return before


def _may_speak_of_prompt(entry: Entry) -> bool:
    """Whether it is worth decoding; a look at the bytes spares most of a long session."""
    return entry.type in ("compaction", "context_edit") or (
        entry.type == "message" and b"system" in entry.raw
    )


def _system_messages(entries: list[Entry]) -> list[SystemMessage]:
    decode_all(entries)
    edits = edits_in_force(entries)
    messages: list[SystemMessage] = []
    for entry in entries:
        if entry.id in edits and edits[entry.id] is None:
            continue
        if entry.type == "compaction":
            message = entry.data.get("systemMessage")
        else:
            message = entry.message if _role(entry) == "system" else None
        if isinstance(message, dict):
            messages.append(cast(SystemMessage, message))
    return messages


__all__ = [
    "DEFAULT_THINKING_LEVEL",
    "ModelRef",
    "PathSettings",
    "Selection",
    "edits_in_force",
    "inherited_prompt",
    "is_edit",
    "path_settings",
    "prompt_checkpoint",
    "replay_prompt",
    "select",
]
