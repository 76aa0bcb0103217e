"""A headless Chromium, driven over its DevTools protocol.

https://chromedevtools.github.io/devtools-protocol/ over tornado's WebSocket client, which every
mitmweb brings along. Every wait is bounded.
"""

import asyncio
import base64
import json
import os
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tornado.websocket import WebSocketClientConnection, websocket_connect

PATIENCE = 60
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--no-proxy-server",
    "--remote-debugging-port=0",
)
_LISTENING = re.compile(r"DevTools listening on (ws://\S+)")


def find() -> str | None:
    """The browser's command: $CHROMIUM, or what is installed."""
    named = os.environ.get("CHROMIUM")
    return named or next((path for name in _NAMES if (path := shutil.which(name))), None)


class ScriptError(Exception):
    """A script in the page has failed."""


class Page:
    """One tab."""

    def __init__(self, connection: WebSocketClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self.session: str | None = None

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """One command; events are passed over."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        await self._connection.write_message(json.dumps(message))
        while True:
            answer = await self._connection.read_message()
            assert answer is not None, "the browser has closed the connection"
            found = json.loads(answer)
            if found.get("id") == self._number:
                assert "error" not in found, found["error"]
                result: dict[str, Any] = found["result"]
                return result

    async def open(self, url: str) -> None:
        await self.call("Page.navigate", url=url)

    async def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        found = await self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise ScriptError(found["exceptionDetails"])
        return found["result"].get("value")

    async def until(self, script: str) -> Any:
        """Wait for an expression to have a value that counts as true, and return it."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    if value := await self.run(script):
                        return value
                    await asyncio.sleep(0.05)
        except TimeoutError:
            text = await self.text()
            raise AssertionError(
                f"never came true: {script}\non a page that says:\n{text}"
            ) from None

    async def text(self) -> str:
        """All that can be read on the page."""
        return str(await self.run("document.body ? document.body.innerText : ''"))

    async def see(self, *texts: str) -> str:
        """Wait until all of these can be read on the page."""
        wanted = json.dumps(texts)
        await self.until(f"{wanted}.every(text => document.body.innerText.includes(text))")
        return await self.text()

    async def click(self, selector: str, text: str = "") -> None:
        """Click on the first element that matches and is labelled so, once it is there."""
        await self.until(
            f"""(() => {{
                const label = {json.dumps(text.lower())};
                const found = [...document.querySelectorAll({json.dumps(selector)})].find(
                    element => !label || element.innerText.trim().toLowerCase() === label);
                if (found) found.click();
                return !!found;
            }})()"""
        )

    async def focus(self, selector: str) -> None:
        """Put the cursor into an element, once it is there."""
        found = f"document.querySelector({json.dumps(selector)})"
        await self.until(f"{found} && ({found}.focus(), true)")

    async def type(self, text: str) -> None:
        """Write into what has the focus; a line end is the Enter key."""
        for line in text.splitlines(keepends=True):
            await self.call("Input.insertText", text=line.rstrip("\n"))
            if line.endswith("\n"):
                key = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
                await self.call("Input.dispatchKeyEvent", type="keyDown", **key)
                await self.call("Input.dispatchKeyEvent", type="keyUp", **key)

    async def screenshot(self, path: Path) -> None:
        found = await self.call("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))


@asynccontextmanager
async def page(profile: Path, *, width: int = 1280, height: int = 900) -> AsyncIterator[Page]:
    """A tab of a new browser, whose profile is the given empty directory."""
    command = find()
    assert command, "there is no Chromium"
    process = await asyncio.create_subprocess_exec(
        command,
        *_FLAGS,
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        "about:blank",
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(PATIENCE):
            connection = await websocket_connect(await _address(process), max_message_size=2**26)
        try:
            tab = Page(connection)
            targets = (await tab.call("Target.getTargets"))["targetInfos"]
            target = next(found["targetId"] for found in targets if found["type"] == "page")
            attached = await tab.call("Target.attachToTarget", targetId=target, flatten=True)
            tab.session = attached["sessionId"]
            yield tab
        finally:
            connection.close()
    finally:
        if process.returncode is None:
            process.terminate()
        async with asyncio.timeout(PATIENCE):
            await process.communicate()


async def _address(process: asyncio.subprocess.Process) -> str:
    assert process.stderr
    output = ""
    while line := (await process.stderr.readline()).decode("utf-8", "replace"):
        output += line
        if found := _LISTENING.search(line):
            return found[1]
    raise AssertionError(f"Chromium did not start:\n{output}")
