"""How an answer can end before its time, by the server's fault or at the client's wish."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from mitmproxy_windsurf.upstream.client import HTTPClient
from mitmproxy_windsurf.upstream.client_connection import AHEAD
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken, AnswerSilent, ConnectFailed
from proxy.http1 import Out, Request, Upstream, running_upstream
from upstream.conftest import Serve
from upstream.handlers import Endless

Break = Callable[[Out], Awaitable[None]]


@pytest.fixture
async def client() -> AsyncIterator[HTTPClient]:
    client = HTTPClient(environment={})
    yield client
    client.close()


async def chunked_fin(out: Out) -> None:
    await out.head(transfer_encoding="chunked")
    await out.chunk(b"so far")
    out.close()


async def chunked_reset(out: Out) -> None:
    await out.head(transfer_encoding="chunked")
    await out.chunk(b"so far")
    await out.go_on.wait()
    out.reset()


async def within_a_chunk(out: Out) -> None:
    await out.head(transfer_encoding="chunked")
    await out.raw(b"ff\r\nso far")
    out.close()


async def sized_fin(out: Out) -> None:
    await out.head(content_length="99")
    await out.raw(b"so far")
    out.close()


async def unsized_reset(out: Out) -> None:
    await out.head()
    await out.raw(b"so far")
    await out.go_on.wait()
    out.reset()


async def no_http(out: Out) -> None:
    await out.head(transfer_encoding="chunked")
    await out.chunk(b"so far")
    await out.raw(b"nonsense\r\n")


@pytest.mark.parametrize(
    "how", [chunked_fin, chunked_reset, within_a_chunk, sized_fin, unsized_reset, no_http]
)
async def test_what_came_before_a_break_is_read_and_then_the_break_is_seen(
    client: HTTPClient, how: Break
) -> None:
    async def script(request: Request, out: Out) -> None:
        await how(out)

    pieces = []

    async def read(up: Upstream) -> None:
        async with asyncio.timeout(20), client.send("GET", up.url) as response:
            async for piece in response:
                pieces.append(piece)
                up.go_on()

    async with running_upstream(script) as up:
        with pytest.raises(AnswerBroken):
            await read(up)
        assert b"".join(pieces) == b"so far"
        assert client.idle == 0


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200", b"220 mail\r\n\r\n"])
async def test_no_answer_at_all(client: HTTPClient, answer: bytes) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.raw(answer)
        out.close()

    async with running_upstream(script) as up:
        with pytest.raises(AnswerBroken):
            async with asyncio.timeout(20), client.send("GET", up.url):
                pass


async def test_a_head_without_an_end_is_not_kept_for_ever(client: HTTPClient) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.raw(b"HTTP/1.1 200 OK\r\n")
        while True:
            await out.raw(b"x-header: %s\r\n" % (b"x" * 9999))

    async with running_upstream(script) as up:
        with pytest.raises(AnswerBroken):
            async with asyncio.timeout(20), client.send("GET", up.url):
                pass


@pytest.mark.parametrize("begins", [True, False])
async def test_a_server_that_falls_silent_is_given_up(begins: bool) -> None:
    async def script(request: Request, out: Out) -> None:
        if begins:
            await out.events("one")
        await out.go_on.wait()

    client = HTTPClient(silence=0.05, environment={})
    async with running_upstream(script) as up:
        with pytest.raises(AnswerSilent, match=r"nothing came for 0\.05 seconds"):
            async with asyncio.timeout(20), client.send("GET", up.url) as response:
                await response.read(999)
        assert client.idle == 0


async def test_nobody_listens(client: HTTPClient) -> None:
    async with running_upstream(unsized_reset_script) as up:
        pass
    with pytest.raises(ConnectFailed, match=f"127.0.0.1:{up.port}: nothing listens there"):
        async with asyncio.timeout(20), client.send("GET", up.url):
            pass


async def unsized_reset_script(request: Request, out: Out) -> None:
    await unsized_reset(out)


@pytest.mark.parametrize("cancels", [True, False])
async def test_leaving_early_closes_the_connection(
    client: HTTPClient, serve: Serve, cancels: bool
) -> None:
    endless = Endless()
    server = serve(endless)

    async def read(all_of_it: bool) -> None:
        async with client.send("GET", f"http://127.0.0.1:{server.port}/") as response:
            async for _ in response:
                begun.set()
                if not all_of_it:
                    break

    begun = asyncio.Event()
    task = asyncio.create_task(read(all_of_it=cancels))
    async with asyncio.timeout(20):
        await begun.wait()
        if cancels:
            task.cancel()
        await asyncio.wait([task])
        await endless.cancelled.wait()
    assert client.idle == 0


async def test_cancelling_before_the_answer_closes_the_connection(
    client: HTTPClient, serve: Serve
) -> None:
    asked, cancelled = asyncio.Event(), asyncio.Event()

    async def wait(request: object, responder: object) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async def ask() -> None:
        async with client.send("GET", f"http://127.0.0.1:{serve(wait).port}/"):
            pass

    task = asyncio.create_task(ask())
    async with asyncio.timeout(20):
        await asked.wait()
        task.cancel()
        await asyncio.wait([task])
        await cancelled.wait()


async def test_a_reader_that_waits_makes_the_server_wait(client: HTTPClient, serve: Serve) -> None:
    endless = Endless(b"x" * 65536)
    async with client.send("GET", f"http://127.0.0.1:{serve(endless).port}/") as response:
        await anext(aiter(response))
        before = -1
        while endless.sent > before:  # until the server is stuck
            before = endless.sent
            await asyncio.sleep(0.1)
        assert response._connection._unread <= AHEAD + 2**18
        for _ in range(200):
            await anext(response)
        while endless.sent == before:  # and goes on
            await anext(response)


async def test_a_burst_leaves_turns_to_others(client: HTTPClient) -> None:
    """Between two of its pieces, everybody else who can run does."""
    event = b"data: %s\n\n" % (b"x" * 180)

    async def script(request: Request, out: Out) -> None:
        await out.head(transfer_encoding="chunked")
        await out.raw((b"%x\r\n%s\r\n" % (len(event), event)) * 2000 + b"0\r\n\r\n")

    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with running_upstream(script) as up, client.send("GET", up.url) as response:
        await asyncio.sleep(0.1)  # the burst is there
        task = asyncio.create_task(other())
        seen, size, most = 0, 0, 0
        async for piece in response:
            size += len(piece)
            most = max(most, len(piece))
            if len(piece) > 16_000:
                assert turns > seen
            seen = turns
        task.cancel()
    assert size == 2000 * len(event)
    assert most < 20_000
