"""A body as the conversation that it carries: what was asked, or what was answered.

One reader per protocol makes the same conversation of an answer that was streamed and of one that
came whole. They take anything and never raise: what is malformed, cut off or too large is left out,
and a note says so. Nothing here knows the layers; what was changed is the business of `changes`.
"""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

from mitmproxy_windsurf.debug.conversation import (
    anthropic,
    gemini,
    ollama,
    openai_chat,
    openai_completions,
    openai_responses,
)
from mitmproxy_windsurf.debug.conversation.bodies import documents, is_readable
from mitmproxy_windsurf.debug.conversation.members import mapping
from mitmproxy_windsurf.debug.conversation.model import Conversation

__all__ = [
    "READERS",
    "Conversation",
    "Reading",
    "documents",
    "is_readable",
    "read_answer",
    "read_request",
]

READERS: dict[str, ModuleType] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
    "openai_chat": openai_chat,
    "openai_completions": openai_completions,
    "openai_responses": openai_responses,
}
"""Modules with `request(body) -> Conversation` and `answer(documents) -> Conversation`."""


class Reading(NamedTuple):
    """A conversation, and in words what could not be read of its body."""

    conversation: Conversation
    notes: list[str]


def read_request(protocol: str, body: bytes) -> Reading:
    """What a request says; nothing for a protocol that is not known."""
    found, notes = documents(body)
    if protocol not in READERS or not found:
        return Reading(Conversation(), notes)
    return Reading(READERS[protocol].request(mapping(found[0])), notes)


def read_answer(protocol: str, body: bytes) -> Reading:
    """What an answer says, streamed or whole, or how it failed."""
    found, notes = documents(body)
    if protocol not in READERS:
        return Reading(Conversation(), notes)
    return Reading(READERS[protocol].answer(found), notes)
