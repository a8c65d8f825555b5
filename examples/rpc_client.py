"""Drive Sapwood from a program: ask, show the answer as it comes, let a person answer questions.

Try it:  python examples/rpc_client.py "What does this project do?" --tools read,grep

All that follows the question goes to Sapwood. docs/rpc.md has all commands.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any


class Sapwood:
    """One ``sapwood --mode rpc``; a record is one JSON object on one line, either way."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            ["sapwood", "--mode", "rpc", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def send(self, kind: str, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"type": kind, **fields}).encode() + b"\n")
        self.process.stdin.flush()

    def records(self) -> Iterator[dict[str, Any]]:
        """Until Sapwood ends. Bytes split at LF alone, as the protocol has it; text would not."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield json.loads(line)

    def close(self) -> int:
        """End its input: what still runs is aborted and stored. The exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait()


def answer(sapwood: Sapwood, question: str) -> str | None:
    """Ask and print; what went wrong, or None."""
    sapwood.send("prompt", id="question", message=question)
    for record in sapwood.records():
        match record:
            case {"type": "response", "success": False, "error": error}:
                return str(error)
            case {"type": "response", "data": {"disposition": "handled"}}:
                return None  # a command of an extension: no run follows
            case {"type": "message_update", "assistantMessageEvent": {"type": "text_delta"} as e}:
                print(e["delta"], end="", flush=True)
            case {"type": "message_end", "message": {"role": "assistant", "stopReason": "error"}}:
                print(record["message"].get("errorMessage"), file=sys.stderr)
            case {"type": "tool_execution_start", "toolName": tool}:
                print(f"[{tool}]", file=sys.stderr)
            case {"type": "extension_ui_request", "method": "notify", "message": text}:
                print(text, file=sys.stderr)
            case {"type": "extension_ui_request", "method": "confirm", "title": title}:
                yes = input(f"{title} (y/n) ").startswith("y")
                sapwood.send("extension_ui_response", id=record["id"], confirmed=yes)
            case {"type": "extension_ui_request"}:
                sapwood.send("extension_ui_response", id=record["id"], cancelled=True)
            case {"type": "agent_settled"}:
                print()
                return None
    return "Sapwood ended before it had answered."


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    sapwood = Sapwood(*sys.argv[2:])
    problem = answer(sapwood, sys.argv[1])
    if problem:
        print(problem, file=sys.stderr)
    sapwood.close()
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
