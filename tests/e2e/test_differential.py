"""What LiteLLM and we make of the same conversation, for the same client and the same backend.

docs/reference/litellm.md lists every difference with its reason: one that is not there fails the
test, and so does one that is there and no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from e2e.backend import Json, ScriptedBackend
from e2e.clients import CLIENTS
from e2e.litellm import LiteLLM
from e2e.questions import EXCHANGES
from proxy.harness import running_proxy

DIFFERENCES = Path(__file__).parents[2] / "docs" / "reference" / "litellm.md"
PATIENCE = 60
MISSING = "nothing"

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ours(shared_backend: ScriptedBackend, confdir: Path) -> AsyncIterator[str]:
    async with running_proxy(confdir, windsurf_backend=shared_backend.url) as proxy:
        yield proxy.url


async def made(url: str, backend: ScriptedBackend, protocol: str, name: str, way: str) -> Json:
    """What the backend is asked and the SDK is told, as leaves by their places."""
    question, backend.script = EXCHANGES[name]
    backend.forget()
    client = CLIENTS[protocol](url)
    answer: Any
    try:
        async with asyncio.timeout(PATIENCE):
            answer = asdict(await client.ask(question, stream=way == "streamed"))
    except Exception as error:  # that is an answer too, and may be a difference
        answer = {"error": type(error).__name__}
    finally:
        await client.close()
    return dict(flat({"request": backend.asked[-1:], "answer": answer}))


class Difference(NamedTuple):
    """A row of the table; all but the reason are patterns."""

    protocol: str
    conversation: str
    place: str
    reason: str

    def explains(self, protocol: str, conversation: str, place: str) -> bool:
        pairs = zip((protocol, conversation, place), self, strict=False)
        return all(fnmatchcase(said, pattern) for said, pattern in pairs)


def differences() -> list[Difference]:
    rows = [line for line in DIFFERENCES.read_text("utf-8").splitlines() if line[:3] == "| `"]
    cells = [[cell.strip().strip("`") for cell in row.strip("|").split("|")] for row in rows]
    return [Difference(*found) for found in cells]


@pytest.mark.parametrize("protocol", CLIENTS)
async def test_litellm_and_we_differ_where_it_is_written_down(
    ours: str, litellm: LiteLLM, backend: ScriptedBackend, protocol: str
) -> None:
    known = [row for row in differences() if fnmatchcase(protocol, row.protocol)]
    used, unexplained = set(), []
    for name in EXCHANGES:
        for way in ("streamed", "whole"):
            we = await made(ours, backend, protocol, name, way)
            they = await made(litellm.url, backend, protocol, name, way)
            for place in sorted(we.keys() | they.keys()):
                pair = (they.get(place, MISSING), we.get(place, MISSING))
                if pair[0] == pair[1]:
                    continue
                rows = {row for row in known if row.explains(protocol, f"{name}, {way}", place)}
                used |= rows
                if not rows:
                    unexplained.append((f"{name}, {way}", place, *pair))
    assert unexplained == []
    assert [row for row in known if row not in used] == []


def flat(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a document by their places; positions in lists are left out of none."""
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from flat(inner, f"{place}.{name}" if place else name)
    elif isinstance(value, list | tuple) and value:
        for index, inner in enumerate(value):
            yield from flat(inner, f"{place}.{index}")
    else:
        yield place, value
