"""Answers through a real mitmproxy: streamed and whole, compressed, kept alive, of any framing."""

import gzip
import json

import pytest

from encoders import ENCODERS, encode
from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, ask, connected
from proxy.messages import (
    CHAT,
    DONE,
    MARKER,
    MESSAGES,
    PRIVATE,
    chat_answer,
    chat_request,
    event,
    said,
)

LEAK = f"see {PRIVATE} now"
CLEAN = f"see {MARKER} now"


async def leak(request: Request, out: Out) -> None:
    await out.events("see /tmp/wind", "surf-workspace/src/a.py", " now", etag='"1"')
    await out.chunk(DONE)
    await out.end()


async def test_a_stream_is_rewritten_and_keeps_the_connection(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        for _ in range(3):
            await client.send("POST", CHAT, chat_request())
            reply = await client.reply()
            assert reply.complete
            assert said(reply.body) == CLEAN
            assert reply.body.endswith(DONE)
            assert reply.headers["transfer-encoding"] == "chunked"
            assert "etag" not in reply.headers
    assert upstream.connections == 1
    assert upstream.requests[0].headers["accept-encoding"] == "identity"


async def test_what_is_decided_is_not_delayed(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("first")
        await out.go_on.wait()
        await out.chunk(event("second"))
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(b"first")
        upstream.go_on()
        assert said((await client.reply()).body) == "firstsecond"


async def test_a_stream_without_a_leak_passes_byte_for_byte(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    frames = [b": ping\r\n\r\n", b"event:x\nid: 7\n", b'data:{"a": 1.0 }\n\n', event("hi"), DONE]

    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="text/event-stream", transfer_encoding="chunked")
        for frame in frames:
            await out.chunk(frame)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request())
    assert reply.body == b"".join(frames)
    flow = await proxy.flow()
    assert flow.response
    assert flow.response.raw_content == reply.body
    assert flow.comment == ""
    assert flow.marked == ""


@pytest.mark.parametrize("status", [200, 400, 403, 500, 529])
async def test_a_whole_body_is_rewritten_and_keeps_its_length_right(
    start_proxy: StartProxy, start_upstream: StartUpstream, status: int
) -> None:
    async def script(request: Request, out: Out) -> None:
        error = json.dumps({"error": {"message": LEAK}}).encode()
        await out.body(chat_answer(LEAK) if status == 200 else error, status, etag='"1"')

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        for _ in range(2):
            await client.send("POST", CHAT, chat_request(stream=status != 200))
            reply = await client.reply()
            assert reply.status == status
            assert CLEAN.encode() in reply.body
            assert PRIVATE.encode() not in reply.body
            assert reply.headers["content-length"] == str(len(reply.body))
            assert "etag" not in reply.headers


async def test_an_unchanged_whole_body_keeps_all_its_headers(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    body = b'{ "choices" : [ ],\n "x": 1.50 }'

    async def script(request: Request, out: Out) -> None:
        await out.body(body, etag='"1"', digest="x")

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request(stream=False))
    assert reply.body == body
    assert reply.headers["etag"] == '"1"'
    assert reply.headers["digest"] == "x"


@pytest.mark.parametrize("name", ENCODERS)
async def test_a_compressed_stream_is_decoded_event_by_event(
    start_proxy: StartProxy, start_upstream: StartUpstream, name: str
) -> None:
    encoding, encoder = ENCODERS[name]
    chunks = encoder([event("see "), event(PRIVATE), event(" now"), DONE])

    async def script(request: Request, out: Out) -> None:
        await out.head(
            content_type="text/event-stream",
            transfer_encoding="chunked",
            content_encoding=encoding,
        )
        await out.chunk(chunks[0])
        await out.go_on.wait()
        for chunk in chunks[1:]:
            if chunk:
                await out.chunk(chunk)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(event("see "))
        upstream.go_on()
        reply = await client.reply()
    assert reply.complete
    assert said(reply.body) == CLEAN
    assert "content-encoding" not in reply.headers


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
async def test_a_compressed_whole_body_stays_compressed(
    start_proxy: StartProxy, start_upstream: StartUpstream, name: str
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(encode(name, chat_answer(LEAK)), content_encoding=name)

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request(stream=False))
    assert reply.headers["content-encoding"] == name
    flow = await proxy.flow()
    assert flow.response
    assert flow.response.content == chat_answer(CLEAN)


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("encoding", ["gzip, br", "x-secret"])
async def test_an_unknown_encoding_passes_untouched_with_a_warning(
    start_proxy: StartProxy, start_upstream: StartUpstream, encoding: str, streamed: bool
) -> None:
    body = gzip.compress(b"whatever this is")

    async def script(request: Request, out: Out) -> None:
        kind = "text/event-stream" if streamed else "application/json"
        await out.body(body, content_type=kind, content_encoding=encoding)

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request(stream=streamed))
    assert reply.body == body
    assert reply.headers["content-encoding"] == encoding
    assert reply.headers["content-length"] == str(len(body))
    flow = await proxy.flow()
    assert encoding in flow.metadata["windsurf"]["warnings"][0]
    assert flow.marked == ":warning:"


