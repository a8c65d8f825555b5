"""The run: loop, queue, recovery, tools, extensions, and `AgentSession` over it all."""
