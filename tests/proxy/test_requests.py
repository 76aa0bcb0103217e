"""Requests through a real mitmproxy: layer 1, and everything that has to pass untouched."""

import zlib
from typing import Any

import pytest

from encoders import encode
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import Proxy
from proxy.http1 import Out, Request, Upstream, ask, connected
from proxy.messages import CHAT, MESSAGES, NEUTRAL, TRIGGER, chat_answer, chat_request

TOUCHED = chat_request(TRIGGER, stream=False)
NEUTRALIZED = chat_request(NEUTRAL, stream=False)


async def ok(request: Request, out: Out) -> None:
    await out.body(chat_answer("fine"))


async def sent(upstream: Upstream, proxy: Proxy, target: str, body: bytes, **headers: str) -> Any:
    """What arrives at the upstream."""
    reply = await ask(proxy.port, "POST", target, body, **headers)
    assert reply.status == 200
    return upstream.requests[-1]


async def test_a_trigger_is_rewritten_and_nothing_else(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    arrived = await sent(
        upstream, proxy, CHAT, TOUCHED, authorization="Bearer sk-1234567", content_digest="x"
    )
    assert arrived.body == NEUTRALIZED
    assert arrived.headers["content-length"] == str(len(NEUTRALIZED))
    assert arrived.headers["authorization"] == "Bearer sk-1234567"
    assert "content-digest" not in arrived.headers
    flow = await proxy.flow()
    assert flow.comment == f"a1×1 −{len(TOUCHED) - len(NEUTRALIZED)} B"
    assert flow.marked == ":pencil2:"
    account = flow.metadata["windsurf"]
    assert account["original_request"] == TOUCHED
    assert account["request_bytes"] == [len(TOUCHED), len(NEUTRALIZED)]
    assert (account["protocol"], account["kind"]) == ("openai_chat", "generate")
    assert account["model"] == "claude-opus-4-6"
    (edit,) = account["edits"]
    assert (edit["side"], edit["layer"], edit["rule"]) == ("request", "neutralize", "a1")


async def test_the_same_request_arrives_as_the_same_bytes(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    first = await sent(upstream, proxy, CHAT, TOUCHED)
    assert (await sent(upstream, proxy, CHAT, TOUCHED)).body == first.body
    assert (await sent(upstream, proxy, CHAT, first.body)).body == first.body


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
async def test_a_compressed_request_stays_compressed(
    start_proxy: StartProxy, start_upstream: StartUpstream, encoding: str
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    arrived = await sent(
        upstream, proxy, CHAT, encode(encoding, TOUCHED), content_encoding=encoding
    )
    assert arrived.headers["content-encoding"] == encoding
    assert arrived.body != NEUTRALIZED
    flow = await proxy.flow()
    assert flow.request.content == NEUTRALIZED


async def test_a_chunked_request_stays_chunked(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, transfer_encoding="chunked")
        for part in (TOUCHED[:70], TOUCHED[70:], b""):
            client.writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        assert (await client.reply()).status == 200
    assert upstream.requests[0].body == NEUTRALIZED
    assert upstream.requests[0].headers["transfer-encoding"] == "chunked"


@pytest.mark.parametrize(
    "body",
    [
        b"not json " + TRIGGER.encode(),
        b'{"messages": [{"role": "system", "content": "' + TRIGGER.encode() + b'"',
        b'["' + TRIGGER.encode() + b'"]',
        b'"' + TRIGGER.encode() + b'"',
        b"\xff\xfe" + TOUCHED,
        b"[" * 5000,
        chat_request("Be brief."),
        chat_request("Our docs mention Claude Code."),
    ],
)
async def test_what_is_not_to_be_rewritten_arrives_byte_for_byte(
    start_proxy: StartProxy, start_upstream: StartUpstream, body: bytes
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    assert (await sent(upstream, proxy, CHAT, body)).body == body
    assert (await proxy.flow()).metadata["windsurf"]["original_request"] is None


@pytest.mark.parametrize("encoding", ["gzip", "gzip, br", "unheard-of"])
async def test_a_body_that_cannot_be_decoded_passes_with_a_warning(
    start_proxy: StartProxy, start_upstream: StartUpstream, encoding: str
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    body = zlib.compress(TOUCHED)
    assert (await sent(upstream, proxy, CHAT, body, content_encoding=encoding)).body == body
    assert "unread" in (await proxy.flow()).metadata["windsurf"]["warnings"][0]


@pytest.mark.parametrize("target", ["/", "/v1/unknown?x=1", "/api/tags", "/v1/chat/completions/x"])
async def test_an_unknown_route_passes_byte_for_byte(
    start_proxy: StartProxy, start_upstream: StartUpstream, target: str
) -> None:
    answer = b'{"path":"/tmp/windsurf-workspace/x"}'

    async def script(request: Request, out: Out) -> None:
        await out.body(answer, 418, content_encoding="made-up", etag='"1"')

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", target, TOUCHED, accept_encoding="br", x_odd="\xe9")
    assert (reply.status, reply.body) == (418, answer)
    assert reply.headers["etag"] == '"1"'
    arrived = upstream.requests[0]
    assert (arrived.method, arrived.target, arrived.body) == ("POST", target, TOUCHED)
    assert arrived.headers["accept-encoding"] == "br"
    assert (await proxy.flow()).metadata == {}


async def test_routes_that_only_carry_prompts(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    body = f'{{"model":"m","system":"{TRIGGER}","messages":[]}}'.encode()
    arrived = await sent(upstream, proxy, f"{MESSAGES}/count_tokens", body)
    assert arrived.body == body.replace(TRIGGER.encode(), NEUTRAL.encode())


async def test_a_request_over_stream_large_bodies_is_rewritten_all_the_same(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url, stream_large_bodies="20")
    assert (await sent(upstream, proxy, CHAT, TOUCHED)).body == NEUTRALIZED
    assert (await sent(upstream, proxy, "/unknown", TOUCHED)).body == TOUCHED
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, transfer_encoding="chunked")
        for part in (TOUCHED[:70], TOUCHED[70:], b""):
            client.writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        assert (await client.reply()).status == 200
    assert upstream.requests[-1].body == NEUTRALIZED


async def test_with_a_body_size_limit_too_such_a_request_passes_with_a_warning(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(
        windsurf_upstream=upstream.url, stream_large_bodies="20", body_size_limit="1m"
    )
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, transfer_encoding="chunked")
        for part in (TOUCHED[:70], TOUCHED[70:], b""):
            client.writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        assert (await client.reply()).status == 200
    assert upstream.requests[0].body == TOUCHED
    assert "stream_large_bodies" in (await proxy.flow()).metadata["windsurf"]["warnings"][0]


async def test_switched_off(start_proxy: StartProxy, start_upstream: StartUpstream) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_neutralize=False)
    assert (await sent(upstream, proxy, CHAT, TOUCHED)).body == TOUCHED


async def test_shadow(start_proxy: StartProxy, start_upstream: StartUpstream) -> None:
    upstream = await start_upstream(ok)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_shadow=True)
    assert (await sent(upstream, proxy, CHAT, TOUCHED)).body == TOUCHED
    flow = await proxy.flow()
    assert flow.comment == "shadow, would have: a1×1"
    assert flow.marked == ":eyes:"
