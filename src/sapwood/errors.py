"""What can go wrong, as values with names.

Every message is one line that says what happened and what a person can do about it. The faces print
it and exit with status 1; a traceback for bad input is a bug.
"""


class SapwoodError(Exception):
    """Base of every error that Sapwood raises on purpose; ``str(error)`` is one readable line."""


class SessionError(SapwoodError):
    """A session file could not be used as asked."""


class NotASessionError(SessionError):
    """The path holds no session: missing, a folder, unreadable, or without a valid header."""


class SessionNotFoundError(SessionError):
    """No session has the id or prefix that was given."""


class AmbiguousSessionError(SessionError):
    """The prefix that was given fits several sessions."""


class EntryNotFoundError(SessionError):
    """The session has no entry with the id that was given."""


class SessionLockedError(SessionError):
    """Another process writes to this session; the message names pid, host and since when."""


class ReadOnlySessionError(SessionError):
    """A change was asked of a session that is open for reading only."""


class SessionWriteError(SessionError):
    """The disk refused a write; memory was rolled back and the next append tries again."""


class SettingsError(SapwoodError):
    """A setting has a value that cannot be used; the message names file, key and value."""


class ModelError(SapwoodError):
    """No model can be used as asked: unknown, not configured, or its provider is not installed."""


class CompactionError(SapwoodError):
    """The context could not be made smaller; nothing was stored."""
