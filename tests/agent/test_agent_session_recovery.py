"""Recovery: overflow, output limits, retries, guards. Every case against a real HTTP server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from sapwood import SessionManager
from sapwood.agent.recovery import STILL_TOO_LARGE
from support.stage import request_texts, words

if TYPE_CHECKING:
    from sapwood import AgentSession
    from support.stage import Stage

Build = Callable[..., "Stage"]

SMALL = {"compaction": {"reserveTokens": 2000, "keepRecentTokens": 300}}
QUICK = {"retry": {"maxRetries": 2, "baseDelayMs": 1}}
OVERFLOW = {"error": "openai_overflow"}


def say(text: str, prompt: int = 1000, completion: int = 20, **more: Any) -> dict[str, Any]:
    return {"text": text, "usage": {"prompt": prompt, "completion": completion}, **more}


def status(code: int, message: str) -> dict[str, Any]:
    return {"error": {"status": code, "body": {"error": {"message": message}}}}


async def filled(stage: Stage, turns: int = 2, **options: Any) -> AgentSession:
    """A session with a few turns in it, large enough to be compacted."""
    session = await stage.open(**options)
    for number in range(turns):
        await session.prompt(words(f"question{number}", 200))
    return session


async def test_an_overflow_is_recovered_and_the_message_sent_once_more(stage_with: Build) -> None:
    answers = [say(words("a", 200)), say(words("b", 200)), OVERFLOW, say("recovered")]
    stage = stage_with(answers, settings=SMALL)
    session = await filled(stage)
    await session.prompt("the question")
    kinds = stage.kinds()
    assert kinds[:3] + kinds[-1:] == ["chat"] * 4
    assert set(kinds[3:-1]) == {"summary"}
    assert session.last_assistant_text() == "recovered"
    users = [e for e in session.manager.get_entries() if e.message and e.message["role"] == "user"]
    assert len(users) == 3
    last = request_texts(stage.bodies()[-1])
    assert sum("the question" in text for _, text in last) == 1


async def test_an_overflow_that_stays_ends_with_what_to_do_and_a_usable_session(
    stage_with: Build,
) -> None:
    """B86: try, summary, retry, stop."""
    stage = stage_with([say(words("a", 200)), say(words("b", 200)), OVERFLOW], settings=SMALL)
    session = await filled(stage)
    await session.prompt("the question")
    chats = stage.kinds().count("chat")
    assert chats == 4
    assert stage.last_event("compaction_end")["errorMessage"] == STILL_TOO_LARGE
    assert session.is_idle
    stage.state.steps = [say("fine")]
    stage.state.n = 0
    await session.prompt("again")
    assert session.last_assistant_text() == "fine"


async def test_compactions_without_an_answer_are_limited(stage_with: Build) -> None:
    """B59: whatever is sent, no third compaction before an answer."""
    stage = stage_with([say(words("a", 200)), say(words("b", 200)), OVERFLOW], settings=SMALL)
    session = await filled(stage)
    for number in range(5):
        await session.prompt(words(f"try{number}", 320))
    starts = stage.event_types("compaction_start")
    assert len(starts) <= 2
    stage.state.steps = [say("fine")]
    stage.state.n = 0
    await session.prompt("smaller")
    assert session.last_assistant_text() == "fine"


async def test_a_finished_answer_above_the_window_is_compacted_but_not_asked_for_again(
    stage_with: Build,
) -> None:
    """B85: the answer was complete; the user's message is neither repeated nor stored twice."""
    over = {"text": words("whole answer", 300), "usage": {"prompt": 9000, "completion": 300}}
    stage = stage_with([{"text": words("first", 300)}, over], settings=SMALL)
    session = await stage.open()
    await session.prompt(words("question one", 300))
    await session.prompt(words("question two", 300))
    assert stage.kinds()[:2] == ["chat", "chat"]
    assert set(stage.kinds()[2:]) == {"summary"}
    users = [
        entry
        for entry in session.manager.get_entries()
        if entry.message is not None and entry.message["role"] == "user"
    ]
    assert len(users) == 2
    assert session.is_idle


async def test_too_much_output_asked_for_is_lowered_and_sent_again(stage_with: Build) -> None:
    """B83: input + max_tokens above the window is no overflow."""
    refused = status(
        400,
        "This model's maximum context length is 8000 tokens. However, you requested 8200 tokens "
        "(7200 in the messages, 1000 in the completion).",
    )
    stage = stage_with([refused, say("fits")], settings=SMALL)
    session = await stage.open()
    await session.prompt("hello")
    assert stage.kinds() == ["chat", "chat"]
    limits = [body.get("max_completion_tokens") or body["max_tokens"] for body in stage.bodies()]
    assert limits == [1000, 800]
    assert session.last_assistant_text() == "fits"


