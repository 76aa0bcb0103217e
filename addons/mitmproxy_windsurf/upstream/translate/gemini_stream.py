"""Neutral events as a stream of Gemini's responses: server-sent events, or one JSON array.

Text and thoughts go out as they come, calls whole. The reasons why the candidates have ended stand
in the last response, with the usage.
"""

from __future__ import annotations

import secrets

from mitmproxy_windsurf.upstream.exchange import json_bytes
from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE
from mitmproxy_windsurf.upstream.translate import gemini_answer as answer
from mitmproxy_windsurf.upstream.translate.answer import (
    CallPart,
    Part,
    RefusalPart,
    TextPart,
    ThinkingPart,
)
from mitmproxy_windsurf.upstream.translate.blocks import Blocks, Closed, Grew, Step
from mitmproxy_windsurf.upstream.translate.gemini_request import Wanted
from mitmproxy_windsurf.upstream.translate.model import (
    Event,
    Failure,
    Finished,
    FinishReason,
    Json,
    Started,
    Usage,
)


class GeminiStream:
    """A model.Writer."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._choices: dict[int, Blocks] = {}
        self._reasons: dict[int, FinishReason] = {}
        self._usage: Usage | None = None
        self._id = ""
        self._said = False
        self._begun = False

    @property
    def content_type(self) -> str:
        return CONTENT_TYPE if self._wanted.sse else "application/json; charset=utf-8"

    def feed(self, event: Event) -> bytes:
        match event:
            case Started(id):
                self._id = id or secrets.token_hex(12)
            case Usage():
                self._usage = event
            case Finished(choice, reason):
                self._reasons[choice] = reason
            case Failure():
                return self._frame(answer.error(event)) + self._closing()
            case _:
                blocks = self._choices.setdefault(event.choice, Blocks())
                return self._write(event.choice, blocks.feed(event))
        return b""

    def end(self) -> bytes:
        frames = [self._write(index, blocks.end()) for index, blocks in self._choices.items()]
        indices = sorted({*self._choices, *self._reasons}) or [0]
        reasons = {index: self._reasons.get(index, "stop") for index in indices}
        if answer.is_blocked(reasons.values(), said=self._said):
            last = answer.blocked(self._usage, self._wanted.model, self._id)
        else:
            ended = [
                answer.candidate(index, [{"text": ""}], reason) for index, reason in reasons.items()
            ]
            last = answer.response(ended, self._usage, self._wanted.model, self._id)
        return b"".join((*frames, self._frame(self._in_place(last)), self._closing()))

    def _write(self, index: int, steps: list[Step]) -> bytes:
        """A response for each piece of text, and for each call."""
        parts = []
        for step in steps:
            match step:
                case Closed(CallPart() as part):
                    parts.append(answer.part_of(part))
                case Grew(part, piece) if self._shown(part):
                    parts.append(answer.part_of(_piece(part, piece)))
        self._said = self._said or bool(parts)
        return b"".join(self._frame(self._in_place(self._more(index, part))) for part in parts)

    def _shown(self, part: Part) -> bool:
        if isinstance(part, ThinkingPart):
            return self._wanted.thoughts
        return not isinstance(part, CallPart)

    def _more(self, index: int, part: Json) -> Json:
        candidates = [answer.candidate(index, [part])]
        return answer.response(candidates, None, self._wanted.model, self._id)

    def _in_place(self, response: Json) -> Json:
        return {"response": response} if self._wanted.nested else response

    def _frame(self, document: Json) -> bytes:
        """Nothing but `data:` lines: Gemini's clients take every other line for JSON."""
        data = json_bytes(document)
        if self._wanted.sse:
            return b"data: %s\r\n\r\n" % data
        separator = b"\n,\r\n" if self._begun else b"["
        self._begun = True
        return separator + data

    def _closing(self) -> bytes:
        return b"" if self._wanted.sse else b"\n]\n"


def _piece(part: Part, piece: str) -> Part:
    """A part with this text alone."""
    match part:
        case ThinkingPart():
            return ThinkingPart(piece)
        case RefusalPart():
            return RefusalPart(piece)
        case _:
            return TextPart(piece)
