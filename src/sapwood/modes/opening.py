"""From flags to an open session: which file, which folder, and what must be asked first.

Opening may have to ask a person (fork a session of another folder? trust this project? the folder
is gone, what now?). Where nobody can be asked, `NobodyToAsk` turns the question into an error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from click import UsageError

from sapwood.errors import SessionError, SessionLockedError, SessionWriteError

if TYPE_CHECKING:
    from sapwood.agent.create import SessionOptions
    from sapwood.agent.session import AgentSession
    from sapwood.agent.settings import Settings
    from sapwood.modes.options import AgentFlags
    from sapwood.modes.tui.launch import Asker
    from sapwood.session.manager import SessionManager


class NobodyToAsk:
    """The `Asker` of the modes without a terminal: every question is an error that says so."""

    async def choose(
        self, title: str, answers: Sequence[tuple[str, str, str]], text: str = ""
    ) -> str | None:
        raise SessionError(f"{title} {text}".strip())


class Opening:
    """Opens sessions as the flags say; `interactive` questions go to the asker."""

    def __init__(self, flags: AgentFlags, *, interactive: bool) -> None:
        from sapwood.session.paths import agent_dir

        self.flags = flags
        self.interactive = interactive
        self.cwd = _current_folder()
        self.agent_dir = agent_dir()

    async def open_session(self, ask: Asker) -> AgentSession | None:
        """What the flags ask for; None when the user backed out of a question."""
        manager = await self._manager(ask)
        return await self._session(manager, ask) if manager is not None else None

    async def open_path(self, path: Path, ask: Asker) -> AgentSession | None:
        """The session at `path`, with everything else as the flags say."""
        manager = await self._existing(path, ask)
        return await self._session(manager, ask) if manager is not None else None

    async def _session(self, manager: SessionManager, ask: Asker) -> AgentSession | None:
        from sapwood.agent.create import create_agent_session

        try:
            trust = await self._trust(manager.cwd, ask)
            session = await create_agent_session(self._options(manager, trust))
        except BaseException:
            manager.close()
            raise
        name = self.flags.name
        if name is not None and name != session.session_name:
            session.set_session_name(name)
        return session

    def _options(self, manager: SessionManager, trust: bool | None) -> SessionOptions:
        from sapwood.agent.create import SessionOptions

        flags = self.flags
        return SessionOptions(
            manager=manager,
            model=flags.model,
            provider=flags.provider,
            thinking_level=flags.thinking,
            api_key=flags.api_key,
            tools=flags.tools,
            exclude_tools=flags.exclude_tools,
            no_tools=flags.no_tools,
            system_prompt=flags.system_prompt,
            append_system_prompt=flags.append_system_prompt,
            context_files=not flags.no_context_files,
            extensions=flags.extensions,
            discover_extensions=not flags.no_extensions,
            models=flags.models.split(",") if flags.models else None,
            trust=trust,
            agent_dir=self.agent_dir,
        )

    # Which record

    async def _manager(self, ask: Asker) -> SessionManager | None:
        from sapwood.session.find import most_recent, resolve_session
        from sapwood.session.manager import SessionManager

        flags = self.flags
        if flags.no_session:
            return SessionManager.in_memory(self.cwd)
        folder = self.session_dir()
        if flags.fork is not None:
            source = resolve_session(flags.fork, self.cwd, folder)
            if flags.session_id is not None and self._with_id(flags.session_id, folder):
                raise SessionError(f"There is a session {flags.session_id} in this folder already.")
            return SessionManager.fork_from(source, self.cwd, folder, id=flags.session_id)
        if flags.continue_recent:
            path = most_recent(self.cwd, folder)
            if path is not None:
                return await self._existing(path, ask)
            return SessionManager.create(self.cwd, folder)
        if flags.session is not None:
            return await self._referred(flags.session, folder, ask)
        if flags.session_id is not None:
            return await self._by_exact_id(flags.session_id, folder, ask)
        return SessionManager.create(self.cwd, folder)

    def session_dir(self) -> Path | None:
        """The folder of session files if flag, environment or setting name one."""
        if self.flags.session_dir is not None:
            return self.flags.session_dir
        if os.environ.get("PI_CODING_AGENT_SESSION_DIR"):
            return None  # `default_session_dir` knows it
        return self._settings().session_dir

    def resizes_images(self) -> bool:
        """Setting ``images.autoResize``: the user's, since no project is trusted yet."""
        return self._settings().values.images.auto_resize

    def _settings(self) -> Settings:
        from sapwood.agent.settings import Settings

        return Settings.load(self.agent_dir, self.cwd, False)

    async def _referred(
        self, reference: str, folder: Path | None, ask: Asker
    ) -> SessionManager | None:
        """The session a path or id means; one of another folder may be copied here instead."""
        from sapwood.session.find import made_in, read_header, resolve_session
        from sapwood.session.manager import SessionManager

        path = resolve_session(reference, self.cwd, folder)
        header = read_header(path)
        named_by_path = path == Path(reference).expanduser()
        if named_by_path or header is None or made_in(header, str(self.cwd)):
            return await self._existing(path, ask)
        answer = await ask.choose(
            f"Session {header['id']} was made in {header.get('cwd')}.",
            (
                ("fork", "Fork here", f"copy it into a new session in {self.cwd}"),
                ("open", "Open it there", "work in the folder it was made in"),
                ("cancel", "Cancel", "change nothing"),
            ),
            "" if self.interactive else "Use --fork to copy it here, or --session with its path.",
        )
        if answer == "fork":
            return SessionManager.fork_from(path, self.cwd, folder)
        return await self._existing(path, ask) if answer == "open" else None

    async def _by_exact_id(
        self, session_id: str, folder: Path | None, ask: Asker
    ) -> SessionManager | None:
        from sapwood.session.manager import SessionManager

        path = self._with_id(session_id, folder)
        if path is not None:
            return await self._existing(path, ask)
        return SessionManager.create(self.cwd, folder, id=session_id)

    def _with_id(self, session_id: str, folder: Path | None) -> Path | None:
        """The session of the current folder with exactly this id."""
        from sapwood.session.find import made_in, read_header, session_files
        from sapwood.session.paths import default_session_dir

        for path in session_files(folder or default_session_dir(self.cwd)):
            header = read_header(path)
            if header and header["id"] == session_id and made_in(header, str(self.cwd)):
                return path
        return None

    async def _existing(self, path: Path, ask: Asker) -> SessionManager | None:
        """Open `path`, asking where its folder is gone or another program writes to it."""
        from sapwood.session.manager import SessionManager

        try:
            manager = self._opened(path)
        except SessionLockedError as error:
            return await self._beside_the_writer(path, error, ask)
        folder = manager.cwd
        if folder.is_dir():
            return manager
        manager.close()
        answer = await ask.choose(
            f"The folder of this session, {folder}, does not exist any more.",
            (
                ("continue", "Continue here", f"work in {self.cwd} from now on"),
                ("fork", "Fork here", f"copy it into a new session in {self.cwd}"),
                ("cancel", "Cancel", "change nothing"),
            ),
            "Use --fork to copy it into the current folder." if not self.interactive else "",
        )
        if answer == "continue":
            return self._opened(path, self.cwd)
        if answer == "fork":
            return SessionManager.fork_from(path, self.cwd, self.session_dir())
        return None

    def _opened(self, path: Path, cwd: Path | None = None) -> SessionManager:
        """Open for writing; where a person looks on, what cannot be written opens read only."""
        from sapwood.session.manager import SessionManager

        if self.interactive and path.exists() and not os.access(path, os.W_OK):
            return self._read_only(path)
        try:
            return SessionManager.open(path, cwd=cwd)
        except SessionWriteError:  # no lock can be put beside it
            if not self.interactive:
                raise
            return self._read_only(path)

    def _read_only(self, path: Path) -> SessionManager:
        """Open for looking alone; copies go where new sessions go if not beside it."""
        from sapwood.session.manager import SessionManager
        from sapwood.session.paths import default_session_dir

        manager = SessionManager.open(path, writer="none")
        if not manager.cwd.is_dir():
            manager.cwd = self.cwd
        if not os.access(path.parent, os.W_OK):
            manager.session_dir = self.session_dir() or default_session_dir(manager.cwd)
        return manager

    async def _beside_the_writer(
        self, path: Path, error: SessionLockedError, ask: Asker
    ) -> SessionManager | None:
        """What to do with a session that another program has open."""
        from sapwood.session.manager import SessionManager

        if not self.interactive:
            raise error
        answer = await ask.choose(
            "Another program has this session open.",
            (
                ("read", "Read only", "look, search, copy and export as it is now"),
                ("fork", "Fork here", f"copy it into a new session in {self.cwd}"),
                ("cancel", "Cancel", "change nothing"),
            ),
            str(error),
        )
        if answer == "read":
            return self._read_only(path)
        if answer == "fork":
            return SessionManager.fork_from(path, self.cwd, self.session_dir())
        return None

    # Trust

    async def _trust(self, project: Path, ask: Asker) -> bool | None:
        """The decision on the project's own files; a new one is kept."""
        from sapwood.agent.trust import is_trusted, protected_files, save_decision

        if self.flags.trust is not None or not self.interactive:
            return self.flags.trust
        default = self._settings().values.default_project_trust
        known = is_trusted(self.agent_dir, project, default=default)
        if known is not None:
            return known
        names = ", ".join(path.name for path in protected_files(project))
        answer = await ask.choose(
            "Trust this project?",
            (
                ("yes", "Trust it", "its settings and extensions may run code"),
                ("no", "Do not trust it", "leave them out"),
            ),
            f"{project} has files of its own for the agent: {names}.",
        )
        if answer is None:
            return None
        save_decision(self.agent_dir, project, answer == "yes")
        return answer == "yes"


def _current_folder() -> Path:
    try:
        return Path(os.getcwd())
    except FileNotFoundError:
        raise SessionError(
            "The current folder does not exist any more; go to one that does."
        ) from None


def check_flags(flags: AgentFlags) -> None:
    """Raise `UsageError` for flags that say different things about which session to open.

    ``--session-id`` may go with ``--fork``: it is then the id of the copy.
    """
    said = {
        "-c": flags.continue_recent,
        "-r": flags.resume,
        "--session": flags.session is not None,
        "--session-id": flags.session_id is not None and flags.fork is None,
        "--fork": flags.fork is not None,
        "--no-session": flags.no_session,
    }
    given = [name for name, is_given in said.items() if is_given]
    if len(given) > 1:
        raise UsageError(f"{given[0]} and {given[1]} exclude each other; give one of them.")
