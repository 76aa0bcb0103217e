"""LiteLLM once as the backend of our translation, and once in the place of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from e2e.backend import Script, ScriptedBackend
from e2e.clients import CLIENTS
from e2e.conversation import Answer, Question
from e2e.litellm import LiteLLM
from proxy.harness import running_proxy

PATIENCE = 60
LEAKING = "I work in /tmp/windsurf-workspace/src/a.py. Fine, thanks."
CLEAN = "I work in <workspace>. Fine, thanks."

both_ways = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
every_protocol = pytest.mark.parametrize("protocol", CLIENTS)
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def as_backend(litellm: LiteLLM, confdir: Path) -> AsyncIterator[str]:
    async with running_proxy(
        confdir,
        windsurf_backend=f"{litellm.url}/v1",
        windsurf_backend_model=["*=mock"],
    ) as proxy:
        yield proxy.url


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def as_upstream(litellm: LiteLLM, confdir: Path) -> AsyncIterator[str]:
    async with running_proxy(confdir, windsurf_upstream=litellm.url) as proxy:
        yield proxy.url


async def ask(protocol: str, url: str, question: Question, stream: bool) -> Answer:
    client = CLIENTS[protocol](url)
    try:
        async with asyncio.timeout(PATIENCE):
            return await client.ask(question, stream=stream)
    finally:
        await client.close()


@every_protocol
@both_ways
async def test_litellm_as_the_backend(as_backend: str, protocol: str, stream: bool) -> None:
    answer = await ask(protocol, as_backend, Question(), stream)
    assert (answer.text, answer.end) == (CLEAN, "stop")


@every_protocol
@both_ways
async def test_litellm_as_the_upstream(
    as_upstream: str, backend: ScriptedBackend, protocol: str, stream: bool
) -> None:
    backend.script = Script(text=LEAKING)
    answer = await ask(protocol, as_upstream, Question(), stream)
    assert (answer.text, answer.end) == (CLEAN, "stop")
