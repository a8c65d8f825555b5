"""RPC mode: a program drives a session over standard input and output, one JSON object per line.

In come commands and answers to an extension's questions, out go responses, the events of
``--mode json``, and the questions. See ``docs/rpc.md``.
"""
