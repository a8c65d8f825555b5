"""Serve a GGUF file with llama.cpp on 127.0.0.1: ``local_model_server.py FILE CONTEXT_TOKENS``.

Prints ``URL http://…`` when it is ready, and ends when its standard input closes. Needs xllamacpp,
so it is run by the Python of the environment that `local_model.py` makes.
"""

from __future__ import annotations

import sys

import xllamacpp


def main(path: str, context_tokens: int) -> None:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.n_ctx = context_tokens
    parameters.n_parallel = 1
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print("URL", server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
