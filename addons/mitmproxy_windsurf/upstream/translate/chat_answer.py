"""What an OpenAI-compatible backend answers, as neutral events.

A stream is read as it comes, and a whole completion is the same events in one go: text, reasoning,
calls, reasons and usage are equal for both.

An answer is complete when every choice has a `finish_reason` or the stream has said `[DONE]`
(Snowflake gives no reason). Ending without either is a failure: clients would take what they have
for all there is.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_choice import FAILURES, ChoiceReader
from mitmproxy_windsurf.upstream.translate.chat_usage import usage_of
from mitmproxy_windsurf.upstream.translate.failures import broken, failure_in
from mitmproxy_windsurf.upstream.translate.model import Event, Failure, Json, Started, Usage
from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.sse import SSEFramer

_DONE = b"[DONE]"
_ERROR_EVENT = re.compile(rb"(?:\A|[\r\n])event: ?error[ \t]*[\r\n]")


class ChatAnswer:
    """Reads one streamed answer.

    With `think_tags` reasoning that stands in `<think>` tags at the start of a content is told
    apart from it; not where the backend gives reasoning of its own.

    A `Failure` is the last event of an answer that has one. `done` says that nothing more can
    come, whatever the backend still sends.
    """

    def __init__(self, *, think_tags: bool = False) -> None:
        self._framer = SSEFramer()
        self._reading = _Reading(think_tags=think_tags)

    @property
    def done(self) -> bool:
        return self._reading.done

    def feed(self, data: bytes) -> list[Event]:
        """Take bytes and return the events that are complete."""
        return [event for frame in self._framer.feed(data) for event in self._frame(frame)]

    def flush(self) -> list[Event]:
        """The backend's answer has ended, in order as far as the connection tells."""
        events = [event for frame in self._framer.flush() for event in self._frame(frame)]
        return events + list(self._reading.end())

    def release(self) -> list[Event]:
        """The connection broke: the text that was held."""
        self._framer.release()
        return list(self._reading.release())

    def _frame(self, frame: Frame) -> Iterator[Event]:
        if self._framer.overlong:
            yield from self._reading.fail(broken("the backend sent an event that is too long"))
        data = frame.data.strip()
        if not data or self.done:
            return
        if data == _DONE:
            yield from self._reading.end(said=True)
            return
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if _ERROR_EVENT.search(frame.raw):
            error = document if document is not None else data.decode("utf-8", "replace")
            yield from self._reading.fail(failure_in(error))
        elif isinstance(document, dict):
            yield from self._reading.chunk(document)
        else:
            yield from self._reading.fail(
                broken("the backend sent an event that is no JSON object")
            )


def read_whole(document: Any, *, think_tags: bool = False) -> list[Event]:
    """The events of a completion that is not streamed; `document` is its parsed JSON."""
    reading = _Reading(think_tags=think_tags)
    if not isinstance(document, dict):
        return list(reading.fail(broken("the backend's answer is no JSON object")))
    return [*reading.chunk(document, whole=True), *reading.end(said=True)]


class _Reading:
    """The documents of one answer, however they are framed."""

    def __init__(self, *, think_tags: bool) -> None:
        self._think_tags = think_tags
        self._choices: dict[int, ChoiceReader] = {}
        self._seed = ""
        self._usage: Usage | None = None
        self.done = False

    def chunk(self, document: Json, *, whole: bool = False) -> Iterator[Event]:
        if document.get("error"):
            yield from self.fail(failure_in(document))
            return
        self._usage = usage_of(document) or self._usage
        choices = document.get("choices")
        for position, choice in enumerate(choices if isinstance(choices, list) else ()):
            if not isinstance(choice, dict):
                continue
            index = choice.get("index", position)
            if not self._choices:
                yield self._started(document)
            yield from self._choice(index if isinstance(index, int) else position, choice, whole)
            if self.done:
                return

    def end(self, *, said: bool = False) -> Iterator[Event]:
        """Nothing more comes; `said`: by the backend's own word."""
        if self.done:
            return
        if not self._choices:
            yield from self.fail(broken("the backend gave no answer"))
        elif not said and any(choice.reason is None for choice in self._choices.values()):
            yield from self.fail(broken("the backend's answer ended before it was complete"))
        else:
            self.done = True
            for choice in self._choices.values():
                yield from choice.finish()
            if self._usage is not None:
                yield self._usage

    def fail(self, failure: Failure) -> Iterator[Event]:
        if not self.done:
            yield from self.release()
            yield failure

    def release(self) -> Iterator[Event]:
        if not self.done:
            self.done = True
            for choice in self._choices.values():
                yield from choice.release()

    def _started(self, document: Json) -> Started:
        id, model, created = (document.get(name) for name in ("id", "model", "created"))
        started = Started(
            id if isinstance(id, str) else "",
            model if isinstance(model, str) else "",
            created if isinstance(created, int) else 0,
        )
        told = started.id or started.created
        self._seed = f"{started.id}/{started.created}" if told else secrets.token_hex()
        return started

    def _choice(self, index: int, choice: Json, whole: bool) -> Iterator[Event]:
        reader = self._choices.get(index)
        if reader is None:
            reader = ChoiceReader(index, seed=self._seed, think_tags=self._think_tags)
            self._choices[index] = reader
        message = choice.get("message" if whole else "delta")
        if not isinstance(message, dict):  # a completion whole, as the one event of a stream
            message = choice.get("message")
        message = message if isinstance(message, dict) else {}
        yield from reader.read(choice, _numbered(message) if whole else message)
        if reader.reason in FAILURES:
            yield from self.fail(
                broken(f"the backend ended its answer with finish_reason {reader.reason}")
            )


def _numbered(message: Json) -> Json:
    """A whole message has no fragments: each of its calls is one."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list):
        return message
    numbered = [
        {**call, "index": index} for index, call in enumerate(calls) if isinstance(call, dict)
    ]
    return {**message, "tool_calls": numbered}
