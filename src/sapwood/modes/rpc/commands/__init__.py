"""What each command does, by its name; see ``docs/rpc.md`` for their fields and responses."""

from __future__ import annotations

from collections.abc import Mapping

from sapwood.modes.rpc.commands import (
    choosing,
    compacting,
    entries,
    prompting,
    sessions,
    shell,
    state,
    switching,
)
from sapwood.modes.rpc.request import Handler

COMMANDS: Mapping[str, Handler] = {
    "prompt": prompting.prompt,
    "steer": prompting.steer,
    "follow_up": prompting.follow_up,
    "abort": prompting.abort,
    "clear_queue": prompting.clear_queue,
    "get_state": state.get_state,
    "get_messages": state.get_messages,
    "get_last_assistant_text": state.get_last_assistant_text,
    "get_session_stats": state.get_session_stats,
    "get_commands": state.get_commands,
    "set_model": choosing.set_model,
    "cycle_model": choosing.cycle_model,
    "get_available_models": choosing.get_available_models,
    "set_thinking_level": choosing.set_thinking_level,
    "cycle_thinking_level": choosing.cycle_thinking_level,
    "get_available_thinking_levels": choosing.get_available_thinking_levels,
    "set_steering_mode": switching.set_steering_mode,
    "set_follow_up_mode": switching.set_follow_up_mode,
    "set_auto_compaction": switching.set_auto_compaction,
    "set_auto_retry": switching.set_auto_retry,
    "compact": compacting.compact,
    "abort_retry": prompting.abort_retry,
    "bash": shell.bash,
    "abort_bash": shell.abort_bash,
    "new_session": sessions.new_session,
    "switch_session": sessions.switch_session,
    "fork": sessions.fork,
    "clone": sessions.clone,
    "set_session_name": sessions.set_session_name,
    "export_html": sessions.export_html,
    "get_fork_messages": entries.get_fork_messages,
    "get_entries": entries.get_entries,
    "get_tree": entries.get_tree,
}
