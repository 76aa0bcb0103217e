"""Anthropic Messages for a client, OpenAI Chat Completions for the backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mitmproxy_windsurf.upstream.translate import anthropic_message as message
from mitmproxy_windsurf.upstream.translate.answer import RefusalPart, put_together
from mitmproxy_windsurf.upstream.translate.anthropic_request import chat_request
from mitmproxy_windsurf.upstream.translate.anthropic_stream import AnthropicStream
from mitmproxy_windsurf.upstream.translate.model import (
    Asked,
    ChatRequest,
    Event,
    Failure,
    Json,
    Writer,
)


class AnthropicDialect:
    """A model.Dialect."""

    relays = False

    def request(self, asked: Asked) -> ChatRequest:
        return chat_request(asked.body)

    def writer(self, asked: Asked, chat: ChatRequest) -> Writer:
        return AnthropicStream(_model(asked), _stops(asked))

    def whole(self, asked: Asked, chat: ChatRequest, events: Iterable[Event]) -> Json:
        answer = put_together(events)
        choice = answer.choice(0)
        refused = bool(choice.joined(RefusalPart))
        end = message.ending(choice.finished, refused=refused, stops=_stops(asked))
        return message.whole(answer.started, _model(asked), choice, answer.usage, end)

    def error(self, failure: Failure) -> Json:
        return message.error(failure)

    def models(self, models: Sequence[Json]) -> Json:
        data = [message.model(model) for model in models]
        first, last = (data[0]["id"], data[-1]["id"]) if data else (None, None)
        return {"data": data, "has_more": False, "first_id": first, "last_id": last}

    def model(self, model: Json) -> Json:
        return message.model(model)

    def count(self, tokens: int) -> Json:
        return {"input_tokens": tokens}


def _model(asked: Asked) -> str:
    return str(asked.body.get("model", ""))


def _stops(asked: Asked) -> Sequence[str]:
    stops = asked.body.get("stop_sequences")
    return stops if isinstance(stops, list) else []