@pytest.mark.parametrize(
    "step",
    [
        {"error": "429"},
        status(429, "Request too large: limit 30000 tokens per minute, requested 40000"),
        status(529, "Overloaded"),
        status(503, "Service unavailable"),
        {"text": "part", "drop": True},
    ],
    ids=["429", "tokens-per-minute", "529", "503", "cut-stream"],
)
async def test_passing_trouble_waits_and_never_compacts(
    stage_with: Build, step: dict[str, Any]
) -> None:
    """B81, B45: the failed attempt stays in the record and out of the context."""
    stage = stage_with([step, say("fine")], settings=SMALL | QUICK)
    session = await stage.open()
    await session.prompt("hello")
    assert stage.kinds() == ["chat", "chat"]
    assert stage.event_types("auto_retry_start", "auto_retry_end", "compaction_start") == [
        "auto_retry_start",
        "auto_retry_end",
    ]
    assert stage.last_event("auto_retry_end")["success"] is True
    assert request_texts(stage.bodies()[1]) == [("user", "hello")]
    answers = [e.message for e in session.manager.get_entries() if e.message]
    assert [m["stopReason"] for m in answers if m["role"] == "assistant"] == ["error", "stop"]
    await session.prompt("next")
    said = request_texts(stage.bodies()[2])
    assert [role for role, _ in said] == ["user", "assistant", "user"]


async def test_retries_that_run_out_are_told_and_the_session_is_usable(stage_with: Build) -> None:
    stage = stage_with([{"error": "500"}], settings=QUICK)
    session = await stage.open()
    await session.prompt("hello")
    assert len(stage.requests) == 3
    ended = stage.last_event("auto_retry_end")
    assert (ended["success"], ended["attempt"]) == (False, 2)
    assert session.is_idle
    stage.state.steps = [say("fine")]
    stage.state.n = 0
    await session.prompt("again")
    assert session.last_assistant_text() == "fine"


async def test_the_wait_before_a_retry_can_be_aborted(stage_with: Build) -> None:
    stage = stage_with([{"error": "500"}], settings={"retry": {"baseDelayMs": 60_000}})
    session = await stage.open()
    run = asyncio.ensure_future(session.prompt("hello"))
    await stage.until(lambda: "auto_retry_start" in stage.event_types())
    await stage.until(lambda: session.activity.value == "retrying")
    await asyncio.wait_for(session.abort(), 2)
    await run
    assert stage.last_event("auto_retry_end")["finalError"] == "Aborted"
    assert stage.last_event("agent_settled")["aborted"] is True
    assert len(stage.requests) == 1


async def test_an_error_that_stays_is_told_once_and_not_compacted(stage_with: Build) -> None:
    """B81: a bodyless 400."""
    stage = stage_with([{"error": {"status": 400, "body": {}}}], settings=SMALL | QUICK)
    session = await stage.open()
    await session.prompt("hello")
    assert stage.kinds() == ["chat"]
    assert session.last_answer()["stopReason"] == "error"  # type: ignore[index]


async def test_repeated_errors_near_the_limit_do_not_hide_it(stage_with: Build) -> None:
    """B52: an error turn is followed by the threshold check; so is the next prompt."""
    answers = [say(words("a", 400), 1000), say(words("b", 400), 5950), status(400, "no")]
    stage = stage_with(answers, settings=SMALL | QUICK)
    session = await filled(stage)
    await session.prompt(words("more", 400))
    assert stage.kinds()[:4] == ["chat", "chat", "chat", "summary"]


async def test_a_huge_result_is_compacted_before_the_next_request(stage_with: Build) -> None:
    """B54."""
    call = {"name": "bash", "arguments": {"command": "seq 1 4000"}}
    answers = [
        say(words("a", 200)),
        {**say("look", 5000), "tools": [call]},
        say("done"),
    ]
    stage = stage_with(answers, settings=SMALL)
    session = await filled(stage, 1)
    await session.prompt("go")
    assert stage.kinds()[:2] == ["chat", "chat"]
    assert stage.kinds()[2] == "summary"
    assert stage.kinds()[-1] == "chat"
    assert session.last_assistant_text() == "done"


async def test_missing_usage_is_not_an_empty_context(stage_with: Build) -> None:
    """B51: figures of zero are ignored; an estimate of everything counts instead."""
    answers = [say(words("a", 1500), 0, 0)]
    stage = stage_with(answers, settings=SMALL)
    session = await stage.open()
    for number in range(4):
        await session.prompt(words(f"q{number}", 1000))
    assert "summary" in stage.kinds()


async def test_an_undeclared_window_is_learnt_and_remembered(stage_with: Build) -> None:
    """B62."""
    answers = [say(words("a", 3000)), say(words("b", 3000)), OVERFLOW, say("fine", 7000)]
    stage = stage_with(answers, settings={"compaction": {"keepRecentTokens": 300}}, window=None)
    session = await filled(stage)
    await session.prompt("the question")
    assert session.get_context_usage().context_window == 8192
    assert session.last_assistant_text() == "fine"
    path = session.manager.path
    await session.dispose()
    assert path is not None
    again = await stage.open(SessionManager.open(path))
    assert again.get_context_usage().context_window == 8192


