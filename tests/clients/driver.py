"""Runs real command-line clients, each with a home of its own.

The environment names where they are: WINDSURF_CLIENTS the folder with the driver `run.py`,
CLIENTS_DIR what its `install.sh` has installed.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 180
"""Seconds for one run: they start slowly on a busy machine."""
TAG = str(os.getpid())
"""Tests of two generations may run side by side."""

_PROGRAMS = {"aider": "py/aider/bin/aider"}
_NOWHERE = "http://127.0.0.1:9"
_OFFLINE = {"HTTPS_PROXY": _NOWHERE, "HTTP_PROXY": _NOWHERE, "NO_PROXY": "127.0.0.1"}
"""They ask their vendors for this and that, and some wait for minutes where there is no way out."""


def required(name: str) -> None:
    """Skip the test if this client is not there; in CI a client that is missing is a failure."""
    if "WINDSURF_CLIENTS" not in os.environ:
        pytest.skip("not run: WINDSURF_CLIENTS is not set")
    program = name.partition("-")[0]
    chosen = os.environ.get("WINDSURF_CLIENTS_RUN")
    if chosen is not None and program not in chosen.split():
        pytest.skip(f"not run: WINDSURF_CLIENTS_RUN does not name {program}")
    place = _directory() / _PROGRAMS.get(program, f"node/{program}")
    if not place.exists() and "CI" not in os.environ:
        pytest.skip(f"not run: {program} is not installed in CLIENTS_DIR")
    assert place.exists(), f"{program} is not installed"


@asynccontextmanager
async def running(name: str, url: str, prompt: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A client at work on a prompt; `name` is one of `run.py --list`."""
    driver = Path(os.environ["WINDSURF_CLIENTS"], "run.py")
    arguments = [name, "--url", url, "--prompt", prompt, "--tag", TAG, "--timeout", str(PATIENCE)]
    arguments += [word for pair in _OFFLINE.items() for word in ("--env", "=".join(pair))]
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(driver), *arguments, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(PATIENCE + 20):
            yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


async def run(name: str, url: str, prompt: str) -> str:
    """What a client printed until it ended, and at the end once more what it printed in pieces."""
    async with running(name, url, prompt) as process:
        assert await process.wait() == 0
    printed = output(name)
    return printed + _in_pieces(printed)


def output(name: str) -> str:
    """What the client has printed."""
    return (_capture(name) / "client.out").read_text("utf-8")


def status(name: str) -> str:
    """The client's own exit status."""
    return (_capture(name) / "summary.txt").read_text("utf-8").split("rc=")[1].split()[0]


def events(printed: str) -> Iterator[dict[str, Any]]:
    """The JSON lines of an output."""
    for line in printed.splitlines():
        if line.startswith("{"):
            yield json.loads(line)


def workspace(name: str) -> Path:
    """Where the client runs; there is a file `hello.txt`."""
    return _directory() / "work" / f"{name}-{TAG}"


def _in_pieces(printed: str) -> str:
    """The text that Gemini CLI prints."""
    return "".join(str(event["content"]) for event in events(printed) if event.get("delta"))


def _capture(name: str) -> Path:
    return _directory() / "captures" / f"{name}-{TAG}"


def _directory() -> Path:
    return Path(os.environ.get("CLIENTS_DIR", ".clients")).resolve()
