"""An upstream that breaks off, in every way it can: what is held comes first, then the abort.

A client that is told that the answer is complete would keep half of it; a client that never hears
of the end would wait for ever.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mitmproxy.proxy.layers import http as http_layers

from mitmproxy_windsurf.proxy import compat
from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, connected
from proxy.http2 import Http2Out, http2_client, http2_upstream
from proxy.messages import CHAT, DONE, MARKER, PRIVATE, chat_request, event

HELD = "/tmp/wind"
"""The beginning of a private path: nobody knows yet whether it has to go."""


async def fin_between_chunks(out: Out) -> None:
    out.close()


async def fin_in_a_chunk(out: Out) -> None:
    await out.raw(b"ff\r\ndata: {")
    out.close()


async def rst(out: Out) -> None:
    out.reset()


async def garbage(out: Out) -> None:
    await out.raw(b"this is no chunk\r\n")


async def short_of_its_length(out: Out) -> None:
    out.close()


Break = Callable[[Out], Awaitable[None]]
BREAKS: list[Break] = [fin_between_chunks, fin_in_a_chunk, rst, garbage, short_of_its_length]


def breaking(how: Break) -> Callable[[Request, Out], Awaitable[None]]:
    async def script(request: Request, out: Out) -> None:
        if how is short_of_its_length:
            await out.head(content_type="text/event-stream", content_length="10000")
            await out.raw(event("first ") + event(PRIVATE) + event(f" {HELD}"))
        else:
            await out.events("first ", PRIVATE, f" {HELD}")
        await out.go_on.wait()
        await how(out)

    return script


@pytest.mark.parametrize("how", BREAKS)
async def test_http_1(start_proxy: StartProxy, start_upstream: StartUpstream, how: Break) -> None:
    upstream = await start_upstream(breaking(how))
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(MARKER.encode())
        upstream.go_on()
        reply = await client.reply()
    assert not reply.complete
    assert reply.body.startswith(event("first ") + event(MARKER))
    assert HELD.encode() in reply.body
    assert PRIVATE.encode() not in reply.body
    flow = await proxy.flow()
    assert flow.error
    assert flow.metadata["windsurf"]["outcome"] == flow.error.msg
    assert flow.response
    assert flow.response.raw_content == reply.body


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("how", [fin_between_chunks, rst])
async def test_http_2_clients(
    start_proxy: StartProxy, start_upstream: StartUpstream, how: Break, tls: bool
) -> None:
    upstream = await start_upstream(breaking(how))
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with http2_client(proxy.port, tls=tls) as client:
        stream = client.send(f"127.0.0.1:{proxy.port}", CHAT, chat_request())
        await client.until(lambda: MARKER.encode() in stream.body)
        upstream.go_on()
        await client.end(stream)
    assert stream.ended == "reset"
    assert HELD.encode() in stream.body


@pytest.mark.parametrize("how", ["reset", "go_away", "close"])
async def test_http_2_upstreams(start_proxy: StartProxy, confdir: Path, how: str) -> None:
    async def script(out: Http2Out) -> None:
        out.head(content_type="text/event-stream")
        out.data(event(PRIVATE) + event(f" {HELD}"))
        await out.go_on.wait()
        getattr(out, how)()

    async with http2_upstream(confdir, script) as upstream:
        proxy = await start_proxy(windsurf_upstream=upstream.url, ssl_insecure=True)
        async with http2_client(proxy.port, tls=True) as client:
            stream = client.send(f"127.0.0.1:{proxy.port}", CHAT, chat_request())
            await client.until(lambda: MARKER.encode() in stream.body)
            upstream.outs[0].go_on.set()
            await client.end(stream)
    assert stream.ended == "reset"
    assert HELD.encode() in stream.body


async def test_a_whole_answer_that_breaks_off_is_an_error_in_the_clients_shape(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="application/json", content_length="1000")
        await out.raw(b'{"choices":[')
        out.close()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request(stream=False))
        reply = await client.reply()
    assert (reply.status, reply.complete) == (502, True)
    assert upstream.url in json.loads(reply.body)["error"]["message"]
    assert len((await proxy.flow()).metadata["windsurf"]["warnings"]) == 1


async def test_a_clean_end_right_behind_held_text_is_an_end(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("first ", HELD)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        for _ in range(2):
            await client.send("POST", CHAT, chat_request())
            reply = await client.reply()
            assert reply.complete
            assert HELD.encode() in reply.body


async def test_a_client_that_leaves_ends_the_upstreams_work(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("first")
        while True:
            await out.chunk(event("more"))
            await asyncio.sleep(0.01)

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(b"first")
    flow = await proxy.flow()
    assert "disconnected" in flow.metadata["windsurf"]["outcome"]
    assert flow.response
    assert flow.response.stream is False, "nothing of the machinery stays with the flow"


async def test_an_exchange_after_an_abort_is_not_affected(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events(HELD)
        if len(upstream.requests) == 1:
            out.reset()
            return
        await out.chunk(DONE)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    for complete in (False, True):
        async with connected(proxy.port) as client:
            await client.send("POST", CHAT, chat_request())
            assert (await client.reply()).complete is complete


async def test_a_mitmproxy_without_the_needed_parts_does_all_but_the_release(
    start_proxy: StartProxy,
    start_upstream: StartUpstream,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    chain = http_layers.HttpStream.__mro__
    parent = next(cls for cls in chain if cls.__module__.startswith("mitmproxy."))
    monkeypatch.setattr(http_layers, "HttpStream", parent)
    monkeypatch.setitem(compat._NEEDS[http_layers], "HttpLayer", ("a_method_of_the_past",))
    upstream = await start_upstream(breaking(fin_between_chunks))
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    assert "a_method_of_the_past" in caplog.text
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(MARKER.encode())
        upstream.go_on()
        reply = await client.reply()
    assert not reply.complete
    assert reply.body == event("first ") + event(MARKER)
