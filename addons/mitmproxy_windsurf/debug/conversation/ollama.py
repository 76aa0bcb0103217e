"""The native protocol of Ollama, `/api/chat` and `/api/generate`:
https://github.com/ollama/ollama/blob/main/docs/api.md"""

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
    parameters,
    parsed,
    speech,
    string,
    texts,
    tool,
    usage,
)
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation

_SHOWN = ("model", "messages", "tools", "system", "prompt", "suffix")
_COUNTS = ("prompt_eval_count", "eval_count")


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    for declared in mappings(body.get("tools")):
        inner = mapping(declared.get("function")) or declared
        found.tools += tool(inner, inner.get("description"))
    found.messages += speech("system", texts(body.get("system")))
    found.messages += speech("prompt", texts(body.get("prompt")))
    found.messages += speech("suffix", texts(body.get("suffix")))
    for message in mappings(body.get("messages")):
        found.messages += speech(string(message.get("role")).lower(), _blocks(message))
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    found = Conversation()
    thinking: list[Block] = []
    rest: list[Block] = []
    calls: list[Block] = []
    stop = ""
    for document in map(mapping, documents):
        found.model = string(document.get("model")) or found.model
        found.errors += errors(document.get("error"))
        counted = {name: document[name] for name in _COUNTS if name in document}
        found.usage = usage(counted) or found.usage
        stop = string(document.get("done_reason")) or stop
        message = mapping(document.get("message")) or {
            "content": document.get("response"),
            "thinking": document.get("thinking"),
        }
        for block in _blocks(message):
            {"thinking": thinking, "call": calls}.get(block.kind, rest).append(block)
    found.messages += speech("assistant", joined([*thinking, *rest, *calls]), stop)
    return found


def _blocks(message: Json) -> Iterator[Block]:
    if message.get("role") == "tool":
        name = first(message, "tool_name", "name")
        yield Block("result", string(message.get("content")), name=name)
        return
    if thinking := first(message, "thinking"):
        yield Block("thinking", thinking)
    yield from texts(message.get("content"))
    if images := message.get("images"):
        yield Block("other", name="images", data=images)
    for call in mappings(message.get("tool_calls")):
        inner = mapping(call.get("function"))
        data = parsed(inner.get("arguments"))
        yield Block("call", name=first(inner, "name"), id=first(call, "id"), data=data)
