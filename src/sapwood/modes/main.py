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

from sapwood.modes import streams

COMMANDS = ("session", "demo", "completion")
"""First words that are commands; ``sapwood -- session`` makes the word a message again."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit status."""
    args = list(sys.argv[1:] if argv is None else argv)
    streams.open_missing()
    os.environ["AI_AGENT"] = "sapwood"  # for whatever is started from here
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # they are for programmers, not for who sits at a terminal
    try:
        status = _dispatch(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return streams.reader_left()
    except OSError as error:  # a full disk behind standard output, say
        streams.discard_output()
        print(f"sapwood: {streams.reason(error)}", file=sys.stderr)
        return 1
    return status


def _dispatch(args: list[str]) -> int:
    if args in (["--version"], ["-v"]):
        from sapwood import __version__

        print(__version__)
        return 0
    if "_SAPWOOD_COMPLETE" in os.environ or args[:1] in (["-h"], ["--help"]):
        from sapwood.modes.cli.root import run_root

        return run_root(args)
    if args and args[0] in COMMANDS:
        from sapwood.modes.cli.root import run_root

        return run_root(args)
    from sapwood.modes.agent_command import main as run_agent

    return run_agent(args)


if __name__ == "__main__":
    sys.exit(main())
