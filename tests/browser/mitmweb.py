"""A mitmweb of its own process with the addon in it, as a user would start it."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from browser.chromium import Page
from loopback import free_port

PATIENCE = 60
PASSWORD = "a password for this run"
SCRIPT = Path(__file__).parent.parent.parent / "addons" / "windsurf.py"
_MITMWEB = "import sys; from mitmproxy.tools.main import mitmweb; sys.exit(mitmweb())"
_START = re.compile(r"point clients at http://127\.0\.0\.1:(\d+)")


class Web(NamedTuple):
    """Where it is."""

    port: int
    """The proxy's."""
    url: str
    """What to open in a browser."""


@asynccontextmanager
async def mitmweb(confdir: Path, settings: Sequence[str] = ()) -> AsyncIterator[Web]:
    """Start it on free ports of 127.0.0.1, with the demo as its upstream."""
    web_port = free_port()
    options = (
        f"confdir={confdir}",
        "listen_host=127.0.0.1",
        "listen_port=0",
        f"web_port={web_port}",
        "web_host=127.0.0.1",
        "web_open_browser=false",
        f"web_password={PASSWORD}",  # not known to mitmproxy 11, which takes no offence
        "windsurf_demo_pace=0",
        *settings,
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", _MITMWEB, "-s", str(SCRIPT)),
        *(word for option in options for word in ("--set", option)),
        env={"PATH": os.environ.get("PATH", ""), "PYTHONUNBUFFERED": "1"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            port = await _proxy_port(process)
        token = PASSWORD.replace(" ", "%20")
        yield Web(port, f"http://127.0.0.1:{web_port}/?token={token}")
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(PATIENCE):
            await process.communicate()


async def open_flow(page: Page, web: Web, side: str) -> None:
    """Look at the request or the response of the only flow."""
    await page.open(web.url)
    await page.click("td.col-path")
    await page.click("a", side)


async def choose_view(page: Page, name: str) -> None:
    """Choose a view for the message that is looked at."""
    await page.click(".contentview a", "View: auto")
    await page.click("a", name)


async def _proxy_port(process: asyncio.subprocess.Process) -> int:
    assert process.stdout
    output = ""
    while line := (await process.stdout.readline()).decode():
        output += line
        if found := _START.search(line):
            return int(found[1])
    raise AssertionError(f"mitmweb did not start:\n{output}")
