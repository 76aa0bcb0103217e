"""Anthropic Messages: `POST …/v1/messages`, streamed and whole, and the routes that carry the same
body.

Shapes as in the official SDK, anthropic 2.14.0, and in recordings of the API and of servers that
speak it.
"""

from __future__ import annotations

from collections.abc import Iterator
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

_DELTAS: dict[str, tuple[Channel, str]] = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "input_json_delta": ("tool_input", "partial_json"),
}
_DELTA_OF: dict[Channel, tuple[str, str]] = {
    channel: (name, member) for name, (channel, member) in _DELTAS.items()
}
_TEXT_BLOCKS: dict[str, Channel] = {"text": "text", "thinking": "thinking"}
_TOOL_BLOCKS = ("tool_use", "server_tool_use", "mcp_tool_use")
_SEALED_BLOCKS = ("redacted_thinking", "compaction")
"""Blocks that must go back to the vendor as they came."""
_MESSAGE = "message"


def prompts(body: Json) -> Iterator[Prompt]:
    """`system`, system turns among the messages, tools, and all of these in a batch."""
    for inner, path in _bodies(body):
        yield from _prompts(inner, path)


def signed_thoughts(body: Json) -> Iterator[SignedThought]:
    """Thinking blocks among the messages, of a batch too."""
    for inner, path in _bodies(body):
        for index, message in enumerate(_list(inner, "messages")):
            for place, block in enumerate(_list(message, "content")):
                if isinstance(block, dict) and block.get("type") == "thinking":
                    text, signature = block.get("thinking"), block.get("signature")
                    if isinstance(text, str) and isinstance(signature, str):
                        where = (*path, "messages", index, "content", place, "thinking")
                        yield SignedThought(text, signature, where)


def read(document: Json) -> Reading:
    """One event of a stream."""
    kind = document.get("type")
    reader = _EVENTS.get(kind) if isinstance(kind, str) else None
    return reader(document) if reader else Reading()


def read_whole(document: Json) -> Iterator[Reading]:
    """A message, block by block as it would have been streamed, or an error."""
    if document.get("type") == "error" or document.get("error"):
        yield _error(document)
        return
    content = document.get("content")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        reading = Reading(ended=[(_MESSAGE, index)])
        if isinstance(block, dict):
            _block(block, index, ("content", index), reading)
        yield reading
    details = loose_parts("refusal", document.get("stop_details"), ("stop_details",))
    yield Reading(list(details), ended=[(ALL, ALL)])


def slot(document: Json, key: Key) -> Path | None:
    """The delta of the same block, if this event is one."""
    delta = document.get("delta")
    name, member = _DELTA_OF[key.channel]
    if document.get("index") == key.item and isinstance(delta, dict) and delta.get("type") == name:
        return ("delta", member)
    return None


def delta(key: Key, text: str, like: Json) -> Extra:
    """One more `content_block_delta` of the block."""
    name, member = _DELTA_OF[key.channel]
    document = {
        "type": "content_block_delta",
        "index": key.item,
        "delta": {"type": name, member: text},
    }
    return Extra("content_block_delta", document)


def _list(value: Any, name: str) -> list[Any]:
    """The array `name` of an object, empty if there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _bodies(body: Json) -> Iterator[tuple[Json, Path]]:
    """The body itself, and those in a batch."""
    yield body, ()
    for index, request in enumerate(_list(body, "requests")):
        if isinstance(request, dict) and isinstance(request.get("params"), dict):
            yield request["params"], ("requests", index, "params")


def _prompts(body: Json, path: Path) -> Iterator[Prompt]:
    system = body.get("system")
    yield from text_blocks("system", system, (*path, "system"), "system", types=("text",))
    for index, message in enumerate(_list(body, "messages")):
        if isinstance(message, dict) and message.get("role") == "system":
            where: Path = (*path, "messages", index, "content")
            place = f"messages[{index}]"
            content = message.get("content")
            yield from text_blocks("system", content, where, place, types=("text",))
            yield from _tool_changes(message, where)
    for index, tool in enumerate(_list(body, "tools")):
        if isinstance(tool, dict):
            where = (*path, "tools", index)
            yield from described(tool, where, f"tools[{index}]", ("input_schema",))


def _tool_changes(message: Json, path: Path) -> Iterator[Prompt]:
    """Tools that a system turn adds in mid-conversation."""
    for index, block in enumerate(_list(message, "content")):
        tool = block.get("tool") if isinstance(block, dict) else None
        definition = tool.get("definition") if isinstance(tool, dict) else None
        if isinstance(definition, dict):
            where = (*path, index, "tool", "definition")
            yield from described(definition, where, "tool_addition", ("input_schema",))


def _delta(document: Json) -> Reading:
    delta, index = document.get("delta"), document.get("index")
    if not isinstance(delta, dict) or not isinstance(index, int):
        return Reading()
    kind = delta.get("type")
    if kind in _DELTAS:
        channel, member = _DELTAS[kind]
        text = delta.get(member)
        if isinstance(text, str):
            return Reading(
                [Part(channel, text, (("delta", member),), Key(_MESSAGE, channel, index))]
            )
    elif kind == "signature_delta" and isinstance(delta.get("signature"), str):
        key = Key(_MESSAGE, "thinking", index)
        return Reading(signed=[(key, delta["signature"])], ended=[(_MESSAGE, index)])
    elif kind == "citations_delta":
        return Reading(list(loose_parts("result", delta.get("citation"), ("delta", "citation"))))
    return Reading()


def _start(document: Json) -> Reading:
    block, index = document.get("content_block"), document.get("index")
    reading = Reading()
    if isinstance(block, dict) and isinstance(index, int):
        _block(block, index, ("content_block",), reading)
    return reading


def _stop(document: Json) -> Reading:
    return Reading(ended=[(_MESSAGE, document.get("index"))])


def _message_delta(document: Json) -> Reading:
    delta = document.get("delta")
    details = delta.get("stop_details") if isinstance(delta, dict) else None
    return Reading(
        list(loose_parts("refusal", details, ("delta", "stop_details"))), ended=[(ALL, ALL)]
    )


def _message_stop(document: Json) -> Reading:
    return Reading(ended=[(ALL, ALL)])


def _error(document: Json) -> Reading:
    return Reading(list(loose_parts("error", document.get("error"), ("error",))), broken=True)


_EVENTS = {
    "content_block_start": _start,
    "content_block_delta": _delta,
    "content_block_stop": _stop,
    "message_delta": _message_delta,
    "message_stop": _message_stop,
    "error": _error,
}


def _block(block: Json, index: int, path: Path, reading: Reading) -> None:
    """The texts of a content block that comes whole, or of the head of a streamed one."""
    kind = block.get("type")
    if kind in _TEXT_BLOCKS:
        text = block.get(kind)
        if isinstance(text, str):
            key = Key(_MESSAGE, _TEXT_BLOCKS[kind], index)
            reading.parts.append(Part(key.channel, text, ((*path, kind),), key))
            if isinstance(block.get("signature"), str):
                reading.signed.append((key, block["signature"]))
        reading.parts += loose_parts("result", block.get("citations"), (*path, "citations"))
    elif kind in _TOOL_BLOCKS:
        reading.started.append(Key(_MESSAGE, "tool_input", index))
        reading.parts += loose_parts("tool_input", block.get("input"), (*path, "input"))
    elif kind not in _SEALED_BLOCKS:
        reading.parts += loose_parts("result", block.get("content"), (*path, "content"))
