"""OpenAI Responses for a client, OpenAI Chat Completions for the backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mitmproxy_windsurf.upstream.translate.model import (
    Asked,
    ChatRequest,
    Event,
    Failure,
    Json,
    Refused,
    Writer,
)
from mitmproxy_windsurf.upstream.translate.openai_chat import OpenAIChatDialect
from mitmproxy_windsurf.upstream.translate.openai_responses_request import chat_request
from mitmproxy_windsurf.upstream.translate.openai_responses_stream import ResponsesStream
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import tools_of

_CHAT = OpenAIChatDialect()
_ELSEWHERE = {
    "/compact": "conversations cannot be compacted here; let the client summarize them",
    "/cancel": "no responses are kept here, so there is none to cancel",
}


class OpenAIResponsesDialect:
    """A model.Dialect. Errors and models are those of every OpenAI API."""

    relays = False

    def request(self, asked: Asked) -> ChatRequest:
        for route, reason in _ELSEWHERE.items():
            if asked.path.rstrip("/").endswith(route):
                raise Refused("", reason, status=404)
        return chat_request(asked.body)

    def writer(self, asked: Asked, chat: ChatRequest) -> Writer:
        return _stream(asked)

    def whole(self, asked: Asked, chat: ChatRequest, events: Iterable[Event]) -> Json:
        """What a stream amounts to in the end."""
        stream = _stream(asked)
        for event in events:
            stream.feed(event)
        stream.end()
        return stream.response

    def error(self, failure: Failure) -> Json:
        return _CHAT.error(failure)

    def models(self, models: Sequence[Json]) -> Json:
        return _CHAT.models(models)

    def model(self, model: Json) -> Json:
        return _CHAT.model(model)

    def count(self, tokens: int) -> Json:
        return {"object": "response.input_tokens", "input_tokens": tokens}


def _stream(asked: Asked) -> ResponsesStream:
    return ResponsesStream(asked.body, tools_of(asked.body))
