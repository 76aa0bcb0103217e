"""What `-s addons/windsurf.py` loads: in a real mitmdump of its own, and reloaded in mid-stream."""

import ast
import asyncio
import logging
import os
import re
import runpy
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import mitmproxy_windsurf
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import until
from proxy.http1 import PATIENCE, Out, Request, ask, connected
from proxy.messages import CHAT, DONE, MARKER, NEUTRAL, TRIGGER, chat_request, event, said

SCRIPT = Path(mitmproxy_windsurf.__file__).parent.parent / "windsurf.py"
MITMDUMP = "import sys; from mitmproxy.tools.main import mitmdump; sys.exit(mitmdump())"
START = re.compile(r"point clients at http://127\.0\.0\.1:(\d+); upstream: (.+); layers: (.+)")


@asynccontextmanager
async def mitmdump(
    confdir: Path, settings: Sequence[str] = (), *, cwd: Path, script: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of its own, as a user would start it."""
    arguments = ["--listen-host", "127.0.0.1", "--listen-port", "0", "-s", script]
    for setting in (f"confdir={confdir}", *settings):
        arguments += ["--set", setting]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        MITMDUMP,
        *arguments,
        cwd=cwd,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(PATIENCE):
            await process.communicate()


async def lines_until(process: asyncio.subprocess.Process, pattern: re.Pattern[str]) -> str:
    """The output up to a line that matches, or all of it."""
    assert process.stdout
    output = ""
    async with asyncio.timeout(PATIENCE):
        while line := (await process.stdout.readline()).decode():
            output += line
            if pattern.search(line):
                break
    return output


async def test_from_any_directory(confdir: Path, tmp_path: Path) -> None:
    relative = os.path.relpath(SCRIPT, tmp_path)
    settings = ["windsurf_paths=off", "windsurf_pathz=on", "windsurf_demo_pace=0"]
    async with mitmdump(confdir, settings, cwd=tmp_path, script=relative) as process:
        output = await lines_until(process, START)
        found = START.search(output)
        assert found, output
        port, upstream, layers = found.groups()
        assert upstream.startswith("the built-in demo at http://127.0.0.1:")
        assert layers.strip() == "neutralize, identity, dedup"
        assert "there is no option windsurf_pathz; did you mean windsurf_paths?" in output
        reply = await ask(int(port), "POST", CHAT, chat_request())
        assert reply.complete
        assert reply.body.endswith(DONE)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("windsurf_max_frame=potatoes", "windsurf_max_frame: 'potatoes' is not a size"),
        ("windsurf_paths=maybe", "windsurf_paths: 'maybe' is neither true nor false"),
    ],
)
async def test_a_bad_option_ends_the_start(
    confdir: Path, tmp_path: Path, setting: str, message: str
) -> None:
    async with mitmdump(confdir, [setting], cwd=tmp_path, script=str(SCRIPT)) as process:
        output = await lines_until(process, START)
        assert message in output
        assert "Traceback" not in output
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 1


async def test_config_yaml(tmp_path: Path) -> None:
    config = "windsurf_shadow: on\nwindsurf_demo_pace: 0\nwindsurf_identity: 0\n"
    (tmp_path / "config.yaml").write_text(config, "utf-8")
    async with mitmdump(tmp_path, cwd=tmp_path, script=str(SCRIPT)) as process:
        found = START.search(output := await lines_until(process, START))
        assert found, output
        assert found[3].strip() == "neutralize, paths, dedup (shadow: nothing is changed)"


async def test_a_reload_in_mid_stream(
    start_proxy: StartProxy, start_upstream: StartUpstream, tmp_path: Path
) -> None:
    script = tmp_path / "windsurf.py"
    script.write_bytes(SCRIPT.read_bytes())

    async def stream(request: Request, out: Out) -> None:
        await out.events("see ", " /tmp/wind")
        await out.go_on.wait()
        await out.chunk(event("surf-workspace/a.py") + DONE)
        await out.end()

    upstream = await start_upstream(stream)
    proxy = await start_proxy(scripts=[str(script)], windsurf_upstream=upstream.url)
    (loaded,) = proxy.master.addons.get("scriptloader").addons
    first = loaded.ns
    async with connected(proxy.port) as client:
        for number in range(2):
            await client.send("POST", CHAT, chat_request(TRIGGER))
            await client.seen(b"see ")
            if number == 0:
                later = script.stat().st_mtime + 100
                os.utime(script, (later, later))
                await until(lambda: loaded.ns not in (None, first))
            upstream.go_on()
            reply = await client.reply()
            assert reply.complete
            assert said(reply.body) == f"see  {MARKER}"
            assert NEUTRAL.encode() in upstream.requests[number].body
    for flow in await proxy.flows.count(2):
        assert flow.comment.endswith("paths×1")
        assert flow.response
        assert flow.response.raw_content == reply.body


async def test_a_reload_with_the_embedded_upstream(start_proxy: StartProxy, tmp_path: Path) -> None:
    script = tmp_path / "windsurf.py"
    script.write_bytes(SCRIPT.read_bytes())
    proxy = await start_proxy(scripts=[str(script)], windsurf_demo_pace="0")
    (loaded,) = proxy.master.addons.get("scriptloader").addons
    first = loaded.ns
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        assert (await client.reply()).status == 200
        later = script.stat().st_mtime + 100
        os.utime(script, (later, later))
        await until(lambda: loaded.ns not in (None, first))
        await client.send("POST", CHAT, chat_request())
        assert (await client.reply()).status == 200


def test_the_script_can_be_read_by_any_python() -> None:
    ast.parse(SCRIPT.read_bytes(), feature_version=(3, 4))


@pytest.mark.parametrize("version", ["10.4.2", "11.0.1", "9"])
def test_an_old_mitmproxy_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, version: str
) -> None:
    monkeypatch.setattr("mitmproxy.version.VERSION", version)
    assert runpy.run_path(str(SCRIPT))["addons"] == []
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert f"mitmproxy {version}" in record.getMessage()
    assert "\n" not in record.getMessage()


@pytest.mark.parametrize("version", ["11.0.2", "12.0", "13.0.0.dev"])
def test_a_newer_mitmproxy_is_fine(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr("mitmproxy.version.VERSION", version)
    assert len(runpy.run_path(str(SCRIPT))["addons"]) == 1
