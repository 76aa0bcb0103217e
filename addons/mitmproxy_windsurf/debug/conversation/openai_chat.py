"""Chat Completions of OpenAI and all who speak it: https://platform.openai.com/docs/api-reference/chat

Chunks are folded into the completion that would have come whole, and that is what is read. Vendors
differ most in where they put the reasoning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mitmproxy_windsurf.debug.conversation.chat_chunks import folded
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

_SHOWN = ("model", "messages", "tools", "functions")


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    for declared in (*mappings(body.get("tools")), *mappings(body.get("functions"))):
        inner = mapping(declared.get("function") or declared.get("custom")) or declared
        found.tools += tool(inner, inner.get("description"))
    for message in mappings(body.get("messages")):
        found.messages += speech(string(message.get("role")), _blocks(message))
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    completion = folded(mapping(document) for document in documents)
    found = Conversation(string(completion.get("model")), usage=usage(completion.get("usage")))
    choices = mappings(completion.get("choices"))
    for position, choice in enumerate(choices):
        role = string(mapping(choice.get("message")).get("role")) or "assistant"
        if len(choices) > 1:
            role += f" {number(choice.get('index'), position) + 1} of {len(choices)}"
        blocks = joined(_blocks(mapping(choice.get("message"))))
        found.messages += speech(role, blocks, string(choice.get("finish_reason")))
        found.errors += errors(choice.get("error"))
    found.errors = errors(completion.get("error")) + found.errors
    return found


def _blocks(message: Json) -> Iterator[Block]:
    if message.get("role") in ("tool", "function"):
        said = "\n".join(block.text for block in texts(message.get("content")))
        name, identity = first(message, "name"), first(message, "tool_call_id")
        yield Block("result", said, name=name, id=identity)
        return
    thinking, rest = first(message, "reasoning_content", "reasoning"), []
    for block in _content(message.get("content")):
        if block.kind == "thinking":
            thinking += block.text
        else:
            rest.append(block)
    if thinking := thinking or "".join(_details(message.get("reasoning_details"))):
        yield Block("thinking", thinking)
    yield from rest
    if refusal := first(message, "refusal"):
        yield Block("refusal", refusal)
    if transcript := string(mapping(message.get("audio")).get("transcript")):
        yield Block("other", name="audio", data={"transcript": transcript})
    calls = mappings(message.get("tool_calls"))
    if isinstance(message.get("function_call"), dict):
        calls.append({"function": message["function_call"]})
    for call in calls:
        inner = mapping(call.get("function") or call.get("custom"))
        data = parsed(inner.get("arguments", inner.get("input")))
        yield Block("call", name=first(inner, "name"), id=first(call, "id"), data=data)


def _content(content: Any) -> Iterator[Block]:
    if isinstance(content, str):
        yield from texts(content)
    for part in mappings(content):
        kind = string(part.get("type"))
        if kind == "thinking":
            inner = "".join(block.text for block in texts(part.get("thinking")))
            yield Block("thinking", inner)
        elif kind == "refusal":
            yield Block("refusal", string(part.get("refusal")))
        elif isinstance(part.get("text"), str):
            yield Block("text", part["text"])
        else:
            yield other(kind, part, "cache_control")


def _details(details: Any) -> Iterator[str]:
    """The reasoning in OpenRouter's `reasoning_details`."""
    return (first(detail, "text", "summary") for detail in mappings(details))
