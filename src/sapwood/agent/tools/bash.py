"""``bash``: a shell command in the working folder."""

from __future__ import annotations

from sapwood.agent.shell import ShellResult, run_shell
from sapwood.agent.shell_output import MAX_BYTES, MAX_LINES
from sapwood.agent.tools.tool import Tool, ToolContext, ToolResult, closed_object, text_result
from sapwood.session.schema import JsonObject


async def _execute(call_id: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
    timeout = arguments.get("timeout")
    result = await run_shell(
        arguments["command"],
        context.cwd,
        environment=context.environment,
        shell=context.shell,
        timeout=timeout,
        on_output=lambda tail: context.on_update(text_result(tail)),
    )
    return _told(result, timeout)


def _told(result: ShellResult, timeout: float | None) -> ToolResult:
    parts = [result.output] if result.output else []
    details: JsonObject = {}
    if result.truncated:
        kept = result.output.count("\n") + 1
        parts.append(f"[The last {kept} of {result.total_lines} lines. {result.whereabouts}]")
        details["truncation"] = {
            "totalLines": result.total_lines,
            "totalBytes": result.total_bytes,
            "outputLines": kept,
        }
        if result.full_output_path is not None:
            details["fullOutputPath"] = result.full_output_path
    if result.exit_code is not None:
        details["exitCode"] = result.exit_code
    ending = _ending(result, timeout)
    if ending is not None:
        parts.append(ending)
    text = "\n\n".join(parts) or "(no output)"
    return text_result(text, details, is_error=ending is not None)


def _ending(result: ShellResult, timeout: float | None) -> str | None:
    """How the command ended, unless it did what it should."""
    if result.cancelled:
        return "Command aborted by the person"
    if result.timed_out:
        return f"Command timed out after {timeout:g} s"
    if result.exit_code:
        return f"Command exited with code {result.exit_code}"
    return None


TOOL = Tool(
    name="bash",
    description=(
        "Run a shell command in the working folder; standard output and error come back together. "
        f"Long output is cut to its last {MAX_LINES} lines or {MAX_BYTES >> 10} KB, "
        "with all of it in a file. There is no input and no terminal."
    ),
    parameters=closed_object(
        {
            "command": {"type": "string", "description": "The command"},
            "timeout": {
                "type": "number",
                "minimum": 0.001,
                "description": "Seconds after which it is ended; none by default",
            },
        },
        ["command"],
    ),
    execute=_execute,
    hint="run shell commands",
    guidelines=(
        "Give commands that may not end a timeout; start servers in the background with their "
        "output in a file.",
    ),
)
