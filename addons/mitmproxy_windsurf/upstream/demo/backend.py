"""The demo as a handler: routes, and how an answer goes out in whole or in frames."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from urllib.parse import unquote

from mitmproxy_windsurf.upstream.demo.anthropic import Anthropic
from mitmproxy_windsurf.upstream.demo.ask import Ask, Rejected
from mitmproxy_windsurf.upstream.demo.dialect import Dialect
from mitmproxy_windsurf.upstream.demo.gates import GATES, Gate, Gatekeeper
from mitmproxy_windsurf.upstream.demo.openai_chat import OpenAIChat
from mitmproxy_windsurf.upstream.demo.parts import Answer, Cut, Failure
from mitmproxy_windsurf.upstream.demo.scenarios import Scenario, choose_scenario, says
from mitmproxy_windsurf.upstream.exchange import Request, Responder, json_bytes
from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE

MODELS = ("claude-opus-4-6", "claude-sonnet-4-6", "gpt-5.5", "gemini-2.5-pro", "qwen3-coder-plus")
"""What is listed. Any other name is answered too."""

ANTHROPIC: Dialect = Anthropic()
OPENAI_CHAT: Dialect = OpenAIChat()


class DemoBackend:
    """The handler for a server; `pace` is seconds between two deltas."""

    def __init__(self, *, pace: float = 0.0, gates: Sequence[Gate] = GATES) -> None:
        self._pace = pace
        self._gates = Gatekeeper(gates)

    async def __call__(self, request: Request, responder: Responder) -> None:
        dialect = dialect_of(request)
        try:
            await self._route(request, responder, dialect)
        except Rejected as rejected:
            await refuse(responder, dialect, rejected.failure)

    async def _route(self, request: Request, responder: Responder, dialect: Dialect) -> None:
        method = "GET" if request.method == "HEAD" else request.method
        path = request.path.removeprefix("/v1").rstrip("/") or "/"
        match method, path:
            case "POST", "/messages" | "/chat/completions":
                await self._generate(request, responder, dialect)
            case "POST", "/messages/count_tokens":
                tokens = read(request, dialect).tokens
                mark = [("x-windsurf-token-count", "estimate")]
                await responder.respond_json(200, {"input_tokens": tokens}, mark)
            case "GET", "/models":
                await responder.respond_json(200, dialect.models(MODELS))
            case "GET", _ if path.startswith("/models/"):
                name = unquote(path.removeprefix("/models/"))
                await responder.respond_json(200, dialect.model(name))
            case "GET", "/" | "/api/hello":
                await responder.respond_json(200, {"message": "hello"})
            case _:
                message = f"There is nothing at {request.method} {request.path}"
                raise Rejected(404, "not_found_error", message)

    async def _generate(self, request: Request, responder: Responder, dialect: Dialect) -> None:
        ask = read(request, dialect)
        gate = self._gates.closed(ask)
        scenario = choose_scenario(ask) if gate is None else Scenario((), "", says(gate.failure))
        answer = Answer(
            model=ask.model,
            parts=scenario.play(ask),
            seed=hashlib.sha256(request.body).hexdigest(),
            prompt_tokens=ask.tokens,
            tempo=scenario.tempo,
            include_usage=ask.include_usage,
        )
        failure = answer.break_off
        fails_at_once = not answer.content and not (gate and gate.in_stream)
        if isinstance(failure, Failure) and (fails_at_once or not ask.stream):
            await refuse(responder, dialect, failure)
        elif ask.stream:
            await self._stream(responder, dialect, answer)
        else:
            await self._whole(responder, dialect, answer)

    async def _whole(self, responder: Responder, dialect: Dialect, answer: Answer) -> None:
        body = json_bytes(dialect.whole(answer))
        head = [
            ("content-type", "application/json"),
            ("content-length", str(len(body))),
            (dialect.request_id, answer.identifier("req_")),
        ]
        await responder.start(200, head)
        await responder.send(body[: len(body) // 2] if is_cut(answer) else body)
        await self._cut(responder, answer)

    async def _stream(self, responder: Responder, dialect: Dialect, answer: Answer) -> None:
        head = [
            ("content-type", CONTENT_TYPE),
            ("cache-control", "no-cache"),
            (dialect.request_id, answer.identifier("req_")),
        ]
        await responder.start(200, head)
        for frame in dialect.frames(answer):
            await responder.send(frame)
            if self._pace:
                await asyncio.sleep(self._pace * answer.tempo)
        await self._cut(responder, answer)

    async def _cut(self, responder: Responder, answer: Answer) -> None:
        if is_cut(answer):
            await asyncio.sleep(self._pace)  # So that the client reads what was sent.
            responder.abort()


def dialect_of(request: Request) -> Dialect:
    """The path tells, and for what all protocols have, a header that only one of them sends."""
    if "/chat/completions" in request.path:
        return OPENAI_CHAT
    is_anthropic = "/messages" in request.path or "anthropic-version" in request.headers
    return ANTHROPIC if is_anthropic else OPENAI_CHAT


def read(request: Request, dialect: Dialect) -> Ask:
    """What a request asks for.

    Raises:
        Rejected: it cannot be answered.
    """
    encoding = request.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise Rejected(415, "invalid_request_error", f"Content-Encoding {encoding} is not known")
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise Rejected(400, "invalid_request_error", "The body is not JSON") from error
    if not isinstance(body, dict):
        raise Rejected(400, "invalid_request_error", "The body is not a JSON object")
    return dialect.read(body)


def is_cut(answer: Answer) -> bool:
    return isinstance(answer.break_off, Cut)


async def refuse(responder: Responder, dialect: Dialect, failure: Failure) -> None:
    await responder.respond_json(failure.status, dialect.error(failure))
