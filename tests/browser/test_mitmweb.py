"""What a person sees in mitmweb: the views of a streamed exchange, and the commands.

In a headless Chromium; `apt-get install chromium` brings one, or $CHROMIUM names it.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from browser import chromium
from browser.chromium import Page
from browser.mitmweb import Web, choose_view, mitmweb, open_flow
from proxy.http1 import ask

BEFORE = "You are Claude Code, Anthropic's official CLI for Claude."
AFTER = "You are an AI coding assistant."
REFUSED = "The copper heron counts the tides at noon."
PRIVATE = "/tmp/windsurf-workspace/src/app.py"
KEY = "hunter2-hunter2-hunter2"

if chromium.find() is None:
    pytest.skip("not run: there is no Chromium (see $CHROMIUM)", allow_module_level=True)


@pytest.fixture
async def web(tmp_path: Path) -> AsyncIterator[Web]:
    async with mitmweb(tmp_path / "mitmproxy", ["windsurf_bisect_pause=0"]) as running:
        yield running


@pytest.fixture
async def page(tmp_path: Path) -> AsyncIterator[Page]:
    async with chromium.page(tmp_path / "chromium") as opened:
        yield opened


def request(system: str, prompt: str) -> bytes:
    schema = {"type": "object", "properties": {"file_path": {"type": "string"}}}
    body = {
        "model": "claude-opus-4-6",
        "max_tokens": 500,
        "stream": True,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "system": f"{system}\nHelp the user.\n",
        "tools": [{"name": "Read", "description": "Read a file.", "input_schema": schema}],
        "messages": [{"role": "user", "content": prompt}],
    }
    return json.dumps(body).encode()


async def exchange(web: Web, system: str, prompt: str) -> int:
    reply = await ask(
        web.port, "POST", "/v1/messages", request(system, prompt), **{"x-api-key": KEY}
    )
    return reply.status


async def command(page: Page, line: str) -> None:
    await page.click("a", "Options")
    await page.click("label", "Display Event Log")
    await page.click("label", "Display Command Bar")
    await page.focus(".command input")
    await page.type(f"{line}\n")


async def test_a_streamed_exchange_and_its_changes(web: Web, page: Page) -> None:
    assert await exchange(web, BEFORE, "tool") == 200

    await open_flow(page, web, "Response")
    await page.see(
        "LLM\n",
        "assistant, thinking: |\n  The file should be at <workspace>.",
        "assistant: |\n  I will look at the file.",
        "assistant calls Read (",
        "  file_path: <workspace>",
        "stop: tool_use",
        "usage:\n  input_tokens: ",
    )
    await choose_view(page, "Windsurf changes")
    await page.see(
        "Windsurf changes\n",
        "@@ assistant, thinking · path",
        f"-  The file should be at {PRIVATE}.",
        "+  The file should be at <workspace>.",
        f"-  file_path: {PRIVATE}",
    )

    await page.click("a", "Request")
    await page.see("LLM\n", "max_tokens: 500", f"system: |\n  {AFTER}", "user: |\n  tool")
    await choose_view(page, "Windsurf changes")
    await page.see("a1  neutralize  system  ×1  −26 B", f"-  {BEFORE}", f"+  {AFTER}")

    await command(page, "windsurf.explain @focus")
    await page.see("$ windsurf.explain @focus", "rule a1 changed system")


async def test_a_trigger_is_found_from_the_command_bar(web: Web, page: Page) -> None:
    assert await exchange(web, REFUSED, "hello") == 529

    await open_flow(page, web, "Response")
    await page.see("LLM\n", "error: |\n  overloaded_error: Overloaded")
    await command(page, "windsurf.bisect @focus")
    await page.until(  # only the lines that are in sight are on the page
        f"""(() => {{
            const log = document.querySelector(".eventlog pre");
            log.scrollTop = log.scrollHeight;
            return log.innerText.includes({json.dumps(f'words = "{REFUSED}"')});
        }})()"""
    )
    assert KEY not in await page.text()