async def test_a_smaller_model_is_asked_only_after_compacting(stage_with: Build) -> None:
    """B63."""
    answers = [say(words("a", 2500), 5000), say("fits", 900)]
    stage = stage_with(answers, settings={"compaction": {"keepRecentTokens": 300}})
    session = await stage.open()
    await session.prompt(words("q", 2000))
    small = session.catalogue.get("fake", "fake-small")
    assert small is not None
    session.set_model(small)
    await session.prompt("next")
    assert stage.kinds()[1] == "summary"
    assert stage.requests[-1]["body"]["model"] == "fake-small"
    assert session.last_assistant_text() == "fits"


async def test_small_windows_do_not_compact_all_the_time(stage_with: Build) -> None:
    """B61: default settings, a window smaller than the default reserve."""
    stage = stage_with([say("short", 900)], window=8192)
    session = await stage.open()
    for number in range(5):
        await session.prompt(f"question {number}")
    assert stage.kinds() == ["chat"] * 5


async def test_an_overflow_that_a_killed_process_met_is_handled_on_resume(
    stage_with: Build,
) -> None:
    stage = stage_with([say(words("a", 200)), say("fine")], settings=SMALL)
    session = await filled(stage, 1)
    path = store_overflow(session, model="fake-1")
    await session.dispose()
    again = await stage.open(SessionManager.open(path))
    await again.prompt("next")
    assert "summary" in stage.kinds()
    assert again.last_assistant_text() == "fine"


async def test_an_overflow_of_another_model_is_not_handled(stage_with: Build) -> None:
    """B84."""
    stage = stage_with([say(words("a", 200)), say("fine")], settings=SMALL)
    session = await filled(stage, 1)
    path = store_overflow(session, model="fake-large")
    await session.dispose()
    again = await stage.open(SessionManager.open(path))
    await again.prompt("next")
    assert stage.kinds() == ["chat", "chat"]


async def test_an_overflow_older_than_the_last_compaction_is_not_handled(
    stage_with: Build,
) -> None:
    """B84."""
    stage = stage_with([say(words("a", 200)), say("fine")], settings=SMALL)
    session = await filled(stage, 1)
    path = store_overflow(session, model="fake-1")
    kept = session.manager.get_leaf()
    session.manager.append_compaction("## Goal\nsummary", kept, 1000)
    await session.dispose()
    again = await stage.open(SessionManager.open(path))
    await again.prompt("next")
    assert stage.kinds() == ["chat", "chat"]


def store_overflow(session: AgentSession, model: str) -> Any:
    """What a process leaves that is killed right after an overflow."""
    answer: Any = {
        **(session.last_answer() or {}),
        "content": [],
        "model": model,
        "stopReason": "error",
        "errorMessage": "400 This model's maximum context length is 8192 tokens. However, your "
        "messages resulted in 9001 tokens.",
        "usage": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0},
    }
    session.manager.append_message({"role": "user", "content": words("big", 320), "timestamp": 1})
    session.manager.append_message(answer)
    return session.manager.path


async def test_texts_of_dense_tokens_are_cut_to_what_the_provider_counted(
    stage_with: Build,
) -> None:
    """The provider counts 2.4 times what we estimate: the rerun must fit by its count."""
    refusal = {
        "error": {
            "code": 400,
            "message": "request (10748 tokens) exceeds the available context size (8192 tokens), "
            "try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 10748,
            "n_ctx": 8192,
        }
    }
    stage = stage_with(
        [say(words("a", 1100), 0, 0)] * 3
        + [{"error": {"status": 400, "body": refusal}}, say("fits")],
        window=8192,
        settings={"compaction": {"keepRecentTokens": 20000}},
    )
    session = await stage.open()
    for number in range(3):
        await session.prompt(words(f"q{number}", 100))
    before = session.get_context_usage().tokens
    await session.prompt("the question")
    assert session.last_assistant_text() == "fits"
    refused, sent = (len(str(body["messages"])) for body in stage.bodies()[-2:])
    assert sent / refused <= 8192 / 10748
    assert before > 3400


async def test_blocked_images_are_not_sent(stage_with: Build) -> None:
    stage = stage_with([say("ok")], settings={"images": {"blockImages": True}})
    session = await stage.open()
    image: Any = {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="}
    await session.prompt("look", [image])
    assert "image_url" not in str(stage.bodies()[0])


async def test_an_overflow_with_nothing_to_compact_says_what_to_do(stage_with: Build) -> None:
    stage = stage_with([OVERFLOW], settings=SMALL)
    session = await stage.open()
    await session.prompt("hello")
    assert "larger window" in stage.last_event("compaction_end")["errorMessage"]
    assert stage.kinds().count("chat") == 1
    assert session.is_idle
