"""One call of one tool, whatever the model sent: always a result, never an exception.

Run it in a task of its own. Cancelling that task aborts the call: the work is stopped, and the
task still ends with a result, which says so and holds what there was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from sapwood.agent.tools.arguments import check_arguments
from sapwood.agent.tools.tool import Tool, ToolContext, ToolError, ToolResult, text_result
from sapwood.errors import SapwoodError
from sapwood.session.schema import Json, UserBlock
from sapwood.text import well_formed

ABORTED = "The call was aborted before it ended."


async def run_tool(
    tools: Mapping[str, Tool], name: str, call_id: str, arguments: Json, context: ToolContext
) -> ToolResult:
    """Check the arguments, run the tool, and make the result fit to be stored."""
    try:
        tool = tools.get(name)
        if tool is None:
            raise ToolError(_unknown_tool(name, tools))
        checked = check_arguments(tool, arguments)
        return _storable(await tool.execute(call_id, checked, context))
    except asyncio.CancelledError:
        return text_result(ABORTED, is_error=True)
    except SapwoodError as error:
        return _storable(text_result(str(error), is_error=True))
    except (Exception, SystemExit) as error:
        return _storable(text_result(f"The tool {name} failed: {_reason(error)}", is_error=True))


def _unknown_tool(name: str, tools: Mapping[str, Tool]) -> str:
    known = ", ".join(tools) or "none"
    return f"There is no tool named {name}. Tools that can be called: {known}."


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _storable(result: ToolResult) -> ToolResult:
    """Lone surrogates, from odd file names say, would make every later request invalid."""
    content = [_storable_block(block) for block in result.content]
    return ToolResult(content, result.details, result.is_error)


def _storable_block(block: UserBlock) -> UserBlock:
    if block["type"] == "text":
        return {**block, "text": well_formed(block["text"])}
    return block
