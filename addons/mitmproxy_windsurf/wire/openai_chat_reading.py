"""The texts in an answer of Chat Completions, streamed and whole, with what vendors add to it.

Shapes as in the official SDK, openai 3.57.0, and in recordings of the vendors and servers named
beside the fields.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import ALL, Channel, Citation, Json, Key, Part, Reading
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, loose_parts

THINKING = (
    "reasoning_content",  # DeepSeek, Qwen, xAI, z.ai, Kimi, SGLang, llama.cpp
    "reasoning",  # OpenRouter, Groq, Cerebras, vLLM, Ollama
)
DETAILS = "reasoning_details"  # OpenRouter, Snowflake: the same text once more, in entries
_DETAIL_TEXTS = ("text", "summary")
_THINKING_MEMBERS = frozenset({*THINKING, DETAILS})
_ECHOES: tuple[Path, ...] = (("prompt_text",), ("__verbose", "prompt"))  # vLLM, llama.cpp
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
        _echo(choice, path, reading)
        if choice.get("finish_reason"):  # some send "" in every chunk
            reading.ended.append((group, ALL))
    _echo(document, (), reading)
    if document.get("error"):
        if "choices" in document:
            reading.parts += loose_parts("error", document["error"], ("error",))
        else:  # GPUStack repeats the message beside it
            reading.parts += loose_parts("error", document, ())
        reading.broken = True
    return reading


def _message(message: Json, group: Hashable, path: Path, reading: Reading) -> None:
    """A delta or a message of one choice: thinking first, since text may turn out to repeat it."""
    if not _THINKING_MEMBERS.isdisjoint(message):
        _thinking(message, group, path, reading)
    for name in message if len(message) == 1 else _MEMBERS:  # most deltas say one thing
        value = message.get(name)
        if value is not None and name in _MEMBERS:
            _MEMBERS[name](value, group, (*path, name), reading)


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


def _content(content: Any, group: Hashable, path: Path, reading: Reading) -> None:
    """Content, which Mistral sends as an array of typed parts."""
    if isinstance(content, str):
        reading.parts.append(Part("text", content, (path,), Key(group, "text")))
    for index, item in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(item, dict):
            continue
        if item.get("type") == "text" and isinstance(item.get("text"), str):
            where = (*path, index, "text")
            reading.parts.append(Part("text", item["text"], (where,), Key(group, "text")))
        elif item.get("type") == "thinking" and isinstance(item.get("thinking"), list):
            for place, piece in enumerate(item["thinking"]):
                if isinstance(piece, dict) and isinstance(piece.get("text"), str):
                    where = (*path, index, "thinking", place, "text")
                    key = Key(group, "thinking", "content")
                    reading.parts.append(Part("thinking", piece["text"], (where,), key))


def _refusal(refusal: Any, group: Hashable, path: Path, reading: Reading) -> None:
    if isinstance(refusal, str):
        reading.parts.append(Part("refusal", refusal, (path,), Key(group, "refusal")))


def _audio(audio: Any, group: Hashable, path: Path, reading: Reading) -> None:
    if isinstance(audio, dict) and isinstance(audio.get("transcript"), str):
        key = Key(group, "refusal", "transcript")
        reading.parts.append(Part("refusal", audio["transcript"], ((*path, "transcript"),), key))


def _results(results: Any, group: Hashable, path: Path, reading: Reading) -> None:
    reading.parts += loose_parts("result", results, path)


def _annotations(notes: Any, group: Hashable, path: Path, reading: Reading) -> None:
    """What the text cites, with the places in it (OpenAI, OpenRouter)."""
    _results(notes, group, path, reading)
    for index, note in enumerate(notes if isinstance(notes, list) else ()):
        if isinstance(note, dict) and isinstance(note.get("url_citation"), dict):
            where = (*path, index, "url_citation")
            start, end = (*where, "start_index"), (*where, "end_index")
            reading.citations.append(Citation(Key(group, "text"), start, end))


def _tool_calls(calls: Any, group: Hashable, path: Path, reading: Reading) -> None:
    for position, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            index = call.get("index", position)
            reading.started.append(Key(group, "tool_input", index))
            _arguments(call.get("function"), group, index, (*path, position, "function"), reading)
            custom = call.get("custom")
            if isinstance(custom, dict) and isinstance(custom.get("input"), str):
                key, where = Key(group, "tool_text", index), (*path, position, "custom", "input")
                reading.parts.append(Part("tool_text", custom["input"], (where,), key))


def _function_call(call: Any, group: Hashable, path: Path, reading: Reading) -> None:
    """Deprecated, still sent."""
    if isinstance(call, dict):
        reading.started.append(Key(group, "tool_input", "function_call"))
        _arguments(call, group, "function_call", path, reading)


def _arguments(
    function: Any, group: Hashable, index: Hashable, path: Path, reading: Reading
) -> None:
    """The arguments of a function: a piece of JSON, or from some servers an object."""
    if isinstance(function, dict):
        arguments, where = function.get("arguments"), (*path, "arguments")
        if isinstance(arguments, str):
            key = Key(group, "tool_input", index)
            reading.parts.append(Part("tool_input", arguments, (where,), key))
        else:
            reading.parts += loose_parts("tool_input", arguments, where)


_MEMBERS = {  # in this order: text that comes with a call comes before it
    "content": _content,
    "refusal": _refusal,
    "tool_calls": _tool_calls,
    "function_call": _function_call,
    "audio": _audio,
    "annotations": _annotations,
    "executed_tools": _results,  # Groq
}


def _copies(choice: Json, container: str, group: Hashable, path: Path, reading: Reading) -> None:
    """Further copies of a choice's texts: `text` beside the delta (Together), the message so far
    (Perplexity), tokens."""
    text = choice.get("text")
    if isinstance(text, str):
        _copy(text, (*path, "text"), Key(group, "text"), reading)
    message = choice.get("message") if container == "delta" else None
    if isinstance(message, dict) and isinstance(message.get("content"), str):
        key = Key(group, "text", "message", copy=True)
        where = (*path, "message", "content")
        reading.parts.append(Part("text", message["content"], (where,), key, cumulative=True))
    if isinstance(choice.get("content_filter_offsets"), dict):  # Copilot
        start, end, check = (
            (*path, "content_filter_offsets", f"{name}_offset")
            for name in ("start", "end", "check")
        )
        reading.citations.append(Citation(Key(group, "text"), start, end))
        reading.citations.append(Citation(Key(group, "text"), check))
    logprobs = choice.get("logprobs")
    if isinstance(logprobs, dict):
        for name, channel in _TOKENS.items():
            if isinstance(logprobs.get(name), list):
                reading.tokens.append((group, channel, (*path, "logprobs", name)))


def _copy(text: str, where: Path, key: Key, reading: Reading) -> None:
    """Join a copy to the part it repeats; a text that repeats none is one of its own."""
    for index, part in enumerate(reading.parts):
        if part.key == key and part.text == text:
            reading.parts[index] = part._replace(paths=(*part.paths, where))
            return
    reading.parts.append(Part("text", text, (where,), key._replace(item="text", copy=True)))


def _echo(value: Json, path: Path, reading: Reading) -> None:
    """The prompt as the server has rendered it."""
    for inner in _ECHOES:
        if inner[0] in value and isinstance(text := at(value, inner), str):
            reading.echoes.append(((*path, *inner), text))
