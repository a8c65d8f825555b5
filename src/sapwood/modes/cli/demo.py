"""``sapwood demo``: the whole idea in a minute, without a key and without the network.

A scripted model works with the real tools in a temporary project: a task, an edit that goes wrong,
back to the earlier message, another try with a summary of the branch that was left, a compaction,
and the session opened again. It prints what happens in plain steps.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.session.entry import Entry
    from sapwood.session.manager import SessionManager

Say = Callable[[str], None]

GREETER = """import sys


def greet(name):
    return f"Hello, {name}."


if __name__ == "__main__":
    print(greet(sys.argv[1]))
"""
MENDED = """import sys


def greet(name, shout=False):
    text = f"Hello, {name}."
    return text.upper() if shout else text


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if word != "--shout"]
    print(greet(names[0], "--shout" in sys.argv))
"""
TRY = "python3 greet.py Ada --shout"
NOTES = "\n".join(f"Note {number}: every greeting ends with a full stop." for number in range(90))


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _script() -> dict[str, Any]:
    """What the model will say; the tools it calls are real."""
    wrong = [{"oldText": 'return f"Hello', "newText": 'return shout(f"Hello'}]
    return {
        "contextWindow": 6000,
        "maxTokens": 1000,
        "steps": [
            {"text": "I look at the program first.", "tools": [call("read", path="greet.py")]},
            {"text": "It greets one person by name."},
            {"text": "I wrap the text.", "tools": [call("edit", path="greet.py", edits=wrong)]},
            {"text": "Does it run?", "tools": [call("bash", command=TRY)]},
            {"text": "It does not: I left a bracket open."},
            {
                "text": "This time the whole function.",
                "tools": [call("write", path="greet.py", content=MENDED)],
            },
            {"text": "Does it run?", "tools": [call("bash", command=TRY)]},
            {"text": "It does: HELLO, ADA."},
            {"text": "I read the notes.", "tools": [call("read", path="NOTES.md")]},
            {"text": "The notes ask for a full stop, and there is one.", "usage": {"input": 5400}},
            {"text": "Nothing is left: --shout works and the notes are kept."},
        ],
        "summaries": [{"text": _summary("Tried to wrap the text; a bracket was left open.")}],
    }


def _summary(done: str) -> str:
    return (
        "## Goal\nGive greet.py an option --shout.\n\n"
        "## Constraints & Preferences\n- Every greeting ends with a full stop\n\n"
        f"## Progress\n### Done\n- [x] {done}\n\n### In Progress\n- (none)\n\n"
        "### Blocked\n- (none)\n\n"
        "## Key Decisions\n- **Option**: a plain word in the arguments\n\n"
        "## Next Steps\n1. Report\n\n## Critical Context\n- The program is greet.py"
    )


def run_demo(say: Say, folder: Path | None = None) -> Path:
    """Play the demo in `folder`, or in a new temporary one; returns the session's file."""
    where = folder or Path(tempfile.mkdtemp(prefix="sapwood-demo-"))
    project = where / "project"
    project.mkdir(parents=True)
    (project / "greet.py").write_text(GREETER, encoding="utf-8")
    (project / "NOTES.md").write_text(NOTES, encoding="utf-8")
    (where / "script.json").write_text(json.dumps(_script()), encoding="utf-8")
    return asyncio.run(_Demo(say, where).play())


