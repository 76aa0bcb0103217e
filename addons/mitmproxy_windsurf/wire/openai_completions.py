"""Text completions: `POST …/completions` as OpenAI had them first, and llama.cpp's `/completion`.

A prompt is one text in which nobody can tell a system prompt from the rest, so requests pass.

Shapes as in the official SDK, openai 3.57.0, in recordings, and in llama.cpp's
tools/server/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import (
    ALL,
    Extra,
    Json,
    Key,
    Part,
    Prompt,
    Reading,
    SignedThought,
)
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import loose_parts

_TOKENS = "completion_probabilities"
_IDENTITY = ("id", "object", "created", "model", "system_fingerprint")
_NATIVE_IDENTITY = ("index", "id_slot")


def prompts(body: Json) -> Iterator[Prompt]:
    """None."""
    return iter(())


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """None."""
    return iter(())


def read(document: Json) -> Reading:
    """One chunk of a stream."""
    reading = Reading()
    for position, choice in _choices(document):
        group, path = choice.get("index", position), ("choices", position)
        _text(choice.get("text"), (*path, "text"), Key(group, "text"), reading)
        _tokens(choice.get("logprobs"), (*path, "logprobs"), Key(group, "text"), reading)
        if choice.get("finish_reason"):
            reading.ended.append((group, ALL))
    if "choices" not in document and "content" in document:
        _native(document, reading)
    if document.get("error"):
        reading.parts += loose_parts("error", document["error"], ("error",))
        reading.broken = True
    return reading


def read_whole(document: Json) -> Iterator[Reading]:
    """A completion that is not streamed has the same shape."""
    reading = read(document)
    reading.ended = [(ALL, ALL)]
    yield reading


def slot(document: Json, key: Key) -> Path | None:
    """The text of the same choice, which may be null or absent."""
    for position, choice in _choices(document):
        if choice.get("index", position) == key.group and choice.get("text") is None:
            return ("choices", position, "text")
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more chunk for the choice."""
    if "choices" not in like and "content" in like:
        head = {name: like[name] for name in _NATIVE_IDENTITY if name in like}
        return Extra(None, {**head, "content": text, "stop": False})
    head = {name: like[name] for name in _IDENTITY if name in like}
    choice = {"text": text, "index": key.group, "logprobs": None, "finish_reason": None}
    return Extra(None, {**head, "choices": [choice]})


def _choices(document: Json) -> Iterator[tuple[int, Json]]:
    choices = document.get("choices")
    for position, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict):
            yield position, choice


def _native(document: Json, reading: Reading) -> None:
    """An answer of llama.cpp's own; what it repeats of the prompt is the client's."""
    key = Key(document.get("index", 0), "text")
    _text(document["content"], ("content",), key, reading)
    if isinstance(document.get(_TOKENS), list):
        reading.tokens.append((key.group, key.channel, (_TOKENS,)))
    if document.get("stop") is True:
        reading.ended.append((key.group, ALL))


def _text(text: Any, path: Path, key: Key, reading: Reading) -> None:
    if isinstance(text, str):
        reading.parts.append(Part(key.channel, text, (path,), key))


def _tokens(logprobs: Any, path: Path, key: Key, reading: Reading) -> None:
    """Arrays side by side, of tokens, their offsets and alternatives; llama.cpp has one array of
    objects."""
    for name, value in logprobs.items() if isinstance(logprobs, dict) else ():
        if isinstance(value, list):
            reading.tokens.append((key.group, key.channel, (*path, name)))
            reading.counts.append((key, (*path, name)))
