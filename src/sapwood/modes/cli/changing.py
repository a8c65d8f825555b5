"""``sapwood session …``: moving in the tree, naming, copying. Every change is an append."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sapwood.errors import SessionError
from sapwood.library.tree_kinds import kind_of
from sapwood.library.tree_text import row_text
from sapwood.modes.cli.opening import find_entry, json_option, locate, opened, session_argument
from sapwood.modes.cli.output import note, say
from sapwood.modes.cli.session import session_group
from sapwood.session.entry import Entry
from sapwood.session.manager import SessionManager
from sapwood.session.tree import CURRENT, SessionTree
from sapwood.text import fit, one_line

if TYPE_CHECKING:
    from sapwood.library.export import ExportKind

ROOT = "root"


def _words(tree: SessionTree, entry: Entry) -> str:
    return fit(row_text(tree, entry, kind_of(entry)), 50) or entry.type


@session_group.command("goto")
@session_argument
@click.argument("entry", metavar="ENTRY")
@click.argument("focus", nargs=-1)
@click.option("--summarize", is_flag=True, help="Leave a summary of the branch that is left.")
@click.option("--model", metavar="MODEL", help="Let a model write it; else the extractor does.")
def goto_command(
    session: str,
    session_dir: Path | None,
    entry: str,
    focus: tuple[str, ...],
    summarize: bool,
    model: str | None,
) -> None:
    """Continue from another entry: the next message goes below it.

    The move is kept in the file by a small entry, so it survives. "root" stands for the place
    before the first entry. FOCUS says what the summary of a model should attend to.
    """
    if not summarize and (focus or model):
        raise click.UsageError("A focus and --model go with --summarize.")
    with opened(session, session_dir, "exclusive") as manager:
        if entry == ROOT and manager.get_entry(ROOT) is None:
            if summarize:
                raise click.UsageError("--summarize needs an entry to go to.")
            manager.reset_leaf()
            manager.save_position()
            say("The next message starts a new root.")
            return
        target = find_entry(manager.tree, entry)
        if summarize:
            from sapwood.modes.cli.compact_session import summarize_and_go

            summary = summarize_and_go(manager, target.id, " ".join(focus) or None, model=model)
            if summary is not None:
                say(f"The branch that was left is summarized in {summary}.")
        else:
            manager.branch(target.id)
        manager.save_position()
        say(f"At {one_line(target.id)}: {_words(manager.tree, target)}")


@session_group.command("label")
@session_argument
@click.argument("entry", metavar="ENTRY")
@click.argument("text", required=False)
@click.option("--remove", is_flag=True, help="Take the label away.")
def label_command(
    session: str, session_dir: Path | None, entry: str, text: str | None, remove: bool
) -> None:
    """Give an entry a label, or take it away."""
    if (text is None) is not remove:
        raise click.UsageError("Give a label, or --remove.")
    with opened(session, session_dir, "exclusive") as manager:
        target = find_entry(manager.tree, entry)
        manager.append_label_change(target.id, one_line(text).strip() if text else None)
        label = manager.get_label(target.id)
        place = f"{one_line(target.id)}: {_words(manager.tree, target)}"
        say(f"[{label}] {place}" if label else f"No label on {place}")


@session_group.command("name")
@session_argument
@click.argument("name", required=False)
@click.option("--remove", is_flag=True, help="Take the name away.")
def name_command(session: str, session_dir: Path | None, name: str | None, remove: bool) -> None:
    """Name a session; without NAME, print the one it has. A blank name removes it."""
    if remove and name is not None:
        raise click.UsageError("Give a name, or --remove.")
    if name is None and not remove:
        with opened(session, session_dir) as manager:
            say(one_line(manager.get_session_name() or "(no name)"))
        return
    with opened(session, session_dir, "exclusive") as manager:
        manager.append_session_info(name or "")
        say(one_line(manager.get_session_name() or "The session has no name now"))


@session_group.command("fork")
@session_argument
@click.argument("entry", metavar="ENTRY")
def fork_command(session: str, session_dir: Path | None, entry: str) -> None:
    """Copy the path to an entry into a new session; print its file."""
    with opened(session, session_dir) as manager:
        _copy(manager, find_entry(manager.tree, entry).id)


@session_group.command("clone")
@session_argument
@click.option("--all-branches", is_flag=True, help="Copy the whole tree, into this folder.")
def clone_command(session: str, session_dir: Path | None, all_branches: bool) -> None:
    """Copy the active path into a new session; print its file."""
    if all_branches:
        source = locate(session, session_dir)
        with SessionManager.fork_from(source, Path.cwd(), session_dir) as copy:
            say(f"{copy.path}")
        return
    with opened(session, session_dir) as manager:
        _copy(manager, manager.get_leaf())


def _copy(manager: SessionManager, leaf: str | None) -> None:
    with manager.branched(leaf) as copy:
        if copy.path is None or not copy.path.exists():
            raise SessionError("There is no message on that path yet, so nothing to copy.")
        say(f"{copy.path}")


@session_group.command("export")
@session_argument
@click.argument("target", required=False, type=click.Path(path_type=Path))
@click.option("--html", "kind", flag_value="html", help="A page for a browser.")
@click.option("--markdown", "kind", flag_value="md", help="A transcript of the path.")
@click.option("--jsonl", "kind", flag_value="jsonl", help="Session lines (default without FILE).")
@click.option("--path-only", "--branch", is_flag=True, help="The active path, not the whole tree.")
@click.option("--at", metavar="ENTRY", help="The path to this entry alone.")
@click.option("--mask", is_flag=True, help="Mask what looks like a key.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def export_command(
    session: str,
    session_dir: Path | None,
    target: Path | None,
    kind: ExportKind | None,
    path_only: bool,
    at: str | None,
    mask: bool,
    force: bool,
) -> None:
    """Write a session to a file, or to standard output.

    The file's name tells the kind (.html, .md, .jsonl); in a folder it is named after the session.
    A file is not replaced unless --force is given, and the session is not changed in any case.
    """
    from sapwood.library.export import SUFFIXES, export_pieces, export_session
    from sapwood.library.redact import Masker, described

    tells = target is None or target.suffix.lower() in SUFFIXES or target.is_dir()
    if kind is None and not tells:
        raise click.UsageError("Name the file .html, .md or .jsonl, or say which kind it is.")
    if target is not None and target.is_file() and not force:
        raise SessionError(f"{target} exists already; --force replaces it.")
    masker = Masker() if mask else None
    with opened(session, session_dir) as manager:
        leaf = CURRENT if at is None else find_entry(manager.tree, at).id
        path_only = path_only or at is not None
        if target is None:
            pieces = export_pieces(
                manager, kind or "jsonl", path_only=path_only, leaf=leaf, masker=masker
            )
            sys.stdout.flush()
            sys.stdout.buffer.writelines(pieces)
            sys.stdout.buffer.flush()
        else:
            path = export_session(
                manager,
                target,
                kind=kind,
                force=force,
                path_only=path_only,
                leaf=leaf,
                masker=masker,
            )
            say(f"{path}")
        if masker is not None:
            note(described(masker))


@session_group.command("compact")
@session_argument
@click.argument("focus", nargs=-1)
@click.option("--model", metavar="MODEL", help="Let a model write the summary.")
@click.option("--offline", is_flag=True, help="Let the extractor write it; so it is by default.")
@click.option("--keep", type=click.IntRange(min=0), metavar="N", help="Tokens to keep verbatim.")
@click.option("--dry-run", is_flag=True, help="Show the plan and write nothing.")
@json_option
def compact_command(
    session: str,
    session_dir: Path | None,
    focus: tuple[str, ...],
    model: str | None,
    offline: bool,
    keep: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Replace the older part of a conversation by a summary.

    The record keeps everything; only what a model sees becomes shorter.
    """
    if offline and model is not None:
        raise click.UsageError("Give --model or --offline.")
    from sapwood.modes.cli.compact_session import compact_session

    compact_session(
        locate(session, session_dir),
        " ".join(focus) or None,
        model=model,
        keep=keep,
        dry_run=dry_run,
        as_json=as_json,
        echo=say,
    )
