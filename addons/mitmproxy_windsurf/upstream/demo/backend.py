"""The demo as a backend: routes, and how an answer goes out in whole or in chunks."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from urllib.parse import unquote

from mitmproxy_windsurf.upstream.client_errors import AnswerBroken
from mitmproxy_windsurf.upstream.demo import openai_chat
from mitmproxy_windsurf.upstream.demo.ask import Ask, Json, Rejected
from mitmproxy_windsurf.upstream.demo.gates import GATES, Gate, Gatekeeper
from mitmproxy_windsurf.upstream.demo.parts import Answer, Cut, Failure
from mitmproxy_windsurf.upstream.demo.scenarios import Scenario, choose_scenario, says
from mitmproxy_windsurf.upstream.exchange import Headers, json_bytes
from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE

MODELS = ("claude-opus-4-6", "claude-sonnet-4-6", "gpt-5.5", "gemini-2.5-pro", "qwen3-coder-plus")
"""What is listed. Any other name is answered too."""


class DemoAnswer:
    """A backend.Answer: chunks with pauses of so many seconds between them, and maybe a cut."""

    def __init__(
        self,
        status: int,
        headers: Mapping[str, str],
        chunks: Iterable[bytes],
        *,
        pause: float = 0.0,
        is_cut: bool = False,
    ) -> None:
        self.status = status
        self.headers = headers
        self._chunks = iter(chunks)
        self._pause = pause
        self._next_pause = 0.0
        self._is_cut = is_cut

    def __aiter__(self) -> DemoAnswer:
        return self

    async def __anext__(self) -> bytes:
        if self._next_pause:
            await asyncio.sleep(self._next_pause)
        self._next_pause = self._pause
        chunk = next(self._chunks, None)
        if chunk is not None:
            return chunk
        if self._is_cut:
            raise AnswerBroken("the demo breaks off here")
        raise StopAsyncIteration

    async def read(self, limit: int) -> bytes:
        return b"".join([chunk async for chunk in self])


class DemoBackend:
    """A backend.Backend; `pace` is seconds between two deltas."""

    def __init__(self, *, pace: float = 0.0, gates: Sequence[Gate] = GATES) -> None:
        self._pace = pace
        self._gates = Gatekeeper(gates)

    def __str__(self) -> str:
        return "demo"

    @asynccontextmanager
    async def send(
        self, method: str, path: str, *, headers: Headers = (), body: bytes = b""
    ) -> AsyncIterator[DemoAnswer]:
        try:
            answer = self._answer(method, path, body)
        except Rejected as rejected:
            answer = failed(rejected.failure)
        yield answer

    def close(self) -> None:
        """Nothing is kept."""

    def _answer(self, method: str, path: str, body: bytes) -> DemoAnswer:
        match method, path:
            case "POST", "/chat/completions":
                return self._completion(body)
            case "GET", "/models":
                return document(openai_chat.models(MODELS))
            case "GET", _ if path.startswith("/models/"):
                return document(openai_chat.model(unquote(path.removeprefix("/models/"))))
            case _:
                raise Rejected(404, "not_found_error", f"There is nothing at {method} {path}")

    def _completion(self, body: bytes) -> DemoAnswer:
        ask = read(body)
        gate = self._gates.closed(ask)
        scenario = choose_scenario(ask) if gate is None else Scenario((), "", says(gate.failure))
        answer = Answer(
            model=ask.model,
            parts=scenario.play(ask),
            seed=hashlib.sha256(body).hexdigest(),
            prompt_tokens=ask.tokens,
            tempo=scenario.tempo,
            include_usage=ask.include_usage,
        )
        failure = answer.break_off
        fails_at_once = not answer.content and not (gate and gate.in_stream)
        if isinstance(failure, Failure) and (fails_at_once or not ask.stream):
            return failed(failure)
        return self._streamed(answer) if ask.stream else whole(answer)

    def _streamed(self, answer: Answer) -> DemoAnswer:
        return DemoAnswer(
            200,
            {
                "content-type": CONTENT_TYPE,
                "cache-control": "no-cache",
                "x-request-id": answer.identifier("req_"),
            },
            openai_chat.frames(answer),
            pause=self._pace * answer.tempo,
            is_cut=is_cut(answer),
        )


def read(body: bytes) -> Ask:
    """What a request asks for.

    Raises:
        Rejected: it cannot be answered.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Rejected(400, "invalid_request_error", "The body is not JSON") from error
    if not isinstance(value, dict):
        raise Rejected(400, "invalid_request_error", "The body is not a JSON object")
    return openai_chat.read(value)


def whole(answer: Answer) -> DemoAnswer:
    body = json_bytes(openai_chat.whole(answer))
    headers = {
        "content-type": "application/json",
        "content-length": str(len(body)),
        "x-request-id": answer.identifier("req_"),
    }
    cut = is_cut(answer)
    return DemoAnswer(200, headers, [body[: len(body) // 2] if cut else body], is_cut=cut)


def document(value: Json, status: int = 200) -> DemoAnswer:
    return DemoAnswer(status, {"content-type": "application/json"}, [json_bytes(value)])


def failed(failure: Failure) -> DemoAnswer:
    return document(openai_chat.error(failure), failure.status)


def is_cut(answer: Answer) -> bool:
    return isinstance(answer.break_off, Cut)
