"""``sapwood session …``: looking at session files. Nothing here changes one."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from sapwood.library.tree_rows import TreeFilter
from sapwood.modes.cli.opening import (
    find_entry,
    json_option,
    opened,
    session_argument,
    session_dir_option,
)
from sapwood.modes.cli.output import columns, note, say, say_json
from sapwood.session.tree import CURRENT


@click.group("session")
def session_group() -> None:
    """Look at, question, branch and repair session files.

    A session is given by the path of its file, by its id, or by the start of its id; an entry by
    its id or the start of it.
    """


@session_group.command("list")
@click.option("--all", "everywhere", is_flag=True, help="Sessions of all folders.")
@json_option
@session_dir_option
def list_command(everywhere: bool, as_json: bool, session_dir: Path | None) -> None:
    """List the sessions made in this folder, newest first.

    Each line: id, age, number of messages, and the name or the first message.
    """
    from sapwood.library.catalogue import Catalogue
    from sapwood.modes.cli.render_list import info_json, list_lines

    catalogue = Catalogue()
    if everywhere:
        listing = catalogue.list_all(session_dir)
    else:
        listing = catalogue.list_here(os.getcwd(), session_dir)
    if as_json:
        say_json([info_json(info) for info in listing.sessions])
    else:
        now = time.time() * 1000
        for line in list_lines(listing.sessions, now_ms=now, width=columns(), by_folder=everywhere):
            say(line)
    if session_dir is not None and not session_dir.exists():
        note(f"there is no folder {session_dir}, and so no session")
    elif not listing.sessions:
        where = "" if everywhere else " made in this folder; --all lists those of all folders"
        note(f"there is no session{where}")
    if listing.skipped:
        count = len(listing.skipped)
        files = "1 file is no readable session" if count == 1 else f"{count} files are no sessions"
        note(f"{files}, such as {listing.skipped[0].name}")


@session_group.command("tree")
@session_argument
@click.option(
    "--filter",
    "shown",
    type=click.Choice([each.value for each in TreeFilter]),
    default=TreeFilter.DEFAULT.value,
    show_default=True,
    help="default hides settings and bookkeeping.",
)
@json_option
def tree_command(session: str, session_dir: Path | None, shown: str, as_json: bool) -> None:
    """Draw the tree of a session: id, time and text of each entry.

    The active branch comes first and is marked with a dot; [in brackets] stand labels.
    """
    from sapwood.modes.cli.render_tree import tree_json, tree_lines

    with opened(session, session_dir) as manager:
        if as_json:
            say_json(tree_json(manager.tree, TreeFilter(shown)))
            return
        for line in tree_lines(manager.tree, width=columns(), shown=TreeFilter(shown)):
            say(line)


@session_group.command("context")
@session_argument
@click.option("--at", metavar="ENTRY", help="As seen from this entry, not from the leaf.")
@json_option
@click.option("--text", "as_text", is_flag=True, help="Print everything in full.")
@click.option("--tokens", is_flag=True, help="Print the number of tokens alone.")
def context_command(
    session: str,
    session_dir: Path | None,
    at: str | None,
    as_json: bool,
    as_text: bool,
    tokens: bool,
) -> None:
    """Show what a model would see, message by message.

    Each line: entry, role, estimated tokens, and how the message begins.
    """
    if as_json + as_text + tokens > 1:
        raise click.UsageError("Give one of --json, --text and --tokens.")
    from sapwood.modes.cli.render_context import ContextReport

    with opened(session, session_dir) as manager:
        leaf = find_entry(manager.tree, at).id if at is not None else CURRENT
        report = ContextReport(manager.tree, leaf)
        if as_json:
            say_json(report.json())
        elif tokens:
            say(f"{report.estimate.tokens}")
        else:
            for line in report.text() if as_text else report.table(columns()):
                say(line)
        for oddity in report.projection.diagnostics:
            note(oddity.message)


@session_group.command("show")
@session_argument
@click.argument("entry", metavar="ENTRY")
@json_option
def show_command(session: str, session_dir: Path | None, entry: str, as_json: bool) -> None:
    """Show one entry in full."""
    from sapwood.modes.cli.render_entry import entry_lines

    with opened(session, session_dir) as manager:
        found = find_entry(manager.tree, entry)
        if as_json:
            say_json(found.data)
            return
        for line in entry_lines(manager.tree, found):
            say(line)


@session_group.command("check")
@session_argument
@json_option
def check_command(session: str, session_dir: Path | None, as_json: bool) -> None:
    """Report what is odd about a file; status 1 if anything is.

    Nothing is changed, now or later: oddities are left where they are and read around.
    """
    from sapwood.modes.cli.checking import check, check_lines

    found = check(session, session_dir)
    if as_json:
        say_json(found.json())
    else:
        for line in check_lines(found, columns()):
            say(line)
    if found.diagnostics:
        raise click.exceptions.Exit(1)
