"""The texts in an answer of Chat Completions, streamed and whole, with what vendors add to it.

Shapes as in the official SDK, openai 3.57.0, and in recordings of the vendors and servers named
beside the fields.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import ALL, Channel, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import loose_parts

THINKING = (
    "reasoning_content",  # DeepSeek, Qwen, xAI, z.ai, Kimi, SGLang, llama.cpp
    "reasoning",  # OpenRouter, Groq, Cerebras, vLLM, Ollama
)
DETAILS = "reasoning_details"  # OpenRouter, Snowflake: the same text once more, in entries
_DETAIL_TEXTS = ("text", "summary")
_RESULTS = ("annotations", "executed_tools")  # OpenRouter, Groq: what server-run tools brought
_TOKENS: dict[str, Channel] = {
    "content": "text",
    "refusal": "refusal",
    "reasoning_content": "thinking",
}


def read(document: Json) -> Reading:
    """One chunk of a stream."""
    return _read(document, "delta")


def read_whole(document: Json) -> Iterator[Reading]:
    """A completion, or an error, that is not streamed."""
    reading = _read(document, "message")
    reading.ended = [(ALL, ALL)]
    reading.terminal = True
    yield reading


def choices(document: Json) -> Iterator[tuple[int, Json]]:
    """The choices of a chunk and their positions in it, which are not their indices."""
    choices = document.get("choices")
    for position, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict):
            yield position, choice


def _read(document: Json, container: str) -> Reading:
    reading = Reading()
    for position, choice in choices(document):
        group = choice.get("index", position)
        path: Path = ("choices", position)
        message = choice.get(container)
        if isinstance(message, dict):
            _message(message, group, (*path, container), reading)
        _copies(choice, container, group, path, reading)
        if choice.get("finish_reason"):  # some send "" in every chunk
            reading.ended.append((group, ALL))
    if document.get("error"):
        if "choices" in document:
            reading.parts += loose_parts("error", document["error"], ("error",))
        else:  # GPUStack repeats the message beside it
            reading.parts += loose_parts("error", document, ())
        reading.broken = reading.terminal = True
    return reading


def _message(message: Json, group: Hashable, path: Path, reading: Reading) -> None:
    """A delta or a message of one choice: thinking first, since text may turn out to repeat it."""
    _thinking(message, group, path, reading)
    content = message.get("content")
    if isinstance(content, str):
        reading.parts.append(Part("text", content, ((*path, "content"),), Key(group, "text")))
    elif isinstance(content, list):
        _content_parts(content, group, (*path, "content"), reading)
    refusal = message.get("refusal")
    if isinstance(refusal, str):
        reading.parts.append(Part("refusal", refusal, ((*path, "refusal"),), Key(group, "refusal")))
    _tool_calls(message, group, path, reading)
    audio = message.get("audio")
    if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
        key = Key(group, "refusal", "transcript")
        reading.parts.append(
            Part("refusal", audio["transcript"], ((*path, "audio", "transcript"),), key)
        )
    for name in _RESULTS:
        reading.parts += loose_parts("result", message.get(name), (*path, name))


def _thinking(message: Json, group: Hashable, path: Path, reading: Reading) -> None:
    """Reasoning stands under one or several names; places with the same text belong to one part."""
    places: list[tuple[str, str, Path]] = [
        (name, message[name], (*path, name))
        for name in THINKING
        if isinstance(message.get(name), str)
    ]
    details = message.get(DETAILS)
    for index, detail in enumerate(details if isinstance(details, list) else ()):
        for name in _DETAIL_TEXTS:
            if isinstance(detail, dict) and isinstance(detail.get(name), str):
                places.append((DETAILS, detail[name], (*path, DETAILS, index, name)))
    if not places:
        return
    first, text, where = places[0]
    same = tuple(place for name, other, place in places[1:] if other == text and name != first)
    reading.parts.append(Part("thinking", text, (where, *same), Key(group, "thinking", first)))
    for name, other, place in places[1:]:
        if place not in same:
            key = Key(group, "thinking", name, copy=name != first)
            reading.parts.append(Part("thinking", other, (place,), key))


def _content_parts(content: list[Any], group: Hashable, path: Path, reading: Reading) -> None:
    """Content as an array of typed parts, as Mistral sends it."""
    for index, item in enumerate(content):
        if not isinstance(item, dict):
            continue
        if item.get("type") == "text" and isinstance(item.get("text"), str):
            reading.parts.append(
                Part("text", item["text"], ((*path, index, "text"),), Key(group, "text"))
            )
        elif item.get("type") == "thinking" and isinstance(item.get("thinking"), list):
            for place, piece in enumerate(item["thinking"]):
                if isinstance(piece, dict) and isinstance(piece.get("text"), str):
                    where = (*path, index, "thinking", place, "text")
                    key = Key(group, "thinking", "content")
                    reading.parts.append(Part("thinking", piece["text"], (where,), key))


def _tool_calls(message: Json, group: Hashable, path: Path, reading: Reading) -> None:
    calls = message.get("tool_calls")
    found = [
        (call.get("index", position), call, (*path, "tool_calls", position))
        for position, call in enumerate(calls if isinstance(calls, list) else ())
        if isinstance(call, dict)
    ]
    if isinstance(message.get("function_call"), dict):  # deprecated, still sent
        found.append(("function_call", {"function": message["function_call"]}, path))
    for index, call, where in found:
        reading.started.append(Key(group, "tool_input", index))
        function, custom = call.get("function"), call.get("custom")
        if isinstance(function, dict):
            name = "function_call" if index == "function_call" else "function"
            arguments, place = function.get("arguments"), (*where, name, "arguments")
            if isinstance(arguments, str):
                reading.parts.append(
                    Part("tool_input", arguments, (place,), Key(group, "tool_input", index))
                )
            else:
                reading.parts += loose_parts("tool_input", arguments, place)
        if isinstance(custom, dict) and isinstance(custom.get("input"), str):
            key = Key(group, "tool_text", index)
            reading.parts.append(
                Part("tool_text", custom["input"], ((*where, "custom", "input"),), key)
            )


def _copies(choice: Json, container: str, group: Hashable, path: Path, reading: Reading) -> None:
    """Further copies of a choice's texts: `text` beside the delta (Together), the message so far
    (Perplexity), tokens."""
    text = choice.get("text")
    if isinstance(text, str):
        _copy(text, (*path, "text"), Key(group, "text"), reading)
    message = choice.get("message")
    if (
        container == "delta"
        and isinstance(message, dict)
        and isinstance(message.get("content"), str)
    ):
        key = Key(group, "text", "message", copy=True)
        where = (*path, "message", "content")
        reading.parts.append(Part("text", message["content"], (where,), key, cumulative=True))
    logprobs = choice.get("logprobs")
    for name, channel in _TOKENS.items():
        if isinstance(logprobs, dict) and isinstance(logprobs.get(name), list):
            reading.tokens.append((group, channel, (*path, "logprobs", name)))


def _copy(text: str, where: Path, key: Key, reading: Reading) -> None:
    """Join a copy to the part it repeats; a text that repeats none is one of its own."""
    for index, part in enumerate(reading.parts):
        if part.key == key and part.text == text:
            reading.parts[index] = part._replace(paths=(*part.paths, where))
            return
    reading.parts.append(Part("text", text, (where,), key._replace(item="text", copy=True)))
