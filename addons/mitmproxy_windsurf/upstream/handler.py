"""The embedded upstream: takes requests of any client protocol, has a backend answer them.

What the backend says of itself goes back in the client's words: its errors with their status, its
limits, its models.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from mitmproxy_windsurf.upstream.answering import Exchange, pass_on, refuse
from mitmproxy_windsurf.upstream.backend import Backend
from mitmproxy_windsurf.upstream.catalog import model, models
from mitmproxy_windsurf.upstream.client_errors import AnswerSilent, ConnectFailed, RequestFailed
from mitmproxy_windsurf.upstream.credentials import credentials
from mitmproxy_windsurf.upstream.exchange import Headers, Request, Responder, json_bytes
from mitmproxy_windsurf.upstream.inquiry import Inquiry, inquiry, reshaped
from mitmproxy_windsurf.upstream.model_names import ModelNames
from mitmproxy_windsurf.upstream.tokens import tokens_of
from mitmproxy_windsurf.upstream.translate.failures import failure_of
from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Failure, Refused
from mitmproxy_windsurf.upstream.translate.wishes import granted
from mitmproxy_windsurf.wire.thinking import wants_thinking

log = logging.getLogger(__name__)

MAX_ERROR = 1024 * 1024
"""Bytes of an error that are read."""

ESTIMATE = [("x-windsurf-token-count", "estimate")]
PROBES = ("/", "/api/hello")
"""What clients ask for to see whether somebody is there."""

_RETURNED = re.compile(r"retry-after(?:-ms)?|x-should-retry|(?:x|anthropic)-ratelimit-.*")
"""Headers of the backend's that clients act upon."""

_REQUEST_IDS = {"anthropic": "request-id"}
"""What SDKs call the id of a request; `x-request-id` if nothing else."""

_MAX_REMEMBERED = 1000


class TranslatingHandler:
    """A handler for an UpstreamServer. `key` is the backend's, if it is not to be the client's."""

    def __init__(self, backend: Backend, *, names: ModelNames | None = None, key: str = "") -> None:
        self._backend = backend
        self._names = names or ModelNames()
        self._key = key
        self._said: set[tuple[str, ...]] = set()

    async def __call__(self, request: Request, responder: Responder) -> None:
        found = inquiry(request)
        try:
            await self._route(found, responder)
        except Refused as refused:
            failure = Failure(refused.status, str(refused), place=refused.place or None)
            await refuse(found.dialect, failure, responder)
        except RequestFailed as error:
            await refuse(found.dialect, self._unanswered(error), responder)

    async def _route(self, found: Inquiry, responder: Responder) -> None:
        request = found.request
        if found.kind == "generate":
            await self._generate(found, responder)
        elif found.kind == "count":
            tokens = tokens_of(found.asked().body)
            await responder.respond_json(200, found.dialect.count(tokens), ESTIMATE)
        elif found.kind == "models":
            await self._models(found, responder)
        elif request.method in ("GET", "HEAD") and request.path in PROBES:
            await responder.respond_json(200, {"message": "hello"})
        else:
            raise Refused("", f"there is nothing at {request.method} {request.path}", status=404)

    async def _generate(self, found: Inquiry, responder: Responder) -> None:
        asked = found.asked()
        found = reshaped(found, asked)
        chat = found.dialect.request(asked)
        chat = replace(chat, body={**chat.body, "model": self._names(chat.model)})
        think_tags = wants_thinking(found.protocol, asked.body)
        while True:
            async with self._backend.send(
                "POST",
                "/chat/completions",
                headers=self._headers(found.request, chat),
                body=json_bytes(chat.body),
            ) as answer:
                returned = _returned(found.protocol, answer.headers)
                if 200 <= answer.status <= 299:
                    self._note(found.protocol, chat.ignored)
                    exchange = Exchange(found.dialect, asked, chat, think_tags)
                    await pass_on(exchange, answer, responder, returned)
                    return
                failure = failure_of(answer.status, await answer.read(MAX_ERROR))
            less = granted(chat, failure)
            if less is None:
                await refuse(found.dialect, failure, responder, returned)
                return
            chat = less

    async def _models(self, found: Inquiry, responder: Responder) -> None:
        headers = [("accept", "application/json"), *credentials(found.request, self._key)]
        _, is_one, name = found.request.path.rstrip("/").rpartition("/models/")
        if not is_one:
            listed = await models(self._backend, headers)
            answer = listed if isinstance(listed, Failure) else found.dialect.models(listed)
        else:
            asked = unquote(name)
            described = await model(self._backend, headers, self._names(asked))
            answer = (
                described
                if isinstance(described, Failure)
                else found.dialect.model({**described, "id": asked})
            )
        if isinstance(answer, Failure):
            await refuse(found.dialect, answer, responder)
        else:
            await responder.respond_json(200, answer)

    def _headers(self, request: Request, chat: ChatRequest) -> Headers:
        accepted = "text/event-stream" if chat.stream else "application/json"
        return [
            ("content-type", "application/json"),
            ("accept", accepted),
            *credentials(request, self._key),
        ]

    def _unanswered(self, error: RequestFailed) -> Failure:
        cure = "Start it, or name one that runs with windsurf_backend."
        if not isinstance(error, ConnectFailed):
            cure = "Its own log may say why."
        message = f"The backend {self._backend} gave no answer: {error}. {cure}"
        return Failure(504 if isinstance(error, AnswerSilent) else 502, message)

    def _note(self, protocol: str, ignored: tuple[str, ...]) -> None:
        """Say once what is left out of requests."""
        if ignored and (protocol, *ignored) not in self._said:
            if len(self._said) < _MAX_REMEMBERED:
                self._said.add((protocol, *ignored))
            names = ", ".join(ascii(name[:40]) for name in ignored[:20])
            log.info("%s: the backend is not told of %s", protocol, names)


def _returned(protocol: str, headers: Mapping[str, str]) -> Headers:
    kept = [(name, value) for name, value in headers.items() if _RETURNED.fullmatch(name)]
    if request_id := headers.get("x-request-id"):
        kept.append((_REQUEST_IDS.get(protocol, "x-request-id"), request_id))
    return kept
