"""``sapwood session search``: which session was it in?"""

from __future__ import annotations

import os
from pathlib import Path

import click

from sapwood.modes.cli.opening import json_option, session_dir_option
from sapwood.modes.cli.output import note, say, say_json
from sapwood.modes.cli.session import session_group
from sapwood.text import one_line


@session_group.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--all", "everywhere", is_flag=True, help="Sessions of all folders.")
@json_option
@session_dir_option
def search_command(
    words: tuple[str, ...], everywhere: bool, as_json: bool, session_dir: Path | None
) -> None:
    """Find entries that hold all WORDS, on any branch.

    Each line: session, entry, who speaks, and what is around the first word.
    """
    from sapwood.library.catalogue import Catalogue
    from sapwood.library.search import search

    catalogue = Catalogue()
    listing = (
        catalogue.list_all(session_dir)
        if everywhere
        else catalogue.list_here(os.getcwd(), session_dir)
    )
    hits = search(listing.sessions, words)
    if as_json:
        say_json(
            [
                {
                    "session": hit.session.id,
                    "path": str(hit.session.path),
                    "entry": hit.entry_id,
                    "speaker": hit.speaker,
                    "snippet": hit.snippet,
                }
                for hit in hits
            ]
        )
        return
    found = False
    for hit in hits:
        found = True
        say(one_line(f"{hit.session.id}  {hit.entry_id}  {hit.speaker}: {hit.snippet}"))
    if not found:
        hint = "" if everywhere else "; --all searches the sessions of all folders"
        note(f"nothing holds all of these words{hint}")
