"""The record: entries on disk ⇄ a tree in memory. No model, no UI, no asyncio."""

from sapwood.session.bulk import decode_all
from sapwood.session.diagnostics import Diagnostic
from sapwood.session.entry import Entry
from sapwood.session.manager import SessionManager
from sapwood.session.shapes import UNSET
from sapwood.session.tree import CURRENT, Label, SessionTree, TreeNode

__all__ = [
    "CURRENT",
    "UNSET",
    "Diagnostic",
    "Entry",
    "Label",
    "SessionManager",
    "SessionTree",
    "TreeNode",
    "decode_all",
]
