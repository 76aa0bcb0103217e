"""The upstream by itself, as a process of its own."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from mitmproxy_windsurf import cli
from mitmproxy_windsurf.upstream.embedded import Backing
from mitmproxy_windsurf.upstream.model_names import ModelNames
from mitmproxy_windsurf.upstream.standalone import announcement
from mitmproxy_windsurf.upstream.target import Target
from upstream.raw_http import RawClient

ADDONS = Path(__file__).parent.parent.parent / "addons"
PATIENCE = 60


@asynccontextmanager
async def running(*options: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    """The command, and the first line that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "mitmproxy_windsurf.cli", "upstream", *options),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ADDONS)},
    )
    assert process.stdout
    try:
        async with asyncio.timeout(PATIENCE):
            yield process, (await process.stdout.readline()).decode()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_says_where_it_is_and_serves_until_it_is_stopped(number: signal.Signals) -> None:
    async with running("--port", "0", "--pace", "0") as (process, line):
        assert line.startswith("point clients at http://127.0.0.1:")
        assert line.endswith("; backend: the built-in demo\n")
        client = await RawClient.connect(int(line.split(";")[0].rpartition(":")[2]))
        assert (await client.request("GET", "/v1/models")).status == 200
        await client.close()
        process.send_signal(number)
        output, errors = await process.communicate()
        assert (process.returncode, output, errors) == (0, b"", b"")


async def test_a_port_in_use_is_said_and_no_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with running("--port", str(port)) as (process, line):
            _, errors = await process.communicate()
    assert (process.returncode, line) == (1, "")
    assert f"cannot listen on 127.0.0.1 port {port}: ".encode() in errors
    assert errors.count(b"\n") == 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--port", "http"], "argument --port: 'http' is not a port"),
        (["--port", "65536"], "argument --port: '65536' is not a port"),
        (["--backend", "ollama"], "argument --backend: 'ollama' is not an http or https URL"),
        (["--model", "qwen"], "argument --model: 'qwen' is not PATTERN=NAME"),
        (["--pace", "slow"], "argument --pace: 'slow' is not a time"),
        (["--key-env", "sk-secret"], "argument --key-env: it names no environment variable"),
    ],
)
def test_what_makes_no_sense_is_said(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["upstream", *options])
    errors = capsys.readouterr().err
    assert words in errors
    assert "secret" not in errors


def test_the_announcement_says_what_is_behind_it() -> None:
    names = ModelNames((("claude-*", "a"), ("*", "b")))
    backing = Backing(Target("https", "c.d", 443, "/v1"), names, "KEY")
    assert announcement(Target("http", "::1", 3003), backing) == (
        "point clients at http://[::1]:3003; backend: https://c.d/v1; "
        "models: claude-*=a, *=b; key: of KEY"
    )
