"""The command ``sapwood [options] [@files…] [messages…]``: which mode, then off it goes.

Terminal on both ends and no ``-p``: the UI. Otherwise print mode, or what ``--mode`` says.
Imports that a run needs are made in a thread while the session is being opened.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from sapwood.errors import SapwoodError
from sapwood.modes import completion, streams
from sapwood.modes.headless import FAILED, INTERRUPTED, tell
from sapwood.modes.options import AgentFlags

LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")


def _options(*options: Callable[..., Any]) -> Callable[[Any], Any]:
    def apply(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return apply


_MODES = _options(
    click.option("-p", "--print", "print_mode", is_flag=True, help="Answer and exit."),
    click.option(
        "--mode",
        type=click.Choice(["text", "json", "rpc"]),
        default="text",
        help="json: events as JSON lines. rpc: driven over standard input and output.",
    ),
)
_SESSIONS = _options(
    click.option(
        "-c",
        "--continue",
        "continue_recent",
        is_flag=True,
        help="Go on with the most recent session of this folder.",
    ),
    click.option("-r", "--resume", is_flag=True, help="Choose a session to go on with."),
    click.option(
        "--session",
        metavar="PATH|ID",
        shell_complete=completion.sessions,
        help="Open a session by file, id or id prefix.",
    ),
    click.option("--session-id", metavar="ID", help="Open the session with this id, or make it."),
    click.option(
        "--fork",
        metavar="PATH|ID",
        shell_complete=completion.sessions,
        help="Copy a session into this folder as a new one.",
    ),
    click.option(
        "--session-dir",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Where session files are kept.",
    ),
    click.option("--no-session", is_flag=True, help="Keep the session in memory only."),
    click.option("-n", "--name", metavar="NAME", help="Display name of the session."),
)
_MODELS = _options(
    click.option(
        "--provider",
        metavar="NAME",
        shell_complete=completion.providers,
        help="Provider of the model.",
    ),
    click.option(
        "--model",
        metavar="[PROVIDER/]ID[:THINKING]",
        shell_complete=completion.models,
        help="Model to use.",
    ),
    click.option(
        "--models",
        metavar="PATTERNS",
        shell_complete=completion.models,
        help="Models to begin with and to switch between, comma separated.",
    ),
    click.option(
        "--list-models", is_flag=False, flag_value="", metavar="[WORDS]", help="List models, exit."
    ),
    click.option("--api-key", metavar="KEY", help="Key for the model's provider."),
    click.option("--thinking", type=click.Choice(LEVELS), help="How much the model thinks."),
)
_TOOLS = _options(
    click.option(
        "-t",
        "--tools",
        metavar="NAMES",
        shell_complete=completion.tools,
        help="Tools to offer: a,b or +a,-b.",
    ),
    click.option(
        "-xt",
        "--exclude-tools",
        metavar="NAMES",
        shell_complete=completion.tools,
        help="Tools not to offer.",
    ),
    click.option("-nt", "--no-tools", is_flag=True, help="Offer no tools."),
    click.option("--system-prompt", metavar="TEXT|FILE", help="Replace the system prompt."),
    click.option(
        "--append-system-prompt", metavar="TEXT|FILE", multiple=True, help="Add to the prompt."
    ),
    click.option("-nc", "--no-context-files", is_flag=True, help="Read no AGENTS.md files."),
    click.option(
        "-e",
        "--extension",
        "extensions",
        type=click.Path(path_type=Path),
        multiple=True,
        metavar="FILE",
        help="Load an extension.",
    ),
    click.option("-ne", "--no-extensions", is_flag=True, help="Load only those given with -e."),
    click.option(
        "-a", "--approve", "trust", flag_value=True, default=None, type=bool,
        help="Use the project's own settings and extensions this time.",
    ),
    click.option(
        "-na", "--no-approve", "trust", flag_value=False, type=bool,
        help="Leave the project's own settings and extensions out this time.",
    ),
)  # fmt: skip
_OTHER = _options(
    click.option(
        "--export",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write a session file as HTML and exit; a message names the output.",
    ),
    click.option(
        "--offline",
        is_flag=True,
        help="Make no request but those to the model; it makes none by itself.",
    ),
    click.option(
        "--verbose",
        is_flag=True,
        help="Say what is loaded, and where an error of Sapwood's own arose.",
    ),
)


@click.command(
    "sapwood",
    context_settings={"help_option_names": ["-h", "--help"]},
    options_metavar="[OPTIONS]",
)
@click.argument("messages", nargs=-1, metavar="[@FILES…] [MESSAGES…]")
@_MODES
@_SESSIONS
@_MODELS
@_TOOLS
@_OTHER
@click.version_option(None, "-v", "--version", package_name="sapwood", message="%(version)s")
def agent_command(**values: Any) -> int:
    """A coding agent whose session is a tree.

    Without -p, in a terminal, this opens the terminal UI. Piped input is put before the first
    message; @path adds a text file or an image.
    """
    return run(AgentFlags(**values))


def main(argv: Sequence[str]) -> int:
    """Run with these arguments; the exit status."""
    try:
        status = agent_command.main(list(argv), prog_name="sapwood", standalone_mode=False)
    except click.ClickException as wrong_usage:
        wrong_usage.show()
        return wrong_usage.exit_code
    except click.Abort:  # how click tells of Ctrl+C
        return INTERRUPTED
    return int(status or 0)


def run(flags: AgentFlags) -> int:
    """Do what the flags say; errors are one line and status 1."""
    from sapwood.modes.opening import check_flags

    try:
        check_flags(flags)
        if flags.list_models is not None:
            return _list_models(" ".join([flags.list_models, *flags.messages]).strip())
        if flags.export is not None:
            return _export(flags.export, flags.messages)
        if flags.mode == "rpc":
            return _run_rpc(flags)
        if _wants_ui(flags):
            return _run_ui(flags)
        return _run_headless(flags)
    except SapwoodError as error:
        tell(str(error))
        return FAILED
    except BrokenPipeError:  # click would make it status 1
        return streams.reader_left()
    except (click.ClickException, OSError):
        raise
    except Exception as error:
        if flags.verbose:
            raise
        tell(f"Something went wrong inside Sapwood: {error!r}; --verbose shows where.")
        return FAILED


def _wants_ui(flags: AgentFlags) -> bool:
    if flags.print_mode or flags.mode != "text":
        if flags.resume:
            raise click.UsageError("-r opens the picker, which needs the terminal UI; use -c.")
        return False
    both_ends = sys.stdin.isatty() and sys.stdout.isatty()
    if flags.resume and not both_ends:
        raise SapwoodError("--resume opens the picker, which needs a terminal; use -c.")
    return both_ends


def _run_ui(flags: AgentFlags) -> int:
    from sapwood.modes.opening import Opening
    from sapwood.modes.prompts import make_prompts
    from sapwood.modes.tui.launch import Launch
    from sapwood.modes.tui.start import run_tui

    opening = Opening(flags, interactive=True)
    prompts = make_prompts(flags.messages, opening.cwd, resize_images=opening.resizes_images)
    return run_tui(
        Launch(
            open_session=opening.open_session,
            open_path=opening.open_path,
            agent_dir=opening.agent_dir,
            cwd=opening.cwd,
            prompts=[(prompt.whole, prompt.images) for prompt in prompts],
            resume=flags.resume,
            verbose=flags.verbose,
        )
    )


def _run_rpc(flags: AgentFlags) -> int:
    from sapwood.modes.rpc.start import run_rpc

    if flags.resume:
        raise click.UsageError("-r opens the picker, which needs the terminal UI; use -c.")
    return run_rpc(flags)


def _run_headless(flags: AgentFlags) -> int:
    import asyncio

    from sapwood.modes.opening import Opening
    from sapwood.modes.prompts import make_prompts, piped_text

    opening = Opening(flags, interactive=False)
    piped = "" if sys.stdin.isatty() else piped_text(sys.stdin.buffer.read())
    prompts = make_prompts(flags.messages, opening.cwd, piped, resize_images=opening.resizes_images)
    if not prompts:
        raise SapwoodError("There is nothing to ask: give a message, or pipe one in.")
    return asyncio.run(_answer(flags, opening, prompts))


async def _answer(flags: AgentFlags, opening: Any, prompts: Any) -> int:
    import signal

    from sapwood.modes.opening import NobodyToAsk

    # asyncio would ask the task to stop, which it could not hear before it awaits something.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    output = streams.take_output()
    session = await opening.open_session(NobodyToAsk())
    if flags.verbose:
        for name, text in session.what_is_loaded():
            tell(f"{name}: {text}")
    try:
        if flags.mode == "json":
            from sapwood.modes.json import run_json

            return await run_json(session, prompts, output)
        from sapwood.modes.print import run_print

        return await run_print(session, prompts, output)
    finally:
        await session.dispose()
        from sapwood.models.clients import close_connections

        await close_connections()


def _list_models(search: str) -> int:
    from sapwood.models.catalogue import Catalogue
    from sapwood.session.paths import agent_dir

    catalogue = Catalogue.load(agent_dir())
    for problem in catalogue.problems:
        tell(problem)
    models = catalogue.search(search)
    if not models:
        raise SapwoodError(
            f"No available model fits {search}."
            if search
            else "No provider has a key yet; set one, for instance ANTHROPIC_API_KEY."
        )
    width = max(len(model.ref) for model in models)
    for model in models:
        window = f"{model.context_window:>9,}" if model.context_window else f"{'?':>9}"
        traits = [*model.inputs[1:], *(["thinking"] if model.reasoning else [])]
        click.echo(f"{model.ref:<{width}}  {window}  {' '.join(traits)}".rstrip())
    return 0


def _export(source: Path, rest: Sequence[str]) -> int:
    from sapwood.library.export import export_session
    from sapwood.session.manager import SessionManager

    if len(rest) > 1:
        raise click.UsageError("--export takes a session file and at most one output.")
    target = Path(rest[0]) if rest else None
    with SessionManager.open(source, writer="none") as manager:
        click.echo(export_session(manager, target))
    return 0
