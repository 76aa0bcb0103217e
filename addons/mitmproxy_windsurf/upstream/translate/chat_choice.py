"""One choice of a chat answer: the deltas of a stream, or the message of a whole completion, into
events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_calls import Calls
from mitmproxy_windsurf.upstream.translate.model import (
    Event,
    Finished,
    FinishReason,
    Json,
    Refusal,
    Text,
    Thinking,
)
from mitmproxy_windsurf.upstream.translate.think_tags import Piece, ThinkTags
from mitmproxy_windsurf.wire.openai_chat_reading import DETAILS, THINKING

REASONS: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",  # Mistral
    "content_filter": "content_filter",
    "sensitive": "content_filter",  # z.ai
    "safety": "content_filter",
    "refusal": "content_filter",
}
"""Every other reason is a stop, or the calls that were made."""

FAILURES = frozenset(
    {
        "error",  # OpenRouter
        "abort",  # SGLang, vLLM
        "network_error",  # z.ai
        "insufficient_system_resource",  # DeepSeek
    }
)
"""Reasons with which a backend says that it could not go on."""

_STOPS = ("stop_reason", "matched_stop", "stop_sequence")  # vLLM; SGLang; others after Anthropic


class ChoiceReader:
    """Reads a choice; `reason` is why it ended, in the backend's word, once it has said so."""

    def __init__(self, index: int, *, seed: str, think_tags: bool) -> None:
        self._index = index
        self._calls = Calls(index, seed)
        self._tags = ThinkTags() if think_tags else None
        self._reasons_apart = False
        self._stop: str | None = None
        self.reason: str | None = None

    def read(self, choice: Json, message: Json) -> Iterator[Event]:
        """More of it: the choice and its delta or message."""
        yield from self._thinking(message)
        yield from self._content(message.get("content"))
        if refusal := message.get("refusal"):
            yield Refusal(self._index, refusal if isinstance(refusal, str) else str(refusal))
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            if isinstance(call, dict):
                yield from self._calls.read(call)
        if isinstance(legacy := message.get("function_call"), dict):
            yield from self._calls.read({"index": -1, "function": legacy})
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self.reason = reason
            self._stop = _stop(choice) or self._stop

    def finish(self) -> Iterator[Event]:
        """It has ended well."""
        yield from self.release()
        yield from self._calls.finish()
        reason = REASONS.get(self.reason or "", "stop")
        if reason == "stop" and self._calls.told:
            reason = "tool_calls"
        yield Finished(self._index, reason, self._stop)

    def release(self) -> Iterator[Event]:
        """The text that is held."""
        yield from self._events(self._tags.flush() if self._tags else ())

    def _thinking(self, message: Json) -> Iterator[Event]:
        found = [message[name] for name in THINKING if isinstance(message.get(name), str)]
        self._reasons_apart = self._reasons_apart or any(found)
        if not self._reasons_apart:  # else the details only repeat it
            found = ["".join(_details(message.get(DETAILS)))]
        yield from self._thought(next(filter(None, found), ""))

    def _thought(self, text: str) -> Iterator[Event]:
        """Reasoning that needs no tags; from here on a tag is text."""
        if not text:
            return
        yield from self.release()
        self._tags = None
        yield from self._events([("thinking", text)])

    def _content(self, content: Any) -> Iterator[Event]:
        """Content, which Mistral sends as an array of typed parts."""
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                yield from self._text(part)
            elif isinstance(part, dict):
                thought = part.get("thinking")
                for piece in thought if isinstance(thought, list) else [thought]:
                    said = piece.get("text") if isinstance(piece, dict) else piece
                    if isinstance(said, str):
                        yield from self._thought(said)
                if isinstance(text := part.get("text"), str):
                    yield from self._text(text)

    def _text(self, text: str) -> Iterator[Event]:
        yield from self._events(self._tags.feed(text) if self._tags else [("text", text)])

    def _events(self, pieces: Iterable[Piece]) -> Iterator[Event]:
        for channel, text in pieces:
            if channel == "thinking" and text:
                yield Thinking(self._index, text)
            elif text:
                yield Text(self._index, text)


def _details(details: Any) -> Iterator[str]:
    """Reasoning in entries (OpenRouter, Snowflake); what is encrypted is for nobody here."""
    for detail in details if isinstance(details, list) else ():
        for name in ("text", "summary"):
            if isinstance(detail, dict) and isinstance(detail.get(name), str):
                yield detail[name]


def _stop(choice: Json) -> str | None:
    """The stop sequence that ended a choice; LiteLLM hands on what it does not know itself."""
    extras = choice.get("provider_specific_fields")
    for members in (choice, extras if isinstance(extras, dict) else {}):
        for name in _STOPS:
            if isinstance(members.get(name), str):
                return str(members[name])
    return None
