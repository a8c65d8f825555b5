"""Values that a shell completes: sessions of this folder, models, providers, tools.

The shell runs the program for every Tab, so what a value needs is imported with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from click import Context, Parameter
    from click.shell_completion import CompletionItem

    from sapwood.models.catalogue import Catalogue


def sessions(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of the sessions made in this folder; files are completed by the shell."""
    from click.shell_completion import CompletionItem

    from sapwood.library.catalogue import Catalogue
    from sapwood.text import one_line

    found = Catalogue().list_here(Path.cwd(), context.params.get("session_dir")).sessions
    matching = [info for info in found if info.id.startswith(incomplete)]
    if not matching:
        return [CompletionItem(incomplete, type="file")]
    return [
        CompletionItem(info.id, help=one_line(info.name or info.first_message)[:60])
        for info in matching
    ]


def models(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Models that can be used; of several with commas between them, the last."""
    refs = [model.ref for model in _models().available()]
    return _last_of_list(refs, incomplete)


def providers(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """All providers that are known."""
    return _last_of_list(_models().provider_ids, incomplete)


def tools(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """The built-in tools, with or without a sign in front."""
    from sapwood.agent.tools import BUILTIN_TOOLS

    names = [sign + name for name in BUILTIN_TOOLS for sign in ("", "+", "-")]
    return _last_of_list(names, incomplete)


def _models() -> Catalogue:
    from sapwood.models.catalogue import Catalogue
    from sapwood.session.paths import agent_dir

    return Catalogue.load(agent_dir())


def _last_of_list(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The names that the letters after the last comma begin."""
    from click.shell_completion import CompletionItem

    before, comma, begun = incomplete.rpartition(",")
    taken = set(before.split(","))
    items: list[Any] = [
        CompletionItem(before + comma + name)
        for name in names
        if name.startswith(begun) and name not in taken
    ]
    return items
