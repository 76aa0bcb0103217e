"""The legacy completions of OpenAI, which have no roles: a prompt goes in, a text comes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mitmproxy_windsurf.debug.conversation.members import (
    Json,
    errors,
    mapping,
    mappings,
    number,
    parameters,
    speech,
    string,
    texts,
    usage,
)
from mitmproxy_windsurf.debug.conversation.model import Block, Conversation

_SHOWN = ("model", "prompt")


def request(body: Json) -> Conversation:
    found = Conversation(string(body.get("model")), parameters(body, _SHOWN))
    prompt = body.get("prompt")
    prompts = prompt if isinstance(prompt, list) else [prompt]
    if prompts and all(isinstance(item, str) for item in prompts):
        found.messages += (message for item in prompts for message in speech("prompt", texts(item)))
    elif prompt:
        found.messages += speech("prompt", [Block("other", name="tokens", data=prompt)])
    return found


def answer(documents: Iterable[Any]) -> Conversation:
    found = Conversation()
    pieces: dict[int, list[str]] = {}
    stops: dict[int, str] = {}
    for document in map(mapping, documents):
        found.model = string(document.get("model")) or found.model
        found.usage = usage(document.get("usage")) or found.usage
        found.errors += errors(document.get("error"))
        choices = mappings(document.get("choices"))
        if isinstance(document.get("content"), str):  # the native answers of llama.cpp
            choices.append({"index": 0, "text": document["content"]})
        for position, choice in enumerate(choices):
            index = number(choice.get("index"), position)
            pieces.setdefault(index, []).append(string(choice.get("text")))
            stops[index] = string(choice.get("finish_reason")) or stops.get(index, "")
    for index in sorted(pieces):
        role = "completion" if len(pieces) == 1 else f"completion {index + 1} of {len(pieces)}"
        found.messages += speech(role, texts("".join(pieces[index])), stops[index])
    return found
