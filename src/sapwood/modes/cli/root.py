"""The commands as one tree: for running them, for ``--help`` and for shell completion."""

from __future__ import annotations

import sys
from typing import Any

import click
from click.shell_completion import get_completion_class

from sapwood.errors import SapwoodError
from sapwood.modes import streams
from sapwood.modes.agent_command import agent_command
from sapwood.modes.cli import changing, importing, searching  # noqa: F401  (they add their commands)
from sapwood.modes.cli.output import note, say
from sapwood.modes.cli.session import session_group

_COMPLETE_VARIABLE = "_SAPWOOD_COMPLETE"


class _Root(click.Group):
    """Shows the agent's own options beside the commands; running the agent is not its part."""

    def collect_usage_pieces(self, context: click.Context) -> list[str]:
        return ["[OPTIONS]", "[@FILES…] [MESSAGES…]"]

    def invoke(self, context: click.Context) -> Any:
        """As usual, but a reader that leaves is no failure; click would make it status 1."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            return streams.reader_left()


root = _Root(
    "sapwood",
    help=agent_command.help,
    params=[each for each in agent_command.params if isinstance(each, click.Option)],
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`sapwood -- demo` sends the word instead of running the command.",
)
root.add_command(session_group)


@root.command("demo")
def demo_command() -> None:
    """See it at work in a minute: no key, no network."""
    from sapwood.modes.cli.demo import run_demo

    path = run_demo(say)
    say("")
    say("Look around in it:")
    say(f"  sapwood session tree {path}")
    say(f"  sapwood session goto {path} ENTRY")


@root.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print a completion script for a shell.

    For bash: sapwood completion bash > ~/.local/share/bash-completion/completions/sapwood
    """
    kind = get_completion_class(shell)
    assert kind is not None
    say(kind(root, {}, "sapwood", _COMPLETE_VARIABLE).source())


def run_root(args: list[str]) -> int:
    """Run one of the commands; the exit status."""
    for stream in (sys.stdout, sys.stderr):
        _never_fail(stream)
    try:
        status = root.main(
            args,
            prog_name="sapwood",
            complete_var=_COMPLETE_VARIABLE,
            standalone_mode=False,
        )
    except SapwoodError as error:
        note(str(error))
        return 1
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    except SystemExit as done:  # shell completion ends the program itself
        return done.code if isinstance(done.code, int) else 1
    return status if isinstance(status, int) else 0


def _never_fail(stream: Any) -> None:
    """What a terminal's encoding cannot show becomes a question mark."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
