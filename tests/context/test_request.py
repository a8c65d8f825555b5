"""The request of a projection: prompt, tools and messages."""

from __future__ import annotations

from typing import Any

from sapwood.context.projection import project
from sapwood.context.request import ModelRequest, build_request
from sapwood.session.manager import SessionManager
from support.message_makers import assistant, call, result, session, user
from support.request_checker import faults

READ = {"name": "read", "description": "Read a file.", "parameters": {"type": "object"}}
BASH = {"name": "bash", "description": "Run a command.", "parameters": {"type": "object"}}


def system(**more: Any) -> dict[str, Any]:
    return {"role": "system", "content": "", "timestamp": 0, **more}


def prompted(*messages: dict[str, Any]) -> SessionManager:
    """A session whose prompt was given, then patched."""
    return session(
        system(sections={"identity": "You help.", "rules": "Be brief."}, toolsAdded=[READ]),
        *messages,
        system(sections={"rules": "Be kind."}, toolsAdded=[BASH], toolsRemoved=[{"name": "read"}]),
        user("go on"),
    )


def request_of(manager: SessionManager) -> ModelRequest:
    return build_request(project(manager.tree))


def test_prompt_and_tools_are_those_in_force_and_no_message() -> None:
    request = request_of(prompted(user("hello"), assistant("hi")))
    assert request.system_prompt == "You help.\n\nBe kind."
    assert request.tools == [BASH]
    assert [message["role"] for message in request.messages] == ["user", "assistant", "user"]
    assert [item.message for item in request.items] == request.messages


def test_a_compaction_changes_neither_prompt_nor_tools() -> None:
    """B46, with a checkpoint and without one (compactions of older programs)."""
    manager = prompted(user("hello"), assistant("hi"))
    before = request_of(manager)
    kept = manager.get_leaf()
    compaction = manager.tree.require(manager.append_compaction("sum", kept, 10))
    for _ in range(2):
        after = request_of(manager)
        assert (after.system_prompt, after.tools) == (before.system_prompt, before.tools)
        compaction.data.pop("systemMessage", None)
    assert [message["role"] for message in after.messages] == ["user"]


def test_labels_and_names_never_reach_the_model() -> None:
    """B35."""
    manager = session(user("hello"))
    manager.append_session_info("canary name")
    manager.append_label_change(manager.tree.entries[0].id, "canary label")
    assert "canary" not in repr(request_of(manager))


def authors(manager: SessionManager) -> list[Any]:
    return [m.get("model") for m in request_of(manager).messages if m["role"] == "assistant"]


def test_an_answer_before_which_something_was_changed_is_nobodys_own() -> None:
    """B49: its signatures no longer fit; a later answer, and one in the run of now, keep theirs."""
    manager = session(user("ask"), assistant("before"))
    target = manager.append_message(user("secret"))
    manager.append_message(assistant("after"))
    manager.append_message(user("next"))
    manager.append_message(assistant("", call("c", "bash")))
    manager.append_message(result("c", "out"))
    assert authors(manager) == ["t", "t", "t"]
    manager.append_context_edit(target, {"content": "changed"})
    assert authors(manager) == ["t", None, "t"]
    manager.append_message(assistant("done"))
    manager.append_message(user("and now"))
    assert authors(manager) == ["t", None, None, "t"]


def test_leaving_out_a_failed_answer_disowns_nothing() -> None:
    manager = session(user("ask"), assistant("one"), user("more"))
    failed = manager.append_message(assistant("broken", stop="error"))
    manager.append_context_edit(failed, None)
    manager.append_message(assistant("again"))
    manager.append_message(user("thanks"))
    assert authors(manager) == ["t", "t"]


def test_an_omitted_answer_leaves_its_results_as_text_and_the_request_valid() -> None:
    manager = session(user("go"))
    asked = manager.append_message(assistant("", call("c", "bash")))
    manager.append_message(result("c", "the output"))
    manager.append_context_edit(asked, None)
    request = request_of(manager)
    assert faults(request.messages) == []
    assert "the output" in repr(request.messages)


def test_an_empty_session_makes_an_empty_request() -> None:
    assert request_of(session()) == ModelRequest("", [], [], [])
