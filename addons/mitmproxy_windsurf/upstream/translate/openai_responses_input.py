"""The input of a Responses request as chat messages.

Items are smaller than messages: reasoning, text and calls that stand side by side are one message
of the assistant. System prompts side by side become one, since many chat templates know only the
first; `developer` goes as `system`, which they know.
"""

from __future__ import annotations

import json
from typing import Any

from mitmproxy_windsurf.upstream.translate.chat_message import (
    assistant,
    content_of,
    text_part,
    tool_call,
    tool_result,
)
from mitmproxy_windsurf.upstream.translate.checks import inside, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses_content import parts
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import (
    INPUT,
    SEARCH,
    Tools,
    names,
)
from mitmproxy_windsurf.upstream.translate.sealed_thought import unseal

_DROPPED = ("web_search_call", "image_generation_call", "configuration_update")
"""Traces of what OpenAI did beside the conversation."""

_REFUSED = {
    "item_reference": "no items are kept here; send the item itself",
    "compaction": "only OpenAI can read what was compacted; send the conversation itself",
}


def messages(body: Json, tools: Tools) -> tuple[list[Json], list[str]]:
    """The chat messages, and the items that were left out.

    Raises:
        Refused: an item that cannot be said in chat.
    """
    turns = _Turns()
    ignored = []
    if (instructions := body.get("instructions")) is not None:
        turns.system(parts(instructions, "instructions"))
    given = body.get("input")
    if isinstance(given, str):
        turns.user([text_part(given)])
    else:
        for place, item in records(given, "input"):
            if item.get("type") in _DROPPED:
                ignored.append(f"{place} ({item['type']})")
            else:
                _add(turns, item, place, tools)
    found = turns.settled()
    if not found:
        raise Refused("input", "at least one item is required")
    return found, ignored


class _Turns:
    """Puts messages together from what comes item by item."""

    def __init__(self) -> None:
        self._messages: list[Json] = []
        self._said: list[Json] = []
        self._thoughts: list[str] = []
        self._calls: list[Json] = []
        self._files: list[Json] = []
        """Of results; a user message has to follow with them."""

    def system(self, found: list[Json]) -> None:
        self.settled()
        last = self._messages[-1] if self._messages else {}
        said, before = content_of(found), last.get("content")
        if last.get("role") == "system" and isinstance(said, str) and isinstance(before, str):
            last["content"] = f"{before}\n\n{said}"
        else:
            self._messages.append({"role": "system", "content": said})

    def user(self, found: list[Json]) -> None:
        self._settle_assistant()
        found, self._files = self._files + found, []
        self._messages.append({"role": "user", "content": content_of(found)})

    def said(self, found: list[Json]) -> None:
        self._settle_files()
        self._said += found

    def thought(self, thought: str) -> None:
        self._settle_files()
        self._thoughts.append(thought)

    def call(self, call: Json) -> None:
        self._settle_files()
        self._calls.append(call)

    def result(self, call: str, found: list[Json]) -> None:
        self._settle_assistant()
        message, files = tool_result(call, found)
        self._messages.append(message)
        self._files += files

    def settled(self) -> list[Json]:
        """All messages, with nothing left out."""
        self._settle_assistant()
        self._settle_files()
        return self._messages

    def _settle_assistant(self) -> None:
        if self._said or self._thoughts or self._calls:
            self._messages.append(assistant(self._said, self._thoughts, self._calls))
            self._said, self._thoughts, self._calls = [], [], []

    def _settle_files(self) -> None:
        if self._files:
            self.user([])


def _add(turns: _Turns, item: Json, place: str, tools: Tools) -> None:
    match item.get("type", "message"):
        case "message":
            _message(turns, item, place)
        case "reasoning":
            if thought := _thought(item, place):
                turns.thought(thought)
        case "function_call":
            name = tools.name(text(item, "name", place), item.get("namespace"))
            arguments = text(item, "arguments", place)
            turns.call(tool_call(text(item, "call_id", place), name, arguments))
        case "custom_tool_call":
            name = tools.name(text(item, "name", place), item.get("namespace"))
            arguments = _written({INPUT: text(item, "input", place)})
            turns.call(tool_call(text(item, "call_id", place), name, arguments))
        case "tool_search_call":
            arguments = _written(item.get("arguments") or {})
            turns.call(tool_call(_search_id(item), SEARCH, arguments))
        case "function_call_output" | "custom_tool_call_output":
            output = parts(item.get("output"), inside(place, "output"))
            turns.result(text(item, "call_id", place), output)
        case "tool_search_output":
            found = [tool for _, tool in records(item.get("tools"), inside(place, "tools"))]
            said = ", ".join(names(found))
            turns.result(_search_id(item), [text_part(f"Tools that can be called now: {said}")])
        case "additional_tools":
            pass
        case kind:
            reason = f"an item of type {kind!r} cannot be passed to the backend"
            raise Refused(inside(place, "type"), _REFUSED.get(str(kind), reason))


def _message(turns: _Turns, item: Json, place: str) -> None:
    found = parts(item.get("content"), inside(place, "content"))
    match item.get("role"):
        case "user":
            turns.user(found)
        case "assistant":
            turns.said(found)
        case "system" | "developer":
            turns.system(found)
        case role:
            raise Refused(inside(place, "role"), f"{role!r} is no role of a message")


def _thought(item: Json, place: str) -> str | None:
    """What the model thought: sealed by us, or as the client shows it."""
    sealed: Any = item.get("encrypted_content")
    if isinstance(sealed, str) and (thought := unseal(sealed)) is not None:
        return thought
    shown = item.get("content") or item.get("summary")
    return "\n\n".join(part.get("text", "") for part in parts(shown, inside(place, "summary")))


def _search_id(item: Json) -> str:
    id = item.get("call_id")
    return id if isinstance(id, str) else str(item.get("id", SEARCH))


def _written(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
