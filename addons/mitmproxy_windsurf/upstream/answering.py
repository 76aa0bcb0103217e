"""How a backend's answer reaches the client: as it is, translated as it comes, or whole.

A backend that breaks off breaks the client's answer off too, after all that came before: an answer
that ends in order is taken for complete.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.backend import Answer
from mitmproxy_windsurf.upstream.client_errors import AnswerBroken
from mitmproxy_windsurf.upstream.exchange import Headers, Responder
from mitmproxy_windsurf.upstream.translate.chat_answer import ChatAnswer, read_whole
from mitmproxy_windsurf.upstream.translate.failures import failure_told
from mitmproxy_windsurf.upstream.translate.model import (
    Asked,
    ChatRequest,
    Dialect,
    Event,
    Failure,
)
from mitmproxy_windsurf.wire.decoders import is_identity

MAX_WHOLE = 64 * 1024 * 1024
"""Bytes of an answer that is not streamed."""

GRACE = 0.02
"""Seconds for the client to read what was sent before its connection is cut."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was asked, in both languages. `think_tags`: reasoning may stand in the text."""

    dialect: Dialect
    asked: Asked
    chat: ChatRequest
    think_tags: bool = False


async def pass_on(
    exchange: Exchange, answer: Answer, responder: Responder, headers: Headers
) -> None:
    """Answer the client with what the backend answers; `headers` are to be sent along."""
    try:
        if exchange.dialect.relays and exchange.chat.stream:
            await _relay(answer, responder, headers)
        elif exchange.dialect.relays:
            await _relay_whole(exchange.dialect, answer, responder, headers)
        elif exchange.chat.stream:
            await _stream(exchange, answer, responder, headers)
        else:
            await _whole(exchange, answer, responder, headers)
    except AnswerBroken:
        await asyncio.sleep(GRACE)
        responder.abort()


async def refuse(
    dialect: Dialect, failure: Failure, responder: Responder, headers: Headers = ()
) -> None:
    """Answer with an error."""
    await responder.respond_json(failure.status, dialect.error(failure), headers)


async def _relay_whole(
    dialect: Dialect, answer: Answer, responder: Responder, headers: Headers
) -> None:
    """An error that comes as an answer (OpenRouter) is told as one: SDKs look at the status."""
    body = await answer.read(MAX_WHOLE)
    if failure := failure_told(body):
        await refuse(dialect, failure, responder, headers)
        return
    kind = answer.headers.get("content-type", "application/json")
    await responder.respond(answer.status, body, [("content-type", kind), *headers])


async def _relay(answer: Answer, responder: Responder, headers: Headers) -> None:
    kept = ["content-type", "cache-control"]
    if is_identity(answer.headers.get("content-encoding", "")):
        kept.append("content-length")
    head = [(name, answer.headers[name]) for name in kept if name in answer.headers]
    await responder.start(answer.status, [*head, *headers])
    async for data in answer:
        await responder.send(data)


async def _stream(
    exchange: Exchange, answer: Answer, responder: Responder, headers: Headers
) -> None:
    writer = exchange.dialect.writer(exchange.asked, exchange.chat)
    head = [("content-type", writer.content_type), ("cache-control", "no-cache")]
    await responder.start(200, [*head, *headers])
    failed = False
    async for events in _events(answer, think_tags=exchange.think_tags):
        failed = failed or any(isinstance(event, Failure) for event in events)
        await responder.send(b"".join(map(writer.feed, events)))
    if not failed:
        await responder.send(writer.end())


async def _whole(
    exchange: Exchange, answer: Answer, responder: Responder, headers: Headers
) -> None:
    events: list[Event] = []
    async for some in _events(answer, think_tags=exchange.think_tags):
        events += some
    failure = next((event for event in events if isinstance(event, Failure)), None)
    if failure:
        await refuse(exchange.dialect, failure, responder, headers)
    else:
        whole = exchange.dialect.whole(exchange.asked, exchange.chat, events)
        await responder.respond_json(200, whole, headers)


async def _events(answer: Answer, *, think_tags: bool) -> AsyncIterator[list[Event]]:
    """What the backend says, whether it streams or not, and whatever it was asked to do."""
    if "json" in answer.headers.get("content-type", ""):
        body = await answer.read(MAX_WHOLE)
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            document = None
        yield read_whole(document, think_tags=think_tags)
        return
    reader = ChatAnswer(think_tags=think_tags)
    try:
        async for data in answer:
            yield reader.feed(data)
            if reader.done:
                return
    except AnswerBroken:
        yield reader.release()
        raise
    yield reader.flush()