async def test_a_damaged_compressed_stream_reaches_the_client_as_an_abort(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    good = ENCODERS["gzip"][1]([event("fine"), event("/tmp/wind")])

    async def script(request: Request, out: Out) -> None:
        await out.head(
            content_type="text/event-stream", transfer_encoding="chunked", content_encoding="gzip"
        )
        await out.chunk(good[0] + good[1])
        await out.chunk(b"\xff" * 50)
        await out.chunk(b"more")
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request())
    assert not reply.complete
    assert said(reply.body) == "fine/tmp/wind"
    flow = await proxy.flow()
    assert "damaged" in flow.metadata["windsurf"]["warnings"][0]


@pytest.mark.parametrize("kind", ["application/octet-stream", "text/plain", None])
async def test_a_stream_is_told_by_the_request_if_its_type_does_not_say_so(
    start_proxy: StartProxy, start_upstream: StartUpstream, kind: str | None
) -> None:
    async def script(request: Request, out: Out) -> None:
        headers = {"content_type": kind} if kind else {}
        await out.head(transfer_encoding="chunked", **headers)
        await out.chunk(event("first"))
        await out.go_on.wait()
        await out.chunk(event(f" {PRIVATE}") + DONE)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(b"first")
        upstream.go_on()
        assert said((await client.reply()).body) == f"first {MARKER}"


async def test_an_upstream_that_ends_by_closing(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="text/event-stream")
        await out.raw(event(LEAK))
        out.close()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    for _ in range(2):
        reply = await ask(proxy.port, "POST", CHAT, chat_request())
        assert reply.complete
        assert said(reply.body) == CLEAN
        assert reply.headers["transfer-encoding"] == "chunked"
        assert reply.headers["connection"] == "close"


async def test_a_client_that_speaks_http_1_0(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request(), version="1.0")
        reply = await client.reply()
    assert "transfer-encoding" not in reply.headers
    assert said(reply.body) == CLEAN


async def test_a_stream_with_a_length(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(event(LEAK) + DONE, content_type="text/event-stream; charset=utf-8")

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        for _ in range(2):
            await client.send("POST", CHAT, chat_request())
            reply = await client.reply()
            assert said(reply.body) == CLEAN
            assert "content-length" not in reply.headers


async def test_answers_without_a_body_keep_their_headers(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.head(204, content_type="text/event-stream", etag='"1"')

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, chat_request())
        await client.seen(b"\r\n\r\n")
    flow = await proxy.flow()
    assert flow.response
    assert flow.response.headers["etag"] == '"1"'
    assert "transfer-encoding" not in flow.response.headers


async def test_an_empty_stream_is_marked_as_a_block(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events()
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request())
    assert reply.complete
    assert reply.body == b""
    flow = await proxy.flow()
    assert flow.metadata["windsurf"]["blocked"] == "HTTP 200 with an empty stream"
    assert flow.marked == ":no_entry:"


async def test_with_all_layers_off_nothing_of_an_answer_changes(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    off = dict.fromkeys(("windsurf_paths", "windsurf_identity", "windsurf_dedup"), False)
    proxy = await start_proxy(windsurf_upstream=upstream.url, **off)
    reply = await ask(proxy.port, "POST", CHAT, chat_request(), accept_encoding="br")
    assert b"".join([event("see /tmp/wind"), event("surf-workspace/src/a.py")]) in reply.body
    assert reply.headers["etag"] == '"1"'
    assert upstream.requests[0].headers["accept-encoding"] == "br"


async def test_shadow_shows_what_would_be_changed(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_shadow=True)
    reply = await ask(proxy.port, "POST", CHAT, chat_request())
    assert said(reply.body) == LEAK
    flow = await proxy.flow()
    assert flow.comment == "shadow, would have: paths×1"
    assert flow.marked == ":eyes:"


async def test_bodies_over_stream_large_bodies_are_rewritten_all_the_same(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="application/json", transfer_encoding="chunked")
        body = chat_answer(LEAK)
        for start in range(0, len(body), 10):
            await out.chunk(body[start : start + 10])
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url, stream_large_bodies="20")
    reply = await ask(proxy.port, "POST", CHAT, chat_request(stream=False))
    assert reply.body == chat_answer(CLEAN)


async def test_an_anthropic_stream(start_proxy: StartProxy, start_upstream: StartUpstream) -> None:
    def frame(name: str, rest: str) -> bytes:
        return f'event: {name}\ndata: {{"type":"{name}",{rest}}}\n\n'.encode()

    frames = [
        frame("message_start", '"message":{"id":"m","role":"assistant","content":[]}'),
        frame("content_block_start", '"index":0,"content_block":{"type":"text","text":""}'),
        frame("content_block_delta", f'"index":0,"delta":{{"type":"text_delta","text":"{LEAK}"}}'),
        frame("content_block_stop", '"index":0'),
        frame("message_stop", '"x":0'),
    ]

    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="text/event-stream", transfer_encoding="chunked")
        for sent in frames:
            await out.chunk(sent)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    body = b'{"model":"claude-opus-4-6","stream":true,"max_tokens":5,"messages":[]}'
    reply = await ask(proxy.port, "POST", f"{MESSAGES}?beta=true", body)
    assert reply.body == b"".join(frames).replace(LEAK.encode(), CLEAN.encode())
    assert upstream.requests[0].target == f"{MESSAGES}?beta=true"
