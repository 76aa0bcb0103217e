"""Neutral events as the stream of a response, and as the document that it amounts to.

Items are open one at a time, as OpenAI sends them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mitmproxy_windsurf.upstream.sse import CONTENT_TYPE, sse
from mitmproxy_windsurf.upstream.translate import openai_responses_document as document
from mitmproxy_windsurf.upstream.translate.blocks import Blocks, Closed, Grew, Opened, Step
from mitmproxy_windsurf.upstream.translate.model import (
    Event,
    Failure,
    Finished,
    Json,
    Started,
    Usage,
)
from mitmproxy_windsurf.upstream.translate.openai_chat import OpenAIChatDialect
from mitmproxy_windsurf.upstream.translate.openai_responses_output import SEALED, Item, Wanted
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import Tools

_CHAT = OpenAIChatDialect()


class ResponsesStream:
    """A model.Writer for the answer to a request with this body and these tools."""

    content_type = CONTENT_TYPE

    def __init__(self, body: Json, tools: Tools) -> None:
        self._body = body
        self._tools = tools
        self._wanted = _wanted(body)
        self._blocks = Blocks()
        self._item: Item | None = None
        self._number = 0
        self._finished: Finished | None = None
        self._usage: Usage | None = None
        self.response = document.head(Started("", "", 0), body)
        """The response as it stands."""

    def feed(self, event: Event) -> bytes:
        match event:
            case Started():
                return self._write(self._begin(event))
            case Failure():
                return self._write(self._fail(event))
            case Usage():
                self._usage = event
                return b""
        if event.choice:  # a response is one answer
            return b""
        if isinstance(event, Finished):
            self._finished = event
            return b""
        return self._write(self._items(self._blocks.feed(event)))

    def end(self) -> bytes:
        return self._write(self._end())

    def _begin(self, started: Started) -> Iterator[Json]:
        self.response = document.head(started, self._body)
        for stage in ("created", "in_progress"):
            yield {"type": f"response.{stage}", "response": self.response}

    def _items(self, steps: list[Step], last: str = "completed") -> Iterator[Json]:
        """The events of these steps; the last one leaves an item with this status."""
        output = self.response["output"]
        for step in steps:
            match step:
                case Opened(part):
                    base = self.response["id"].removeprefix("resp_")
                    self._item = Item(part, len(output), base, self._tools, self._wanted)
                    yield from self._item.begin()
                case Grew(_, piece) if self._item:
                    yield from self._item.grow(piece)
                case Closed() if self._item:
                    events = [*self._item.end(last if step is steps[-1] else "completed")]
                    output.append(events[-1]["item"])
                    yield from events

    def _end(self) -> Iterator[Json]:
        ending = document.ending(self._finished, self._usage)
        yield from self._items(self._blocks.end(), ending["status"])
        self.response |= ending
        yield {"type": f"response.{ending['status']}", "response": self.response}

    def _fail(self, failure: Failure) -> Iterator[Json]:
        """What is open stays so: clients keep items that are done."""
        yield {"type": "error", **_CHAT.error(failure)}
        self.response |= document.failed(failure)
        yield {"type": "response.failed", "response": self.response}

    def _write(self, events: Iterable[Json]) -> bytes:
        frames = []
        for event in events:
            frames.append(sse({**event, "sequence_number": self._number}, event["type"]))
            self._number += 1
        return b"".join(frames)


def _wanted(body: Json) -> Wanted:
    reasoning, include = body.get("reasoning"), body.get("include")
    asked = reasoning if isinstance(reasoning, dict) else {}
    return Wanted(
        summary=bool(asked.get("summary") or asked.get("generate_summary")),
        sealed=isinstance(include, list) and SEALED in include,
    )
