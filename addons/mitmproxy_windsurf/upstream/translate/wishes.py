"""Asks again without what a backend does not know.

Clients ask every model for as much reasoning as they like, and some backends refuse a whole request
over one member that a model does not take. A vendor whose own API knows the member would answer.
"""

from __future__ import annotations

from dataclasses import replace

from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Failure

_REFUSALS = (400, 422)
_ALSO = {"reasoning_effort": ("does not support thinking", "reasoning.effort")}
"""What is said of a member in other words; the first is Ollama."""


def granted(chat: ChatRequest, failure: Failure) -> ChatRequest | None:
    """The request without the members over which it was refused; None if it was not over any that
    it could do without. Those left out are `ignored` then."""
    if failure.status not in _REFUSALS:
        return None
    said = f"'{failure.place}' {failure.message}"
    refused = [name for name in chat.wishes if any(word in said for word in _words(name))]
    body = dict(chat.body)
    messages = body.get("messages")
    if isinstance(messages, list):
        body["messages"] = [
            {name: value for name, value in message.items() if name not in refused}
            if isinstance(message, dict)
            else message
            for message in messages
        ]
    for name in refused:
        body.pop(name, None)
    if body == chat.body:
        return None
    wishes = tuple(name for name in chat.wishes if name not in refused)
    return replace(chat, body=body, wishes=wishes, ignored=(*chat.ignored, *refused))


def _words(name: str) -> tuple[str, ...]:
    """How a message speaks of a member: a name that is a word of English too stands in quotes."""
    spelled = (name,) if "_" in name else tuple(f"{mark}{name}{mark}" for mark in "'\"`")
    return (*spelled, *_ALSO.get(name, ()))
