"""The entry point of ``sapwood``: the shortest way to whatever was asked for.

The version needs nothing, the commands need click, and everything else goes to the agent's command,
which loads what it needs when it needs it. Whatever goes wrong on purpose is one line on standard
error and status 1; wrong usage is status 2.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

COMMANDS = ("session", "demo", "completion")
"""First words that are commands; ``sapwood -- session`` makes the word a message again."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit status."""
    args = list(sys.argv[1:] if argv is None else argv)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for programmers, not for who sits at a terminal
    if args in (["--version"], ["-v"]):
        from sapwood import __version__

        print(__version__)
        return 0
    try:
        return _dispatch(args)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return _reader_left()


def _dispatch(args: list[str]) -> int:
    if "_SAPWOOD_COMPLETE" in os.environ or args[:1] in (["-h"], ["--help"]):
        from sapwood.modes.cli.root import run_root

        return run_root(args)
    if args and args[0] in COMMANDS:
        from sapwood.modes.cli.root import run_root

        return run_root(args)
    from sapwood.modes.agent_command import main as run_agent

    return run_agent(args)


def _reader_left() -> int:
    """The reader of a pipe has gone, as ``| head`` does: stop, and say nothing more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
