"""The turns of an Anthropic conversation as chat messages.

A user's turn with tool results becomes one `tool` message for each of them and then a user message
with the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.upstream.translate.anthropic_content import block_parts, parts
from mitmproxy_windsurf.upstream.translate.chat_message import (
    assistant,
    content_of,
    tool_call,
    tool_result,
)
from mitmproxy_windsurf.upstream.translate.checks import record, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

TOOL_CHANGES = ("tool_addition", "tool_removal")


def messages(body: Json) -> list[Json]:
    """The system prompt and all turns.

    Raises:
        Refused: a turn that cannot be said in chat.
    """
    found = list(_system(body.get("system"), "system"))
    turns = records(body.get("messages"), "messages")
    if not turns:
        raise Refused("messages", "at least one message is required")
    last_user = max(
        (i for i, (_, turn) in enumerate(turns) if turn.get("role") == "user"), default=0
    )
    for index, (place, turn) in enumerate(turns):
        content, where = turn.get("content"), f"{place}.content"
        match turn.get("role"):
            case "user":
                found += _user(content, where)
            case "assistant":
                found.append(_assistant(content, where))
            case "system":
                if turn.get("clear_at") != "next_user_message" or index > last_user:
                    found += _system(content, where)
            case role:
                raise Refused(f"{place}.role", f"{role!r} is none of user, assistant and system")
    return found


def _system(content: Any, place: str) -> Iterator[Json]:
    """A system prompt, at the start or between turns; what it does to the tools is for others."""
    if isinstance(content, list):
        said = [
            part
            for where, block in records(content, place)
            if block.get("type") not in TOOL_CHANGES
            for part in block_parts(block, where)
        ]
    else:
        said = parts(content, place)
    if said:
        yield {"role": "system", "content": content_of(said)}


def _user(content: Any, place: str) -> Iterator[Json]:
    if not isinstance(content, list):
        yield {"role": "user", "content": content_of(parts(content, place))}
        return
    rest: list[Json] = []
    results = 0
    for where, block in records(content, place):
        if block.get("type") == "tool_result":
            results += 1
            message, files = _result(block, where)
            rest += files
            yield message
        else:
            rest += block_parts(block, where)
    if rest or not results:
        yield {"role": "user", "content": content_of(rest)}


def _result(block: Json, place: str) -> tuple[Json, list[Json]]:
    """The message with a tool's result, and what of it has to come after."""
    call = text(block, "tool_use_id", place)
    found = parts(block.get("content"), f"{place}.content")
    return tool_result(call, found, failed=block.get("is_error") is True)


def _assistant(content: Any, place: str) -> Json:
    """What the model said before. Thinking goes back to it, without what only its vendor reads."""
    if not isinstance(content, list):
        return assistant(parts(content, place), (), [])
    said: list[Json] = []
    thoughts: list[str] = []
    calls: list[Json] = []
    for where, block in records(content, place):
        match block.get("type"):
            case "thinking":
                thoughts.append(text(block, "thinking", where))
            case "redacted_thinking":
                pass
            case "tool_use":
                calls.append(_call(block, where))
            case _:
                said += block_parts(block, where)
    return assistant(said, thoughts, calls)


def _call(block: Json, place: str) -> Json:
    arguments = record(block.get("input"), f"{place}.input")
    written = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return tool_call(text(block, "id", place), text(block, "name", place), written)
