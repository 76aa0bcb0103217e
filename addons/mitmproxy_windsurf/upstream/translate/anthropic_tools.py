"""The tools of an Anthropic request, and which of them to call, in chat's words."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from mitmproxy_windsurf.upstream.translate.anthropic_turns import TOOL_CHANGES
from mitmproxy_windsurf.upstream.translate.checks import inside, record, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

_SEARCH = "tool_search_tool_"
"""Searches among tools whose definitions come later; the backend gets them all at once."""

_UNASKED = ("web_search_", "web_fetch_", "code_execution_")
"""Tools that Anthropic runs and that clients offer beside their own, by how their types begin. A
backend without them answers as a model does that makes no use of them."""

_NO_BACKEND = "is Anthropic's own; this backend can only call tools that have an input_schema"

_CHOICES = {"auto": "auto", "any": "required", "none": "none"}


@dataclass(slots=True)
class Tools:
    """The tools of a request."""

    functions: dict[str, Json] = field(default_factory=dict)
    """Chat's definitions, by name."""
    hosted: dict[str, str] = field(default_factory=dict)
    """Where those stand that were left out, by name."""


def tools_of(body: Json) -> Tools:
    """All tools as they stand after the last turn.

    Raises:
        Refused: a tool that Anthropic's models know without a definition, or nothing but tools that
            Anthropic runs.
    """
    tools = Tools()
    for place, tool in records(body.get("tools"), "tools"):
        _add(tool, place, tools)
    for place, message in records(body.get("messages"), "messages"):
        content = message.get("content")
        if message.get("role") == "system" and isinstance(content, list):
            for where, block in records(content, f"{place}.content"):
                if block.get("type") in TOOL_CHANGES:
                    _change(block, where, tools)
    if tools.hosted and not tools.functions:
        place, _, kind = next(iter(tools.hosted.values())).partition(" ")
        raise Refused(inside(place, "type"), f"a tool of type {kind} {_NO_BACKEND}")
    return tools


def tool_choice(body: Json, tools: Tools) -> Json:
    """The members of a chat request that say which tools to call.

    Raises:
        Refused: a choice that is not known, or a tool that Anthropic runs.
    """
    choice = record(body.get("tool_choice"), "tool_choice")
    members: Json = {}
    match choice.get("type"):
        case None:
            pass
        case "tool":
            name = text(choice, "name", "tool_choice")
            if name in tools.hosted:
                raise Refused("tool_choice.name", f"the tool {name!r} {_NO_BACKEND}")
            members["tool_choice"] = {"type": "function", "function": {"name": name}}
        case str(kind) if kind in _CHOICES:
            members["tool_choice"] = _CHOICES[kind]
        case kind:
            raise Refused("tool_choice.type", f"{kind!r} is none of auto, any, tool and none")
    if choice.get("disable_parallel_tool_use") is True:
        members["parallel_tool_calls"] = False
    return members


def _add(tool: Json, place: str, tools: Tools) -> None:
    kind = tool.get("type", "custom")
    if isinstance(kind, str) and kind.startswith(_SEARCH):
        return
    if isinstance(kind, str) and kind.startswith(_UNASKED):
        tools.hosted[text(tool, "name", place)] = f"{place} ({kind})"
        return
    if kind not in ("custom", None):
        raise Refused(inside(place, "type"), f"a tool of type {kind!r} {_NO_BACKEND}")
    name = text(tool, "name", place)
    function: Json = {"name": name}
    if description := _description(tool):
        function["description"] = description
    function["parameters"] = record(tool.get("input_schema"), inside(place, "input_schema"))
    if isinstance(tool.get("strict"), bool):
        function["strict"] = tool["strict"]
    tools.functions[name] = {"type": "function", "function": function}


def _description(tool: Json) -> str:
    said: list[Any] = [tool.get("description")]
    if examples := tool.get("input_examples"):
        said.append(f"Examples of input: {json.dumps(examples, ensure_ascii=False)}")
    return "\n\n".join(part for part in said if isinstance(part, str) and part)


def _change(block: Json, place: str, tools: Tools) -> None:
    """A system turn adds a tool or takes one away; one that it only refers to is there already."""
    where = inside(place, "tool")
    tool = record(block.get("tool"), where)
    if block.get("type") == "tool_removal":
        tools.functions.pop(text(tool, "name", where), None)
    elif tool.get("type") == "tool_definition":
        definition = inside(where, "definition")
        _add(record(tool.get("definition"), definition), definition, tools)
