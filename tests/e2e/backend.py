"""An OpenAI-compatible backend: says what a test has written, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from mitmproxy_windsurf.upstream.exchange import Request, Responder, json_bytes
from mitmproxy_windsurf.upstream.server import UpstreamServer

Json = dict[str, Any]
PIECE = 5
USAGE = {
    "prompt_tokens": 20,
    "completion_tokens": 10,
    "total_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 5},
    "completion_tokens_details": {"reasoning_tokens": 3},
}


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    arguments: Json


@dataclass(frozen=True)
class Script:
    """One answer. With a `status` that is no 200 it fails with the message `error` at once;
    otherwise that message, a cut connection or silence may come in place of the end."""

    thinking: str = ""
    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    status: int = 200
    error: str = "the model is overloaded"
    ending: Literal["done", "error", "cut", "silence"] = "done"

    def deltas(self) -> list[Json]:
        """Parallel calls come with their fragments mixed, as some servers send them."""
        found: list[Json] = [{"role": "assistant", "content": ""}]
        found += [{"reasoning_content": piece} for piece in _pieces(self.thinking)]
        found += [{"content": piece} for piece in _pieces(self.text)]
        found += [_fragment(index, "", call) for index, call in enumerate(self.calls)]
        texts = [_pieces(json.dumps(call.arguments)) for call in self.calls]
        for turn in range(max(map(len, texts), default=0)):
            found += [
                _fragment(index, pieces[turn])
                for index, pieces in enumerate(texts)
                if turn < len(pieces)
            ]
        return found

    def message(self) -> Json:
        message: Json = {"role": "assistant", "content": self.text or None}
        if self.thinking:
            message["reasoning_content"] = self.thinking
        if self.calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
                }
                for call in self.calls
            ]
        return message


@dataclass
class ScriptedBackend:
    """A handler for an UpstreamServer."""

    script: Script = field(default_factory=Script)
    asked: list[Json] = field(default_factory=list)
    """The bodies of all requests for an answer."""
    silent: asyncio.Event = field(default_factory=asyncio.Event)
    """All is sent that comes before a silence."""
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    def forget(self) -> None:
        """Begin anew."""
        self.asked.clear()
        self.silent.clear()
        self.cancelled.clear()

    async def __call__(self, request: Request, responder: Responder) -> None:
        if request.path != "/v1/chat/completions":
            await responder.respond_json(200, {"object": "list", "data": [{"id": "scripted"}]})
            return
        body = json.loads(request.body)
        self.asked.append(body)
        try:
            if self.script.status != 200:
                error = {"message": self.script.error, "type": "server_error", "code": None}
                headers = [("retry-after", "7")]
                await responder.respond_json(self.script.status, {"error": error}, headers)
            elif body.get("stream"):
                await self._stream(responder, body["model"])
            else:
                await self._whole(responder, body["model"])
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def _stream(self, responder: Responder, model: str) -> None:
        script = self.script
        await responder.start(200, [("content-type", "text/event-stream")])
        for delta in script.deltas():
            await responder.send(_event(_document(model, "chat.completion.chunk", delta=delta)))
        if script.ending == "error":
            await responder.send(_event({"error": {"message": script.error, "code": 503}}))
        elif script.ending == "done":
            end = _document(model, "chat.completion.chunk", delta={}, finish_reason=script.finish)
            usage = _document(model, "chat.completion.chunk") | {"usage": USAGE}
            await responder.send(_event(end) + _event(usage) + b"data: [DONE]\n\n")
        else:
            await self._break_off(responder)

    async def _whole(self, responder: Responder, model: str) -> None:
        script = self.script
        choice = {"message": script.message(), "finish_reason": script.finish}
        document = _document(model, "chat.completion", **choice) | {"usage": USAGE}
        if script.ending == "error":
            await responder.respond_json(200, {"error": {"message": script.error, "code": 503}})
        elif script.ending == "done":
            await responder.respond_json(200, document)
        else:
            data = json_bytes(document)
            head = [("content-type", "application/json"), ("content-length", str(len(data)))]
            await responder.start(200, head)
            await responder.send(data[:-9])
            await self._break_off(responder)

    async def _break_off(self, responder: Responder) -> None:
        await asyncio.sleep(0.01)  # what was sent is on its way by then
        if self.script.ending == "cut":
            responder.abort()
        else:
            self.silent.set()
            await asyncio.Event().wait()


@asynccontextmanager
async def scripted_backend(port: int = 0) -> AsyncIterator[ScriptedBackend]:
    """A running one; nobody may be connected to it any more when it is left."""
    backend = ScriptedBackend()
    server = UpstreamServer(backend, port=port)
    backend.url = f"http://127.0.0.1:{server.start()}/v1"
    try:
        yield backend
    finally:
        server.stop()
        async with asyncio.timeout(30):
            await server.wait_closed()


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


def _fragment(index: int, arguments: str, call: Call | None = None) -> Json:
    function: Json = {"arguments": arguments}
    fragment: Json = {"index": index, "function": function}
    if call:
        function["name"] = call.name
        fragment |= {"id": call.id, "type": "function"}
    return {"tool_calls": [fragment]}


def _document(model: str, kind: str, **choice: Any) -> Json:
    choices = [{"index": 0, "finish_reason": None, **choice}] if choice else []
    head = {"id": "chatcmpl-scripted", "object": kind, "created": 1700000000, "model": model}
    return {**head, "choices": choices}


def _event(document: Json) -> bytes:
    return b"data: " + json_bytes(document) + b"\n\n"
