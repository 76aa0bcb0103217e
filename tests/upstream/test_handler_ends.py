"""What breaks on one side breaks on the other, leaves nothing behind, and stops nobody else."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from mitmproxy_windsurf.upstream.answering import Exchange
from mitmproxy_windsurf.upstream.backend import HTTPBackend
from mitmproxy_windsurf.upstream.client import HTTPClient, Response
from mitmproxy_windsurf.upstream.client_connection import ClientConnection
from mitmproxy_windsurf.upstream.demo.backend import DemoAnswer
from mitmproxy_windsurf.upstream.exchange import BATCH_FRAMES, Headers, Responder
from mitmproxy_windsurf.upstream.handler import TranslatingHandler
from mitmproxy_windsurf.upstream.server import UpstreamServer
from mitmproxy_windsurf.upstream.target import parse_target
from proxy.http1 import Out, Request, running_upstream
from upstream.asks import STREAMED, WHOLE, Ask
from upstream.conftest import Connect, Serve
from upstream.raw_http import RawClient, request_bytes
from upstream.translate.answers import DONE, chunk

each_protocol = pytest.mark.parametrize("protocol", STREAMED)
Handle = Callable[[str], UpstreamServer]


@pytest.fixture
async def handle(serve: Serve) -> AsyncIterator[Handle]:
    """`handle(url)` serves the handler with that backend; nothing may be left in the end."""
    clients = []

    def start(url: str) -> UpstreamServer:
        target = parse_target(f"{url}/v1")
        assert target
        clients.append(HTTPClient(environment={}))
        return serve(TranslatingHandler(HTTPBackend(target, clients[-1])))

    yield start
    for client in clients:
        client.close()
    await asyncio.sleep(0)
    gc.collect()
    left = [it for it in gc.get_objects() if isinstance(it, ClientConnection | Response | Exchange)]
    assert left == []


async def begin(out: Out) -> None:
    await out.head(content_type="text/event-stream", transfer_encoding="chunked")
    await out.chunk(chunk({"role": "assistant", "content": "so far"}))


async def send(client: RawClient, ask: Ask) -> None:
    await client.send(request_bytes("POST", ask.path, ask.data))


class TestAborts:
    @each_protocol
    @pytest.mark.parametrize("resets", [True, False])
    async def test_a_backend_that_breaks_off_breaks_the_clients_stream_off(
        self, handle: Handle, connect: Connect, protocol: str, resets: bool
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await begin(out)
            await out.go_on.wait()
            out.reset() if resets else out.close()

        async with running_upstream(script) as up:
            client = await connect(handle(up.url))
            await send(client, STREAMED[protocol])
            await client.until(b"so far")
            up.go_on()
            with pytest.raises(ConnectionResetError):
                await client.rest()

    @each_protocol
    async def test_a_whole_answer_that_breaks_off_is_none(
        self, handle: Handle, connect: Connect, protocol: str
    ) -> None:
        async def script(request: Request, out: Out) -> None:
            await out.head(content_type="application/json", content_length="999")
            await out.raw(b'{"choices": [')
            out.close()

        async with running_upstream(script) as up:
            client = await connect(handle(up.url))
            await send(client, WHOLE[protocol])
            with pytest.raises(ConnectionResetError):
                await client.rest()

    @each_protocol
    @pytest.mark.parametrize("begun", [True, False])
    async def test_a_client_that_leaves_cancels_the_backends_request(
        self, serve: Serve, handle: Handle, connect: Connect, protocol: str, begun: bool
    ) -> None:
        asked, left = asyncio.Event(), asyncio.Event()

        async def backend(request: object, responder: Responder) -> None:
            asked.set()
            try:
                if begun:
                    await responder.start(200, [("content-type", "text/event-stream")])
                    await responder.send(chunk({"role": "assistant", "content": "so far"}))
                await asyncio.Event().wait()
            finally:
                left.set()

        client = await connect(handle(f"http://127.0.0.1:{serve(backend).port}"))
        await send(client, STREAMED[protocol])
        await asked.wait()
        if begun:
            await client.until(b"so far")
        client.reset()
        async with asyncio.timeout(20):
            await left.wait()


class TestMany:
    STREAMS = 500

    async def test_five_hundred_streams_at_once_do_not_mix(
        self, handle: Handle, connect: Connect
    ) -> None:
        everybody = asyncio.Event()
        under_way = 0

        async def script(request: Request, out: Out) -> None:
            nonlocal under_way
            name = json.loads(request.body)["messages"][-1]["content"]
            await out.head(content_type="text/event-stream", transfer_encoding="chunked")
            await out.chunk(chunk({"role": "assistant", "content": f"<{name}"}))
            under_way += 1
            if under_way == self.STREAMS:
                everybody.set()
            await everybody.wait()
            for _ in range(3):
                await out.chunk(chunk({"content": f":{name}"}))
            await out.chunk(chunk({"content": ">"}, "stop") + DONE)
            await out.end()

        async def talk(server: UpstreamServer, number: int) -> str:
            client = await connect(server)
            name = f"n{number}"
            body = {**STREAMED["anthropic"].body, "messages": [{"role": "user", "content": name}]}
            response = await client.request("POST", "/v1/messages", json.dumps(body).encode())
            lines = response.body.decode().split("\n")
            events = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
            assert events[-1] == {"type": "message_stop"}
            return "".join(event.get("delta", {}).get("text", "") for event in events)

        async with running_upstream(script) as up:
            server = handle(up.url)
            async with asyncio.timeout(120):
                said = await asyncio.gather(*(talk(server, n) for n in range(self.STREAMS)))
            assert up.connections == self.STREAMS
        assert said == [f"<n{n}{f':n{n}' * 3}>" for n in range(self.STREAMS)]

    @each_protocol
    async def test_a_burst_of_two_thousand_events_does_not_stall_another_stream(
        self, serve: Serve, connect: Connect, protocol: str
    ) -> None:
        """As long as the other stream has something to say, its turn comes soon."""
        turns: list[str] = []
        ask = STREAMED[protocol]
        server = serve(TranslatingHandler(Talking(turns)))
        quiet, loud = await connect(server), await connect(server)
        await send(quiet, ask)
        burst = json.dumps(ask.body).replace('"hi"', '"burst"').encode()
        await loud.send(request_bytes("POST", ask.path, burst))
        responses = await asyncio.gather(quiet.response(), loud.response())
        said = [response.body.count(b"word") for response in responses]
        assert said[0] >= 20  # some protocols say a text again at its end
        assert said[1] >= 2000
        shared = turns[turns.index("burst") : len(turns) - turns[::-1].index("hi")]
        runs = [len(list(run)) for name, run in itertools.groupby(shared) if name == "burst"]
        assert len(runs) > 5
        assert max(runs) <= BATCH_FRAMES


class Talking:
    """A backend that says one thing as fast as it can, and another a word each turn of the loop."""

    def __init__(self, turns: list[str]) -> None:
        self._turns = turns

    @asynccontextmanager
    async def send(
        self, method: str, path: str, *, headers: Headers = (), body: bytes = b""
    ) -> AsyncIterator[DemoAnswer]:
        name = "burst" if b"burst" in body else "hi"
        yield Words(name, 2000 if name == "burst" else 20, self._turns)

    def close(self) -> None:
        pass


class Words(DemoAnswer):
    def __init__(self, name: str, count: int, turns: list[str]) -> None:
        words = [chunk({"content": "word "})] * count
        chunks = [*words, chunk({}, "stop") + DONE]
        super().__init__(200, {"content-type": "text/event-stream"}, chunks)
        self._name, self._turns = name, turns

    async def __anext__(self) -> bytes:
        if self._name == "hi":
            await asyncio.sleep(0)
        self._turns.append(self._name)
        return await super().__anext__()
