"""OpenAI Chat Completions: `POST …/chat/completions`, streamed and whole, with what vendors add to
it.

Shapes as in the official SDK, openai 3.57.0, and in recordings of the vendors and servers named
beside the fields.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import (
    ALL,
    Channel,
    Extra,
    Json,
    Key,
    Part,
    Prompt,
    Reading,
    SignedThought,
)
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import described, loose_parts, text_blocks

_PROMPT_ROLES = ("system", "developer", "root")  # root: SGLang
_THINKING = (
    "reasoning_content",  # DeepSeek, Qwen, xAI, z.ai, Kimi, SGLang, llama.cpp
    "reasoning",  # OpenRouter, Groq, Cerebras, vLLM, Ollama
)
_DETAILS = "reasoning_details"  # OpenRouter, Snowflake: the same text once more, in entries
_DETAIL_TEXTS = ("text", "summary")
_RESULTS = ("annotations", "executed_tools")  # OpenRouter, Groq: what server-run tools brought
_TOKENS: dict[str, Channel] = {
    "content": "text",
    "refusal": "refusal",
    "reasoning_content": "thinking",
}
_IDENTITY = ("id", "object", "created", "model", "provider", "system_fingerprint", "service_tier")
_MEMBER: dict[Channel, str] = {"text": "content", "refusal": "refusal"}


def prompts(body: Json) -> Iterator[Prompt]:
    """System and developer messages, tools and functions, the description of a response format."""
    messages = body.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict) and message.get("role") in _PROMPT_ROLES:
            where: Path = ("messages", index)
            place = f"messages[{index}]"
            yield from text_blocks(
                "system", message.get("content"), (*where, "content"), place, types=("text", None)
            )
            yield from _tools(message.get("tools"), (*where, "tools"))
    yield from _tools(body.get("tools"), ("tools",))
    functions = body.get("functions")
    for index, function in enumerate(functions if isinstance(functions, list) else ()):
        if isinstance(function, dict):
            yield from described(
                function, ("functions", index), f"functions[{index}]", ("parameters",)
            )
    response_format = body.get("response_format")
    schema = response_format.get("json_schema") if isinstance(response_format, dict) else None
    if isinstance(schema, dict):
        yield from described(
            schema, ("response_format", "json_schema"), "response_format", ("schema",)
        )


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """None: what vendors sign here, clients do not send back as text."""
    return iter(())


def read(document: Json) -> Reading:
    """One chunk of a stream."""
    return _read(document, "delta")


def read_whole(document: Json) -> Reading:
    """A completion, or an error, that is not streamed."""
    reading = _read(document, "message")
    reading.ended = [(ALL, ALL)]
    reading.terminal = True
    return reading


def slot(document: Json, key: Key) -> Path | None:
    """The `content` of the same choice, which may be null or absent; other texts get a chunk of
    their own."""
    if key.channel == "text":
        for position, choice in _choices(document):
            delta = choice.get("delta")
            if choice.get("index", position) == key.group and isinstance(delta, dict):
                return (
                    None
                    if isinstance(delta.get("content"), list)
                    else ("choices", position, "delta", "content")
                )
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more chunk for the choice."""
    member: Json
    if key.channel == "tool_input" or key.channel == "tool_text":
        member = _tool_delta(key, text)
    elif key.channel == "thinking":
        member = _thinking_delta(str(key.item), text, key.group, like)
    else:
        member = {_MEMBER[key.channel]: text}
    head = {name: like[name] for name in _IDENTITY if name in like}
    return Extra(
        None, {**head, "choices": [{"index": key.group, "delta": member, "finish_reason": None}]}
    )


def _choices(document: Json) -> Iterator[tuple[int, Json]]:
    choices = document.get("choices")
    for position, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict):
            yield position, choice


def _tools(tools: Any, path: Path) -> Iterator[Prompt]:
    for index, tool in enumerate(tools if isinstance(tools, list) else ()):
        for kind in ("function", "custom"):
            if isinstance(tool, dict) and isinstance(tool.get(kind), dict):
                yield from described(
                    tool[kind], (*path, index, kind), f"tools[{index}]", ("parameters",)
                )


def _read(document: Json, container: str) -> Reading:
    reading = Reading()
    for position, choice in _choices(document):
        group = choice.get("index", position)
        path: Path = ("choices", position)
        message = choice.get(container)
        if isinstance(message, dict):
            _message(message, group, (*path, container), reading)
        _copies(choice, container, group, path, reading)
        if choice.get("finish_reason") is not None:
            reading.ended.append((group, ALL))
    if document.get("error"):
        reading.parts += loose_parts("error", document["error"], ("error",))
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
        for name in _THINKING
        if isinstance(message.get(name), str)
    ]
    details = message.get(_DETAILS)
    for index, detail in enumerate(details if isinstance(details, list) else ()):
        for name in _DETAIL_TEXTS:
            if isinstance(detail, dict) and isinstance(detail.get(name), str):
                places.append((_DETAILS, detail[name], (*path, _DETAILS, index, name)))
    if not places:
        return
    name, text, _ = places[0]
    same = tuple(where for _, other, where in places if other == text)
    reading.parts.append(Part("thinking", text, same, Key(group, "thinking", name)))
    for _, other, where in places:
        if other != text:
            key = Key(group, "thinking", where[len(path) :], copy=True)
            reading.parts.append(Part("thinking", other, (where,), key))


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


def _tool_delta(key: Key, text: str) -> Json:
    if key.item == "function_call":
        return {"function_call": {"arguments": text}}
    if key.channel == "tool_text":
        return {"tool_calls": [{"index": key.item, "custom": {"input": text}}]}
    return {"tool_calls": [{"index": key.item, "function": {"arguments": text}}]}


def _thinking_delta(name: str, text: str, group: Hashable, like: Json) -> Json:
    """Reasoning under the name that this stream uses, with its second copy where it has one."""
    member: Json = {} if name in (_DETAILS, "content") else {name: text}
    for position, choice in _choices(like):
        delta = choice.get("delta")
        details = delta.get(_DETAILS) if isinstance(delta, dict) else None
        if choice.get("index", position) == group and isinstance(details, list) and details:
            detail = details[0]
            for field in _DETAIL_TEXTS:
                if isinstance(detail, dict) and isinstance(detail.get(field), str):
                    member[_DETAILS] = [{**detail, field: text}]
    if name == "content":
        member["content"] = [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]
    return member
