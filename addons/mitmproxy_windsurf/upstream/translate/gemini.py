"""Gemini for a client, OpenAI Chat Completions for the backend."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence

from mitmproxy_windsurf.upstream.translate import gemini_answer as answer
from mitmproxy_windsurf.upstream.translate.answer import Choice, ThinkingPart, put_together
from mitmproxy_windsurf.upstream.translate.gemini_request import Wanted, chat_request, wanted
from mitmproxy_windsurf.upstream.translate.gemini_stream import GeminiStream
from mitmproxy_windsurf.upstream.translate.model import (
    Asked,
    ChatRequest,
    Event,
    Failure,
    FinishReason,
    Json,
    Writer,
)


class GeminiDialect:
    """A model.Dialect."""

    relays = False

    def request(self, asked: Asked) -> ChatRequest:
        return chat_request(asked)

    def writer(self, asked: Asked, chat: ChatRequest) -> Writer:
        return GeminiStream(wanted(asked))

    def whole(self, asked: Asked, chat: ChatRequest, events: Iterable[Event]) -> Json:
        found, told = put_together(events), wanted(asked)
        id = found.started.id or secrets.token_hex(12)
        choices = {index: found.choice(index) for index in sorted(found.choices) or [0]}
        candidates = [
            answer.candidate(index, _parts(choice, told), _reason(choice))
            for index, choice in choices.items()
        ]
        said = any(one["content"]["parts"] for one in candidates)
        if answer.is_blocked(map(_reason, choices.values()), said=said):
            response = answer.blocked(found.usage, told.model, id)
        else:
            response = answer.response(candidates, found.usage, told.model, id)
        return {"response": response} if told.nested else response

    def error(self, failure: Failure) -> Json:
        return answer.error(failure)

    def models(self, models: Sequence[Json]) -> Json:
        return {"models": [answer.model(model) for model in models]}

    def model(self, model: Json) -> Json:
        return answer.model(model)

    def count(self, tokens: int) -> Json:
        return {"totalTokens": tokens}


def _parts(choice: Choice, told: Wanted) -> list[Json]:
    return [
        answer.part_of(part)
        for part in choice.parts
        if told.thoughts or not isinstance(part, ThinkingPart)
    ]


def _reason(choice: Choice) -> FinishReason:
    return choice.finished.reason if choice.finished else "stop"
