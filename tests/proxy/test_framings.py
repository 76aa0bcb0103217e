"""Answers that are streamed as lines or as an array, through a real mitmproxy."""

import json
from typing import Any, NamedTuple

import pytest

from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, ask, connected
from proxy.messages import MARKER, PRIVATE

TEXTS = ["I am Cas", "cade. See /tmp/wind", f"{PRIVATE.removeprefix('/tmp/wind')} now"]


def element(text: str) -> str:
    parts = [{"text": text}]
    return json.dumps({"candidates": [{"content": {"parts": parts, "role": "model"}}]}, indent=2)


def line(text: str) -> str:
    return json.dumps({"model": "m", "created_at": "", "response": text, "done": False}) + "\n"


class Framing(NamedTuple):
    path: str
    content_type: str
    request: dict[str, Any]
    chunks: list[str]
    end: str
    model: str

    def texts(self, body: bytes) -> str:
        if self.end.endswith("]\n"):
            found = [one["candidates"][0]["content"]["parts"][0] for one in json.loads(body)]
            return "".join(part["text"] for part in found)
        return "".join(json.loads(one).get("response", "") for one in body.splitlines())


ARRAY = Framing(
    path="/v1beta/models/gemini-2.5-pro:streamGenerateContent",
    content_type="application/json; charset=UTF-8",
    request={"contents": []},
    chunks=["[" + element(TEXTS[0]), *("\n,\r\n" + element(text) for text in TEXTS[1:])],
    end="\n]\n",
    model="gemini-2.5-pro",
)
LINES = Framing(
    path="/api/generate",
    content_type="application/x-ndjson",
    request={"model": "gemma3", "prompt": "hi"},
    chunks=[line(text) for text in TEXTS],
    end='{"model":"m","created_at":"","response":"","done":true}\n',
    model="gemma3",
)
each_framing = pytest.mark.parametrize("framing", [ARRAY, LINES], ids=["array", "lines"])


@each_framing
async def test_a_stream_is_rewritten_as_it_comes(
    start_proxy: StartProxy, start_upstream: StartUpstream, framing: Framing
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.head(content_type=framing.content_type, transfer_encoding="chunked")
        for chunk in framing.chunks:
            await out.chunk(chunk.encode())
        await out.go_on.wait()
        await out.chunk(framing.end.encode())
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", framing.path, json.dumps(framing.request).encode())
        await client.seen(MARKER.encode())
        upstream.go_on()
        reply = await client.reply()
    assert framing.texts(reply.body) == f"I am {framing.model}. See {MARKER} now"
    assert reply.body.endswith(framing.end.encode())
    flow = await proxy.flow()
    assert flow.metadata["windsurf"]["model"] == framing.model


@each_framing
async def test_a_stream_without_a_leak_passes_byte_for_byte(
    start_proxy: StartProxy, start_upstream: StartUpstream, framing: Framing
) -> None:
    body = (framing.chunks[0] + framing.end).encode()

    async def script(request: Request, out: Out) -> None:
        await out.head(content_type=framing.content_type, transfer_encoding="chunked")
        await out.chunk(body)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", framing.path, json.dumps(framing.request).encode())
    assert reply.body == body
    flow = await proxy.flow()
    assert flow.marked == ""
