"""What is measured between client and upstream, each in a process of its own: mitmdump alone, with
the least of a transform, and with the addon; and the embedded upstream by itself."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from loopback import free_port, listens

ADDON = Path(__file__).resolve().parent.parent.parent / "addons" / "windsurf.py"
PATIENCE = 30
"""Seconds for a process to start."""


class System(NamedTuple):
    """`arguments` are for Python, with `{url}` of the upstream, the `{port}` to listen on, a
    directory of its own as `{place}`, and in there `script.py`, whose text is `script`."""

    name: str
    arguments: tuple[str, ...]
    script: str = ""


def _mitmdump(name: str, *arguments: str, stream: str = "") -> System:
    start = ("-c", "from mitmproxy.tools.main import mitmdump; mitmdump()", "-q")
    where = ("--set", "confdir={place}", "--listen-host", "127.0.0.1", "-p", "{port}")
    script = f"def responseheaders(flow):\n    flow.response.stream = {stream}\n" if stream else ""
    return System(name, (*start, *where, *arguments), script)


_REVERSE = ("--mode", "reverse:{url}", "-s", "{place}/script.py")
ALONE = _mitmdump("mitmproxy alone", *_REVERSE, stream="True")
IDENTITY = _mitmdump("identity transform", *_REVERSE, stream="lambda chunk: chunk")
OURS = _mitmdump("with the addon", "-s", str(ADDON), "--set", "windsurf_upstream={url}")
EMBEDDED = _mitmdump("and embedded", "-s", str(ADDON), "--set", "windsurf_backend={url}/v1")
HANDLER = System(
    "handler by itself",
    ("-m", "mitmproxy_windsurf.cli", "upstream", "--port", "{port}", "--backend", "{url}/v1"),
)


class Running(NamedTuple):
    port: int
    pid: int

    def cpu(self) -> float:
        """Seconds of CPU that the process has used so far, in hundredths, as Linux tells."""
        fields = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def running(system: System, url: str) -> AsyncIterator[Running]:
    """The system at work, until the block is left.

    Raises:
        RuntimeError: it did not start; with what it said.
    """
    with tempfile.TemporaryDirectory() as place:
        Path(place, "script.py").write_text(system.script, "utf-8")
        port = free_port()
        arguments = [one.format(url=url, port=port, place=place) for one in system.arguments]
        log = Path(place, "log")
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                sys.executable, *arguments, stdout=output, stderr=output
            )
        started = False
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    started = await listens(port, process)
            if not started:
                raise RuntimeError(f"{system.name} did not start: {log.read_text('utf-8')}")
            yield Running(port, process.pid)
        finally:
            if process.returncode is None:
                process.terminate()
            await process.wait()
