"""Sessions as files for people (HTML, Markdown) and for programs (JSONL).

The kind follows the name of the file. Nothing is ever replaced unless ``force`` is given, and many
exports at once leave as many files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from sapwood.errors import SapwoodError
from sapwood.library.redact import Masker
from sapwood.session.tree import CURRENT, Leaf, SessionTree
from sapwood.text import one_line

if TYPE_CHECKING:
    from sapwood.session.manager import SessionManager

ExportKind = Literal["html", "md", "jsonl"]
SUFFIXES: dict[str, ExportKind] = {
    ".html": "html",
    ".htm": "html",
    ".md": "md",
    ".markdown": "md",
    ".jsonl": "jsonl",
}


class What(TypedDict, total=False):
    """Which part of a session is exported, and how.

    ``path_only`` leaves out all branches but that of ``leaf``. With a ``masker`` keys are masked,
    and counted in it.
    """

    path_only: bool
    leaf: Leaf
    masker: Masker | None


class How(What, total=False):
    """An export to a file; with ``force`` it may replace one."""

    force: bool


def export_session(
    manager: SessionManager,
    target: Path | None = None,
    *,
    kind: ExportKind | None = None,
    force: bool = False,
    **what: Unpack[What],
) -> Path:
    """Write the session to ``target`` and give its path.

    Without a target, or with a folder, the file is named after the session (in the session's
    folder, else in the current one) and numbered where that name is taken.

    Raises:
        SapwoodError: the file exists, its name tells no kind, or it cannot be written.
    """
    try:
        folder = _folder(manager, target)
        path = folder / f"{file_stem(manager)}.{kind or 'html'}" if folder else target or Path()
        _refuse_to_spoil(path, manager.path)
    except OSError as error:
        place = target or manager.cwd
        raise SapwoodError(f"{place}: not written ({error.strerror or error}).") from error
    numbered = folder is not None and not force
    pieces = export_pieces(manager, kind or kind_of_name(path), **what)
    return _write(path, pieces, numbered=numbered, force=force)


def export_pieces(
    manager: SessionManager,
    kind: ExportKind,
    *,
    path_only: bool = False,
    leaf: Leaf = CURRENT,
    masker: Masker | None = None,
) -> Iterator[bytes]:
    """What an export consists of, piece by piece. Markdown always is one path."""
    if kind == "jsonl":
        lines = manager.path_lines(leaf) if path_only else manager.lines()
        return (line + b"\n" for line in (map(masker.line, lines) if masker else lines))
    tree, place = manager.tree, manager.tree.resolve(leaf)
    if masker is not None:
        tree = masker.tree(tree)
    if kind == "md":
        from sapwood.library.export.markdown import markdown_pieces

        return markdown_pieces(tree, place)
    from sapwood.library.export.html import html_pages

    return html_pages(_path_alone(tree, place)) if path_only else html_pages(tree, place)


def kind_of_name(path: Path) -> ExportKind:
    """The kind of export that a file's name asks for."""
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise SapwoodError(f"{path}: name it .html, .md or .jsonl, so that the kind is clear.")
    return kind


def file_stem(manager: SessionManager) -> str:
    """A file name of a session: its name as far as it can be one, else its id."""
    name = _fit_for_a_name(Masker().text(manager.get_session_name() or ""))
    return f"sapwood-{name or _fit_for_a_name(manager.session_id) or 'session'}"


def _fit_for_a_name(text: str) -> str:
    """Letters, digits, dots and dashes of ``text``, as much as any file system takes."""
    telling = re.sub(r"[^\w.-]+", "-", text).strip("-.")[:60]
    return telling.encode()[:120].decode(errors="ignore").strip("-.")


def _folder(manager: SessionManager, target: Path | None) -> Path | None:
    """Where the file gets a name of our own; None when ``target`` is the file itself."""
    if target is None:
        return manager.cwd if manager.cwd.is_dir() else Path.cwd()
    return target if target.is_dir() else None


def _refuse_to_spoil(path: Path, session: Path | None) -> None:
    if "\0" in str(path):
        raise SapwoodError(f"{one_line(str(path))}: no file can have this name.")
    if not path.exists():
        return
    if session is not None and session.exists() and path.samefile(session):
        raise SapwoodError(f"{path} is the session itself; it is not exported onto itself.")
    if not path.is_file():
        raise SapwoodError(f"{path} is no regular file; it is left as it is.")


def _path_alone(tree: SessionTree, leaf: str | None) -> SessionTree:
    from sapwood.session.fork import branch_entries
    from sapwood.session.origin import SYSTEM

    return SessionTree(tree.header, branch_entries(tree, leaf, SYSTEM))


def _write(path: Path, pieces: Iterable[bytes], *, numbered: bool, force: bool) -> Path:
    from sapwood.files import replace_atomic
    from sapwood.library.new_file import write_new

    if not force:
        return write_new(path, pieces, numbered=numbered)
    try:
        replace_atomic(path, pieces)
    except OSError as error:
        raise SapwoodError(f"{path}: not written ({error.strerror or error}).") from error
    return path


__all__ = ["SUFFIXES", "ExportKind", "How", "export_pieces", "export_session", "file_stem"]