class _Demo:
    def __init__(self, say: Say, where: Path) -> None:
        self._say = say
        self._where = where
        self._step = 0

    async def play(self) -> Path:
        from sapwood.session.manager import SessionManager

        self._say(f"A project with greet.py in it: {self._where / 'project'}")
        session = await self._open(
            SessionManager.create(self._where / "project", self._where / "sessions")
        )
        await self._first_try(session)
        await self._second_try(session)
        await self._compaction(session)
        path = session.manager.path
        assert path is not None
        await session.dispose()
        await self._resume(path)
        return path

    async def _first_try(self, session: AgentSession) -> None:
        self._title("A task")
        await self._prompt(session, "What does greet.py do?")
        self._title("An edit that goes wrong")
        await self._prompt(session, "Give it an option --shout.")

    async def _second_try(self, session: AgentSession) -> None:
        self._title("Back to the earlier message, with a summary of what is left behind")
        request = _user_entries(session)[1]
        moved = await session.navigate_tree(request.id, summary="default")
        self._say(f"  the message is open for editing again: {moved.editor_text}")
        summary = moved.summary_entry
        if summary is not None:
            self._say(f"  kept of the other branch: {_done_line(summary.data['summary'])}")
        self._title("Another try")
        await self._prompt(session, "Give it an option --shout; write the function anew.")

    async def _compaction(self, session: AgentSession) -> None:
        self._title("The context fills up and is compacted")
        before = session.get_context_usage().tokens
        await self._prompt(session, "Do NOTES.md and greet.py agree?")
        usage = session.get_context_usage()
        self._say(f"  before this prompt: {before:,} tokens in the context")
        self._say(f"  now: {usage.tokens:,} of {usage.context_window:,}")
        self._say(f"  what the model sees: {', '.join(_roles(session))}")

    async def _resume(self, path: Path) -> None:
        from sapwood.modes.cli.render_tree import tree_lines
        from sapwood.modes.cli.tour import tour
        from sapwood.session.manager import SessionManager

        self._title("Closed and opened again")
        session = await self._open(SessionManager.open(path))
        await self._prompt(session, "What is left to do?")
        self._title("The tree")
        for line in tree_lines(session.manager.tree, width=78):
            self._say(f"  {line}")
        await session.dispose()
        tour(path, self._title, self._say)
        self._say("")
        self._say(f"The whole record, nothing lost: {path}")

    async def _open(self, manager: SessionManager) -> AgentSession:
        from sapwood.agent.create import SessionOptions, create_agent_session

        session = await create_agent_session(
            SessionOptions(
                manager=manager,
                model=f"scripted/{self._where / 'script.json'}",
                agent_dir=self._where / "agent",
                context_files=False,
                discover_extensions=False,
            )
        )
        session.subscribe(self._tell)
        return session

    async def _prompt(self, session: AgentSession, text: str) -> None:
        self._say(f"  you: {text}")
        await session.prompt(text)

    def _tell(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        if kind == "message_end" and event["message"]["role"] == "assistant":
            for block in event["message"]["content"]:
                if block["type"] == "text":
                    self._say(f"  model: {block['text']}")
        elif kind == "tool_execution_end":
            text = event["result"]["content"][0].get("text", "")
            outcome = "failed" if event["isError"] else "done"
            last = text.strip().splitlines()[-1] if text.strip() else ""
            self._say(f"    {event['toolName']} {outcome}: {last[:70]}")
        elif kind == "compaction_end" and "result" in event:
            result = event["result"]
            self._say(
                f"  compacted: {result['tokensBefore']:,} tokens before, "
                f"about {result['estimatedTokensAfter']:,} after"
            )

    def _title(self, text: str) -> None:
        self._step += 1
        self._say("")
        self._say(f"{self._step}. {text}")


def _user_entries(session: AgentSession) -> list[Entry]:
    return [
        entry
        for entry in session.manager.get_branch()
        if entry.message and entry.message["role"] == "user"
    ]


def _roles(session: AgentSession) -> list[str]:
    from sapwood.context.projection import project

    names = {"compactionSummary": "summary", "toolResult": "tool result", "branchSummary": "branch"}
    roles = [message["role"] for message in project(session.manager.tree).messages]
    return [names.get(role, role) for role in roles]


def _done_line(summary: str) -> str:
    done = [line for line in summary.splitlines() if line.startswith("- [x]")]
    return done[0].removeprefix("- [x] ") if done else summary.splitlines()[0]
