"""``/model`` and ``/thinking``, and the keys that step through both."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sapwood.agent import cycling
from sapwood.modes.tui.words import tokens_text

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.models.model import Model
    from sapwood.modes.tui.chat import Chat

NO_OTHER = "There is no other model to switch to"
NO_MODELS = "No provider has a key yet: set one in the environment, use /login, or models.json"


async def choose_model(chat: Chat, text: str) -> None:
    """With a text that names one model, take it; else choose from those that fit."""
    session = _session(chat)
    models = await asyncio.to_thread(session.catalogue.available)
    named = [model for model in models if text and text in {model.ref, model.id}]
    if len(named) == 1:
        return _use_model(chat, named[0])
    if not models:
        return chat.status.notice(NO_MODELS, "warn")
    chosen = await _pick(chat, models, text)
    if chosen is not None:
        _use_model(chat, chosen)
    return None


async def _pick(chat: Chat, models: Sequence[Model], query: str) -> Model | None:
    from sapwood.modes.tui.dialogs.pick_list import PickList
    from sapwood.modes.tui.dialogs.rows import Row

    current = _session(chat).model
    rows = [Row(model, model.ref, model_words(model), current=model == current) for model in models]
    return await chat.sapwood.ask(PickList("Model", rows, query=query))


def model_words(model: Model) -> str:
    """Window and abilities in a few words."""
    parts = [f"{tokens_text(model.context_window)} window" if model.context_window else ""]
    parts.append("thinks" if model.reasoning else "")
    parts.append("sees images" if "image" in model.inputs else "")
    return " · ".join(part for part in parts if part)


def _use_model(chat: Chat, model: Model, level: str | None = None) -> None:
    session = _session(chat)
    session.set_model(model, level)
    chat.view.refresh_footer()
    chat.transcript.redraw()
    thinks = f", thinking {session.thinking_level}" if session.thinking_level != "off" else ""
    chat.status.notice(f"Model: {model.ref}{thinks}")


async def cycle_model(chat: Chat, step: int) -> None:
    """The next or previous model among the enabled ones."""
    session = _session(chat)
    choice = await asyncio.to_thread(cycling.next_model, session, step)
    if choice is None:
        return chat.status.notice(NO_OTHER if session.model else NO_MODELS, "warn")
    return _use_model(chat, choice.model, choice.thinking_level)


def model_offers(chat: Chat) -> Sequence[tuple[str, str]]:
    """Completions for ``/model``."""
    return [(model.ref, model_words(model)) for model in _session(chat).catalogue.available()]


async def choose_level(chat: Chat, text: str) -> None:
    """Set the level that is named, or choose one."""
    session = _session(chat)
    level: str | None = text
    if not text:
        from sapwood.modes.tui.dialogs.question import Question
        from sapwood.modes.tui.dialogs.rows import Row

        rows = [Row(name, name, current=name == session.thinking_level) for name in _known(session)]
        title = f"Thinking of {session.model_name}" if session.model else "Thinking"
        level = await chat.sapwood.ask(Question(title, rows))
    if level is not None:
        _use_level(chat, level)


async def cycle_thinking(chat: Chat) -> None:
    """The next level the model can do."""
    session = _session(chat)
    level = cycling.next_level(session)
    if level is None:
        name = session.model_name or "No model"
        return chat.status.notice(f"{name} has no thinking levels to choose from")
    return _use_level(chat, level)


def _use_level(chat: Chat, level: str) -> None:
    session = _session(chat)
    session.set_thinking_level(level)
    chat.view.refresh_footer()
    real = session.thinking_level
    note = "" if real == level else f" (the model cannot do {level})"
    chat.status.notice(f"Thinking: {real}{note}")


def _known(session: AgentSession) -> Sequence[str]:
    from sapwood.models.thinking import LEVELS, supported_levels

    return supported_levels(session.model) if session.model else LEVELS


def levels(chat: Chat) -> Sequence[tuple[str, str]]:
    """Completions for ``/thinking``."""
    return [(level, "") for level in _known(_session(chat))]


def _session(chat: Chat) -> AgentSession:
    assert chat.session is not None
    return chat.session
