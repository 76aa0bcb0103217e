"""Where prompts stand in a request of the Responses API; a response repeats them in the same
members.

Shapes as in the official SDK, openai 3.57.0, and in recorded requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy_windsurf.wire.parts import Json, Prompt
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, described, elements, text_blocks

_ROLES = ("system", "developer")
_TURNS = ("message", None)  # the type may be left out
_TEXTS = ("input_text", "text")
_TOOL_ITEMS = ("additional_tools", "tool_search_output")
_SCHEMAS = ("parameters", "output_schema")


def prompts_at(body: Any, path: Path) -> Iterator[Prompt]:
    """Instructions, system and developer turns, tools wherever they are declared, and the
    description of the format that is asked for."""
    if not isinstance(body, dict):
        return
    instructions, where = body.get("instructions"), (*path, "instructions")
    if isinstance(instructions, str):
        yield Prompt("system", (instructions,), (where,), (None,), "instructions")
    else:
        yield from item_prompts(instructions, where, "instructions")
    yield from item_prompts(body.get("input"), (*path, "input"), "input")
    yield from _tools(body.get("tools"), (*path, "tools"), "tools")
    form = at(body, ("text", "format"))
    if isinstance(form, dict):
        yield from described(form, (*path, "text", "format"), "text.format", ("schema",))


def item_prompts(items: Any, path: Path, place: str) -> Iterator[Prompt]:
    """The turns that are prompts, and the tools that items declare.

    Tools that a server has listed (`mcp_list_tools`) are no prompt of the client.
    """
    for index, item in _objects(items):
        where, spot = (*path, index), f"{place}[{index}]"
        kind = item.get("type")
        if kind in _TURNS and item.get("role") in _ROLES:
            content = item.get("content")
            yield from text_blocks("system", content, (*where, "content"), spot, types=_TEXTS)
        elif kind in _TOOL_ITEMS:
            yield from _tools(item.get("tools"), (*where, "tools"), f"{spot}.tools")


def _tools(tools: Any, path: Path, place: str) -> Iterator[Prompt]:
    for index, tool in _objects(tools):
        where, spot = (*path, index), f"{place}[{index}]"
        yield from _tool(tool, where, spot)
        for position, inner in _objects(tool.get("tools")):  # of a namespace
            yield from _tool(inner, (*where, "tools", position), spot)


def _tool(tool: Json, path: Path, place: str) -> Iterator[Prompt]:
    yield from described(tool, path, place, _SCHEMAS)
    about_server = tool.get("server_description")
    if isinstance(about_server, str):
        yield Prompt("tools", (about_server,), ((*path, "server_description"),), (None,), place)
    for index, skill in _objects(at(tool, ("environment", "skills"))):
        yield from described(skill, (*path, "environment", "skills", index), place, ())


def _objects(values: Any) -> Iterator[tuple[int, Json]]:
    """The objects in an array with their positions."""
    for index, value in enumerate(elements(values, ())):
        if isinstance(value, dict):
            yield index, value
