"""The commands by the web API of a real mitmweb, on flows from a file."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mitmproxy_windsurf
from loopback import free_port, listens
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import load_flows
from proxy.http1 import PATIENCE, Out, Request, ask
from proxy.messages import CHAT, DONE, PRIVATE, TRIGGER, chat_request

SCRIPT = Path(mitmproxy_windsurf.__file__).parent.parent / "windsurf.py"
MITMWEB = "import sys; from mitmproxy.tools.main import mitmweb; sys.exit(mitmweb())"
PASSWORD = "a-password"


@asynccontextmanager
async def mitmweb(confdir: Path, flows: Path) -> AsyncIterator[int]:
    """A mitmweb of its own with flows from a file; yields the port of its web API."""
    port = free_port()
    arguments = ["--listen-host", "127.0.0.1", "--listen-port", "0", "-s", str(SCRIPT)]
    arguments += ["--web-host", "127.0.0.1", "--web-port", str(port), "--no-web-open-browser"]
    arguments += ["-r", str(flows)]
    for setting in (f"confdir={confdir}", f"web_password={PASSWORD}"):
        arguments += ["--set", setting]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        MITMWEB,
        *arguments,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(5 * PATIENCE):  # it imports much before it listens
            assert await listens(port, process)
        yield port
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(PATIENCE):
            await process.wait()


async def call(port: int, name: str, *arguments: str) -> dict[str, Any]:
    """POST /commands/…, with what both generations of mitmweb want to see."""
    reply = await ask(
        port,
        "POST",
        f"/commands/windsurf.{name}",
        json.dumps({"arguments": arguments}).encode(),
        host=f"127.0.0.1:{port}",
        content_type="application/json",
        authorization=f"Bearer {PASSWORD}",
        x_xsrftoken="1",
        cookie="_mitmproxy_xsrf=1; _xsrf=1",
    )
    assert reply.status == 200, reply
    found: dict[str, Any] = json.loads(reply.body)
    return found


async def answer(request: Request, out: Out) -> None:
    await out.events(f"see {PRIVATE}")
    await out.chunk(DONE)
    await out.end()


async def test_every_command_answers_with_text_or_with_a_clear_error(
    start_proxy: StartProxy, start_upstream: StartUpstream, tmp_path: Path, confdir: Path
) -> None:
    upstream = await start_upstream(answer)
    file = tmp_path / "flows.mitm"
    proxy = await start_proxy(windsurf_upstream=upstream.url, save_stream_file=str(file))
    await ask(proxy.port, "POST", CHAT, chat_request(TRIGGER))
    await proxy.flows.count()
    proxy.master.options.update(save_stream_file=None)  # closes the file
    [flow] = load_flows(file)
    async with mitmweb(confdir, file) as port:
        async with asyncio.timeout(PATIENCE):
            while "value" not in (explained := await call(port, "explain", f"@{flow.id}")):
                await asyncio.sleep(0.05)  # the file is read while mitmweb is up already
        assert "neutralize rule a1 changed messages[0]" in explained["value"]
        assert "<workspace>" in (await call(port, "diff", f"@{flow.id}"))["value"]
        assert "1 as they were sent" in (await call(port, "recheck", "@all"))["value"]
        assert "no two requests" in (await call(port, "cache", "@all"))["value"]
        assert "the built-in demo" in (await call(port, "status"))["value"]
        assert "claude-code.toml" in (await call(port, "rules"))["value"]
        case = tmp_path / "case.json"
        assert "2 changes" in (await call(port, "case", f"@{flow.id}", str(case)))["value"]
        assert case.exists()
        sent = await call(port, "resend", f"@{flow.id}", "-a1")
        assert sent["value"].startswith("sent again with -a1")
        mistyped = await call(port, "resend", f"@{flow.id}", "paht=on")
        assert "did you mean paths" in mistyped["error"]
