"""Responses of OpenAI: https://platform.openai.com/docs/api-reference/responses

What is said is a list of items, the same in requests and answers. A stream is folded into the
response that would have come whole (`response_events`), and that is what is read.
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
    other,
    parameters,
    parsed,
    speech,
    string,
    texts,
    tool,
    usage,
)
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation, Tool
from mitmproxy_windsurf.debug.conversation.response_events import folded

_SHOWN = ("model", "instructions", "input", "tools")
_BOOKKEEPING = ("id", "status", "encrypted_content", "fingerprint")


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    found.tools += _tools(body.get("tools"))
    found.messages += speech("system", texts(body.get("instructions")))
    said = body.get("input")
    if isinstance(said, str):
        found.messages += speech("user", texts(said))
    for item in mappings(said):
        if item.get("type") == "additional_tools":
            found.tools += _tools(item.get("tools"))
        else:
            found.messages += speech(_role(item), _blocks(item))
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    response = folded(mapping(document) for document in documents)
    found = Conversation(string(response.get("model")), usage=usage(response.get("usage")))
    blocks = [block for item in mappings(response.get("output")) for block in _blocks(item)]
    if isinstance(response.get("reasoning"), str):  # mistral.rs
        blocks.insert(0, Block("thinking", response["reasoning"]))
    reason = first(mapping(response.get("incomplete_details")), "reason")
    stop = ": ".join(part for part in (string(response.get("status")), reason) if part)
    found.messages += speech("assistant", joined(blocks), stop)
    found.errors += dict.fromkeys(errors(response.get("error")))
    if not found.usage and "input_tokens" in response:  # of /responses/input_tokens
        found.usage = usage(response)
    return found


def _tools(value: Any) -> Iterator[Tool]:
    for declared in mappings(value):
        description = declared.get("description", declared.get("server_description"))
        yield from tool(declared, description)
        if declared.get("type") == "namespace":
            yield from _tools(declared.get("tools"))


def _role(item: Json) -> str:
    if role := first(item, "role"):
        return role
    return "tool" if string(item.get("type")).endswith("_output") else "assistant"


def _blocks(item: Json) -> Iterator[Block]:
    kind = string(item.get("type")) or "message"
    identity = first(item, "call_id", "id")
    if kind == "message":
        content = item.get("content")
        yield from texts(content) if isinstance(content, str) else _parts(content)
    elif kind == "reasoning":
        yield from _thinking(item)
    elif kind in ("function_call", "mcp_call", "custom_tool_call"):
        data = parsed(item.get("arguments", item.get("input")))
        yield Block("call", name=first(item, "name"), id=identity, data=data)
        if item.get("output") or item.get("error"):
            yield _result(item, identity)
    elif kind.endswith("_call_output"):
        yield _result(item, identity)
    else:
        yield other(kind, item, *_BOOKKEEPING)


def _parts(content: Any) -> Iterator[Block]:
    for part in mappings(content):
        kind = string(part.get("type"))
        if kind == "refusal":
            yield Block("refusal", string(part.get("refusal")))
        elif isinstance(part.get("text"), str):
            yield Block("thinking" if kind == "reasoning_text" else "text", part["text"])
        else:
            yield other(kind, part)


def _thinking(item: Json) -> Iterator[Block]:
    summary = texts(item.get("summary"))
    text = "\n\n".join(block.text for block in summary)
    raw = "".join(block.text for block in texts(item.get("content")))
    if text or raw:
        yield Block("thinking", "\n\n".join(part for part in (text, raw) if part))
    elif item.get("encrypted_content"):
        yield Block("thinking", "(encrypted)")


def _result(item: Json, identity: str) -> Block:
    output = item.get("output")
    failed = bool(item.get("error"))
    if failed and not output:
        output = item["error"]
    said = texts(output)
    plain = isinstance(output, str) or (isinstance(output, list) and len(said) == len(output))
    text = "\n".join(block.text for block in said) if plain else ""
    return Block("result", text, id=identity, data=None if plain else output, failed=failed)
