"""The tree of a session on the whole screen: look around, label, and point at where to go on.

`TreeScreen` ends with a `TreeChoice`, or with None and nothing changed. It moves nothing itself;
the one thing it writes, through the session, are labels.
"""

from sapwood.modes.tui.tree.choice import TreeChoice
from sapwood.modes.tui.tree.prepared import prepared
from sapwood.modes.tui.tree.screen import TreeScreen

__all__ = ["TreeChoice", "TreeScreen", "prepared"]
