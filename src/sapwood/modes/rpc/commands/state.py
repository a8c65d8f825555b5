"""What the session is, says and has used."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from sapwood.agent.activity import Activity
from sapwood.agent.outside import answer_text
from sapwood.agent.settings import PROJECT_FOLDER
from sapwood.agent.shorthand import SKILL_PREFIX
from sapwood.context.projection import project
from sapwood.modes.rpc.commands.choosing import model_object

if TYPE_CHECKING:
    from sapwood.agent.session import AgentSession
    from sapwood.modes.rpc.driver import Driver
    from sapwood.modes.rpc.request import Request
    from sapwood.session.schema import Json, JsonObject


async def get_state(driver: Driver, request: Request) -> Json:
    session, waiting = driver.session, driver.session.queued
    return _present(
        {
            "model": model_object(session.model) if session.model else None,
            "thinkingLevel": session.thinking_level,
            "isStreaming": session.activity in (Activity.RUNNING, Activity.RETRYING),
            "isCompacting": session.activity is Activity.COMPACTING,
            "steeringMode": session.switches.steering_mode,
            "followUpMode": session.switches.follow_up_mode,
            **_identity(session),
            "sessionName": session.session_name,
            "autoCompactionEnabled": session.switches.auto_compaction,
            "messageCount": driver.message_count(),
            "pendingMessageCount": len(waiting.steering) + len(waiting.follow_up),
        }
    )


def _identity(session: AgentSession) -> JsonObject:
    path = session.manager.path
    return {"sessionFile": str(path) if path else None, "sessionId": session.session_id}


def _present(fields: JsonObject) -> JsonObject:
    return {name: value for name, value in fields.items() if value is not None}


async def get_messages(driver: Driver, request: Request) -> Json:
    """The messages that the active path yields, as of the newest compaction."""
    return {"messages": project(driver.session.manager.tree).messages}


async def get_last_assistant_text(driver: Driver, request: Request) -> Json:
    """Of the newest answer on the active path that has a text."""
    tree = driver.session.manager.tree
    for entry in tree.ancestors():
        message = entry.message
        if message is not None and message.get("role") == "assistant":
            text = answer_text(message)  # type: ignore[arg-type]
            if text:
                return {"text": text}
    return {"text": None}


async def get_session_stats(driver: Driver, request: Request) -> Json:
    session = driver.session
    usage = session.get_context_usage()
    stats = await asyncio.to_thread(session.get_session_stats)
    spent, messages = stats.total, stats.messages
    context = {
        "tokens": usage.tokens,
        "contextWindow": usage.context_window,
        "percent": usage.percent,
    }
    return _present(
        {
            **_identity(session),
            "userMessages": messages["user"],
            "assistantMessages": messages["assistant"],
            "toolCalls": stats.tool_calls,
            "toolResults": messages["toolResult"],
            "totalMessages": messages.total(),
            "tokens": {
                "input": spent.input,
                "output": spent.output,
                "cacheRead": spent.cache_read,
                "cacheWrite": spent.cache_write,
                "total": spent.tokens,
            },
            "cost": spent.cost,
            "contextUsage": context if usage.context_window else None,
        }
    )


async def get_commands(driver: Driver, request: Request) -> Json:
    """What a prompt may begin with after a slash."""
    session = driver.session
    found: list[tuple[str, str, str, str]] = [
        (each.name, each.description, "extension", each.path)
        for each in session.extensions.commands.values()
    ]
    shorthand = session.shorthand
    found += [(t.name, t.description, "prompt", str(t.file)) for t in shorthand.templates]
    found += [
        (SKILL_PREFIX + skill.name, skill.description, "skill", str(skill.file))
        for skill in shorthand.skills
    ]
    return {
        "commands": [
            {
                "name": name,
                "description": description,
                "source": source,
                "sourceInfo": _source_info(session, path),
            }
            for name, description, source, path in found
        ]
    }


def _source_info(session: AgentSession, path: str) -> JsonObject:
    """Where a command comes from, in the words of the protocol."""
    if not Path(path).exists():  # what an entry point names
        return {"path": path, "source": "auto", "scope": "user", "origin": "package"}
    file = Path(path).absolute()
    info = {"path": str(file), "source": "auto", "origin": "top-level"}
    places = {"project": session.cwd / PROJECT_FOLDER, "user": session.catalogue.agent_dir}
    for scope, folder in places.items():
        if file.is_relative_to(folder):
            return info | {"scope": scope, "baseDir": str(folder)}
    return info | {"source": "cli", "scope": "temporary"}
