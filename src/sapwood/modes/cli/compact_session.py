"""`sapwood session compact`, and the summary of `sapwood session goto --summarize`.

With a model the work is an agent session's, as it is in the terminal; without one it is the
extractor's, and nothing of the models is loaded. Both end in the same report.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sapwood.errors import CompactionError

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.agent.settings import Settings
    from sapwood.compaction.compact import CompactionResult
    from sapwood.compaction.prepare import Preparation
    from sapwood.compaction.settings import CompactionSettings
    from sapwood.session.manager import SessionManager

Echo = Callable[[str], None]


def compact_session(
    path: Path,
    focus: str | None,
    *,
    model: str | None,
    keep: int | None,
    dry_run: bool,
    as_json: bool,
    echo: Echo,
) -> None:
    """Compact the session at `path`; `keep` overrides the tokens to keep verbatim.

    `model` None: the extractor writes the summary; it goes by the record alone and takes no focus,
    which is said. A dry run shows the extractor's plan and writes nothing. That there is nothing to
    compact is no failure: it is said, and `null` is the answer for programs. Raises
    `CompactionError` when there is nothing to gain.
    """
    from sapwood.compaction.compact import apply_compaction, compact
    from sapwood.modes.cli.compact_report import report, report_lines
    from sapwood.modes.cli.output import note
    from sapwood.session.manager import SessionManager

    with SessionManager.open(path, writer="none" if dry_run else "exclusive") as manager:
        settings = _settings(manager, keep)
        preparation = _plan(manager, settings.compaction)
        if preparation is None:
            note("there is nothing to compact: all of it would be kept anyway")
            if as_json:
                echo(json.dumps(None))
            return
        entry_id: str | None = None
        if dry_run:
            result = _planned(preparation)
        elif model is not None:
            result = asyncio.run(_compact_by_model(manager, settings, model, focus))
            entry_id = manager.get_leaf()
        else:
            result = asyncio.run(compact(preparation, None))
            entry_id = apply_compaction(manager, result)
        facts = report(preparation, result, entry_id)
    if focus is not None and model is None:
        note("the extractor takes no focus; --model lets a model write the summary")
    if as_json:
        echo(json.dumps(facts, ensure_ascii=False))
    else:
        for line in report_lines(facts, dry_run=dry_run, with_summary=dry_run):
            echo(line)


def summarize_and_go(
    manager: SessionManager, target: str, focus: str | None, *, model: str | None = None
) -> str | None:
    """Leave the current branch for entry `target`, with a summary of the branch there.

    Returns the id of the summary's entry; None when the branch holds nothing, the leaf then only
    moved. `model` None: the extractor writes. Raises `SapwoodError`; then nothing has moved.
    """
    if model is not None:
        return asyncio.run(_go_by_model(manager, target, focus, model))
    from sapwood.compaction.branch import (
        apply_branch_summary,
        collect_branch,
        prepare_branch_summary,
        summarize_branch,
    )

    manager.tree.require(target)
    branch = collect_branch(manager.tree, manager.get_leaf(), target)
    preparation = prepare_branch_summary(branch)
    if not preparation.messages:
        manager.branch(target)
        return None
    result = asyncio.run(summarize_branch(preparation, None, focus))
    return apply_branch_summary(manager, target, result)


def _plan(manager: SessionManager, settings: CompactionSettings) -> Preparation | None:
    """The plan; what is kept fits the window of the session's model, if all of it does not."""
    from sapwood.compaction.prepare import prepare_compaction, prepare_to_fit
    from sapwood.compaction.settings import ASSUMED_WINDOW

    preparation = prepare_compaction(manager.tree, settings)
    if preparation is not None and preparation.kept_tokens <= 2 * settings.keep_recent_tokens:
        return preparation
    return prepare_to_fit(manager.tree, settings, _window(manager) or ASSUMED_WINDOW)


def _window(manager: SessionManager) -> int | None:
    """Tokens that the session's model takes, as learnt or as known."""
    from sapwood.agent.learned import learned_windows
    from sapwood.models.catalogue import Catalogue
    from sapwood.session.paths import agent_dir
    from sapwood.session.replay import path_settings

    ref = path_settings(manager.tree).model
    if ref is None:
        return None
    model = Catalogue.load(agent_dir()).get(ref.provider, ref.model_id)
    known = model.context_window if model is not None else None
    return learned_windows(manager.tree).get(f"{ref.provider}/{ref.model_id}", known)


def _planned(preparation: Preparation) -> CompactionResult:
    """What the extractor would make of it; where that is refused, the plan and the reason."""
    from sapwood.compaction.compact import CompactionResult, compact

    try:
        return asyncio.run(compact(preparation, None))
    except CompactionError as refusal:
        return CompactionResult(
            summary=None,
            first_kept_entry_id=None,
            tokens_before=preparation.tokens_before,
            tokens_after=preparation.estimated_before,
            usage=None,
            details=preparation.files.details(),
            notices=(str(refusal),),
        )


async def _compact_by_model(
    manager: SessionManager, settings: Settings, model: str, focus: str | None
) -> CompactionResult:
    session = await _session(manager, model, settings=settings)
    try:
        return await session.compact(focus)
    finally:
        await session.dispose()


async def _go_by_model(
    manager: SessionManager, target: str, focus: str | None, model: str
) -> str | None:
    session = await _session(manager, model)
    try:
        moved = await session.navigate_tree(
            target, summary="focused" if focus else "default", focus=focus, exact=True
        )
    finally:
        await session.dispose()
    if moved.error is not None:
        raise CompactionError(moved.error)
    return moved.summary_entry.id if moved.summary_entry is not None else None


async def _session(manager: SessionManager, model: str, **more: Any) -> AgentSession:
    from sapwood.agent.create import create_agent_session

    return await create_agent_session(manager=manager, cwd=manager.cwd, model=model, **more)


def _settings(manager: SessionManager, keep: int | None) -> Settings:
    """The user's settings, and the project's if it is trusted, with `keep` in place of theirs."""
    from sapwood.agent.settings import Settings
    from sapwood.agent.trust import is_trusted
    from sapwood.session.paths import agent_dir

    project = Path(manager.cwd)
    trusted = is_trusted(agent_dir(), project) is True
    settings = Settings.load(agent_dir(), project, trusted)
    if keep is None:
        return settings
    compaction = {**settings.raw.get("compaction", {}), "keepRecentTokens": keep}
    return Settings.of({**settings.raw, "compaction": compaction}, agent_dir())
