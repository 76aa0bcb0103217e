"""Messages of Anthropic: https://docs.claude.com/en/api/messages and /messages-streaming.

A stream is folded into the message that would have come whole, and that is what is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mitmproxy_windsurf.debug.conversation.members import (
    Json,
    errors,
    first,
    joined,
    mapping,
    mappings,
    number,
    other,
    parameters,
    parsed,
    speech,
    string,
    texts,
    tool,
    usage,
)
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation

_SHOWN = ("model", "system", "messages", "tools")
_DELTAS = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "input_json_delta": "partial_json",
    "compaction_delta": "content",
}
_FIELDS = {"input_json_delta": "input"}


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    for declared in mappings(body.get("tools")):
        found.tools += tool(declared, declared.get("description"))
    found.messages += speech("system", texts(body.get("system")))
    for message in mappings(body.get("messages")):
        content = message.get("content")
        blocks = texts(content) if isinstance(content, str) else _blocks(content)
        found.messages += speech(string(message.get("role")), blocks)
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    message = _folded(mapping(document) for document in documents)
    found = Conversation(string(message.get("model")), usage=usage(message.get("usage")))
    details = mapping(message.get("stop_details"))
    said = [string(message.get("stop_reason")), string(message.get("stop_sequence"))]
    stop = ": ".join(part for part in (*said, string(details.get("explanation"))) if part)
    found.messages += speech("assistant", joined(_blocks(message.get("content"))), stop)
    found.errors += errors(message.get("error"))
    if not found.usage and "input_tokens" in message:  # of /v1/messages/count_tokens
        found.usage = usage(message)
    return found


def _blocks(content: Any) -> Iterator[Block]:
    for block in mappings(content):
        kind = string(block.get("type"))
        if kind == "text":
            yield Block("text", string(block.get("text")))
        elif kind == "thinking":
            yield Block("thinking", string(block.get("thinking")))
        elif kind == "compaction":
            yield Block("text", string(block.get("content")))
        elif kind == "redacted_thinking":
            yield Block("thinking", "(redacted)")
        elif kind.endswith("tool_use"):
            arguments = parsed(block.get("input"))
            yield Block("call", name=first(block, "name"), id=first(block, "id"), data=arguments)
        elif kind.endswith("tool_result"):
            yield _result(block, kind)
        else:
            yield other(kind, block, "cache_control")


def _result(block: Json, kind: str) -> Block:
    content = block.get("content")
    said = texts(content)
    plain = isinstance(content, (str, list)) and len(said) == len(content or ())
    return Block(
        "result",
        "\n".join(text.text for text in said) if plain or isinstance(content, str) else "",
        name="" if kind == "tool_result" else kind.removesuffix("_tool_result"),
        id=first(block, "tool_use_id"),
        data=None if plain or isinstance(content, str) else content,
        failed=block.get("is_error") is True or "error_code" in mapping(content),
    )


def _folded(documents: Iterable[Json]) -> Json:
    message: Json = {}
    blocks: dict[tuple[int, int], Json] = {}
    pieces: dict[tuple[tuple[int, int], str], list[str]] = {}
    start = 0  # there may be several messages in one body: their blocks do not mix
    for document in documents:
        kind, index = document.get("type"), (start, number(document.get("index")))
        if kind == "message_start":
            start += 1
            message |= mapping(document.get("message"))
        elif kind == "content_block_start":
            blocks[index] = dict(mapping(document.get("content_block")))
        elif kind == "content_block_delta":
            delta = mapping(document.get("delta"))
            name = string(delta.get("type"))
            if name in _DELTAS:
                blocks.setdefault(index, _unopened(name))
                field = _FIELDS.get(name, _DELTAS[name])
                piece = string(delta.get(_DELTAS[name]))
                pieces.setdefault((index, field), []).append(piece)
        elif kind == "message_delta":
            counted = mapping(message.get("usage")) | mapping(document.get("usage"))
            message |= {**mapping(document.get("delta")), "usage": counted}
        elif kind == "message" or "error" in document or "input_tokens" in document:
            message |= document
    for (index, field), said in pieces.items():
        text = "".join(said)
        before = blocks[index].get(field)
        if text or field != "input":
            blocks[index][field] = string(before) + text
    if blocks:
        message["content"] = [blocks[index] for index in sorted(blocks)]
    return message


def _unopened(delta: str) -> Json:
    """A block whose start was not seen."""
    field = _DELTAS[delta]
    return {"type": "tool_use" if field == "partial_json" else field}
