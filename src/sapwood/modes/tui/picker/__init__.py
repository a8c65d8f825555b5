"""The session picker on the whole screen: find a session, name it, throw it away, choose it.

`SessionPicker` ends with the chosen file, or with None. It opens nothing itself; what it changes
are names and, after a question, whether a file is in the trash.
"""

from sapwood.modes.tui.picker.screen import SessionPicker

__all__ = ["SessionPicker"]
