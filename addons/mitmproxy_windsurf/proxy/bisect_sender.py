"""A search for a trigger put to an upstream: one request at a time, past all layers.

Only what a search decides by is read of an answer. Neither keys nor bodies are logged.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mitmproxy_windsurf.debug.bisect import Bisection, Result
from mitmproxy_windsurf.debug.verdict import Judgement, judge
from mitmproxy_windsurf.proxy.streaming import STREAM_TYPES
from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.client_errors import ConnectFailed, RequestFailed

READS = 64 * 1024
"""Bytes of an answer that are enough for a verdict."""

PATIENCE = 180.0
"""Seconds for one answer."""

LONGEST_WAIT = 60.0
FIRST_WAIT = 10
"""In pauses: the first wait for an upstream that limits its rate; each further one is doubled."""


@dataclass(frozen=True)
class Answer:
    """A judgement, and the seconds that the upstream asks to wait."""

    judgement: Judgement
    retry_after: float = 0.0


class Sender(Protocol):
    """What a search needs of an upstream."""

    async def send(self, body: bytes) -> Answer: ...


@dataclass
class HTTPSender:
    """POSTs bodies to one URL; `headers` are those of the request but for its framing."""

    url: str
    headers: Sequence[tuple[str, str]]
    streamed: bool
    pattern: re.Pattern[bytes] | None = None
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        self._client = HTTPClient()

    def close(self) -> None:
        """Close what is kept open."""
        self._client.close()

    async def send(self, body: bytes) -> Answer:
        received = bytearray()
        try:
            async with asyncio.timeout(self.patience):
                return await self._exchange(body, received)
        except ConnectFailed as error:
            return Answer(Judgement("stop", f"{error}; start the upstream and try again"))
        except RequestFailed as error:
            return Answer(Judgement("wait", str(error)))
        except TimeoutError:
            return Answer(Judgement("wait", f"no whole answer within {self.patience:g} seconds"))
        except ValueError as error:
            return Answer(Judgement("stop", str(error)))

    async def _exchange(self, body: bytes, received: bytearray) -> Answer:
        client = self._client
        async with client.send("POST", self.url, headers=self.headers, body=body) as response:
            content_type = response.headers.get("content-type", "")
            streamed = self.streamed or bool(STREAM_TYPES.match(content_type))
            try:
                async for data in response:
                    received += data
                    if len(received) >= READS:
                        break
            except RequestFailed as error:
                judgement = judge(response.status, bytes(received), streamed=streamed)
                if not received or judgement.kind != "blocked":
                    return Answer(Judgement("wait", str(error)))
                return Answer(judgement)
            judgement = judge(
                response.status, bytes(received), streamed=streamed, pattern=self.pattern
            )
            return Answer(judgement, _seconds(response.headers.get("retry-after", "")))


async def search(
    bisection: Bisection, sender: Sender, *, pause: float, tell: Callable[[str], None]
) -> Result:
    """Send what the search asks for until it ends; `pause` is seconds between two requests."""
    waits = 0
    while (body := bisection.request) is not None:
        answer = await sender.send(body)
        tell(bisection.tell(answer.judgement))
        waits = waits + 1 if answer.judgement.kind == "wait" else 0
        if bisection.request is not None:
            wait = answer.retry_after or pause * FIRST_WAIT * 2 ** (waits - 1) if waits else pause
            await asyncio.sleep(min(wait, LONGEST_WAIT))
    assert bisection.result
    return bisection.result


def _seconds(retry_after: str) -> float:
    """A date counts as nothing: it is rare, and clocks differ."""
    return float(retry_after) if re.fullmatch(r"\d{1,6}(\.\d+)?", retry_after.strip()) else 0.0
