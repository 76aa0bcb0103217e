"""A real Claude Code through the real proxy and the demo.

The environment names where it is: WINDSURF_CLIENTS the folder with the driver `run.py`, CLIENTS_DIR
what its `install.sh` has installed.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from clients.test_sdks import CLAIM, LEAK
from proxy.conftest import StartProxy
from proxy.harness import Proxy, until

PATIENCE = 90
TAG = str(os.getpid())
"""Tests of two generations may run side by side."""

pytestmark = [
    pytest.mark.filterwarnings("ignore:Passing pyOpenSSL"),
    pytest.mark.skipif(
        "WINDSURF_CLIENTS" not in os.environ, reason="not run: WINDSURF_CLIENTS is not set"
    ),
]


@asynccontextmanager
async def claude(url: str, prompt: str) -> AsyncIterator[asyncio.subprocess.Process]:
    driver = Path(os.environ["WINDSURF_CLIENTS"], "run.py")
    arguments = ["claude", "--url", url, "--prompt", prompt, "--tag", TAG]
    arguments += ["--timeout", str(PATIENCE)]
    process = await asyncio.create_subprocess_exec(sys.executable, str(driver), *arguments)
    try:
        async with asyncio.timeout(PATIENCE):
            yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def _said() -> list[dict[str, Any]]:
    """The events that Claude Code printed."""
    output = Path(
        os.environ.get("CLIENTS_DIR", ".clients"), "captures", f"claude-{TAG}", "client.out"
    )
    return [json.loads(line) for line in output.read_text("utf-8").splitlines() if line[:1] == "{"]


@pytest.mark.parametrize("prompt", ["say hi", "tool", "double", "think", "paths", "show code"])
async def test_claude_code_gets_a_clean_answer(start_proxy: StartProxy, prompt: str) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0")
    async with claude(proxy.url, prompt) as process:
        assert await process.wait() == 0
    (result,) = [event for event in _said() if event["type"] == "result"]
    assert result["is_error"] is False
    assert result["result"]
    answers = [event for event in _said() if event["type"] in ("assistant", "result")]
    for said in (json.dumps(event, ensure_ascii=False) for event in answers):
        assert LEAK.findall(said) == []
        assert CLAIM.findall(said) == []
    first = next(flow for flow in proxy.flows.ended if "/v1/messages" in flow.request.path)
    assert {"a2", "a3", "b", "a4"} <= {edit["rule"] for edit in first.metadata["windsurf"]["edits"]}


async def test_without_layer_1_it_is_refused_until_that_is_switched_on(
    start_proxy: StartProxy,
) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0", windsurf_neutralize=False)
    async with claude(proxy.url, "say hi") as process:
        await until(lambda: 529 in _statuses(proxy))
        assert proxy.flows.ended[-1].metadata["windsurf"]["blocked"]
        proxy.master.options.update(windsurf_neutralize=True)
        assert await process.wait() == 0  # Claude Code tries again by itself
    assert _statuses(proxy)[-1] == 200


def _statuses(proxy: Proxy) -> list[int]:
    return [flow.response.status_code for flow in proxy.flows.ended if flow.response]
