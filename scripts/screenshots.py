"""Take the screenshots of the documentation, of a mitmweb with the demo in it."""

import asyncio
import json
import tempfile
from pathlib import Path

from browser import chromium
from browser.chromium import Page
from browser.mitmweb import Web, choose_view, mitmweb, open_flow
from proxy.http1 import ask

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
LARGEST = 200_000
"""Bytes of an image; more has no place in a repository."""

SYSTEM = "You are Claude Code, Anthropic's official CLI for Claude.\nHelp the user with the code.\n"
TOOL = {
    "name": "Read",
    "description": "Reads a file from the local filesystem.",
    "input_schema": {"type": "object", "properties": {"file_path": {"type": "string"}}},
}


async def exchange(web: Web, prompt: str) -> None:
    body = {
        "model": "claude-opus-4-6",
        "max_tokens": 500,
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "system": SYSTEM,
        "tools": [TOOL],
        "messages": [{"role": "user", "content": prompt}],
    }
    reply = await ask(web.port, "POST", "/v1/messages", json.dumps(body).encode())
    assert reply.status == 200, reply


async def take(page: Page, name: str) -> None:
    path = IMAGES / name
    await page.screenshot(path)
    size = path.stat().st_size
    assert size < LARGEST, f"{name} has {size:,} bytes"
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")


async def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        async with (
            mitmweb(Path(place) / "mitmproxy") as web,
            chromium.page(Path(place) / "chromium", width=1200, height=960) as page,
        ):
            await exchange(web, "Use a tool")
            await open_flow(page, web, "Response")
            await page.see("usage:")
            await take(page, "llm-view.png")
            await choose_view(page, "Windsurf changes")
            await page.see("+++ what went to the client")
            await take(page, "changes-in-an-answer.png")
            await page.click("a", "Request")
            await page.see("user: |")
            await choose_view(page, "Windsurf changes")
            await page.see("+++ what went to the upstream")
            await take(page, "changes-in-a-request.png")


if __name__ == "__main__":
    asyncio.run(main())
