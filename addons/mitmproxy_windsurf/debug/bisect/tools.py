"""The tools of a request: which can be left out of it, and what else has to go along with them.

A tool that the conversation has used stays, since some upstreams refuse a call of an unknown tool.
A protocol forbids empty arrays of tools, and choices among tools that are not there.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, NamedTuple

from mitmproxy_windsurf.wire.gemini_members import members
from mitmproxy_windsurf.wire.parts import Json
from mitmproxy_windsurf.wire.splice import Path
from mitmproxy_windsurf.wire.walk import at, strings

_ARRAYS = ("tools", "functions")
_HISTORY = ("messages", "contents", "input")
_CHOICES = ("toolchoice", "functioncall", "toolconfig")
_OF_TOOLS = (*_CHOICES, "paralleltoolcalls")


class Tool(NamedTuple):
    """An element that declares one tool, or a namespace of tools."""

    name: str
    path: Path


def removable_tools(body: Json) -> list[Tool]:
    """The tools that may go, in the order of the request."""
    used = {name for holder, _ in _bodies(body) for name in _used(holder)}
    return [tool for tool in declared_tools(body) if tool.name not in used]


def declared_tools(body: Json) -> list[Tool]:
    """All tools that go by a name."""
    return [tool for holder, path in _holders(body) for tool in _tools(holder, path)]


def along_with(body: Json, gone: Set[Path]) -> set[Path]:
    """All that has to go when the tools at these paths do: members, elements, the tools."""
    whole = set(gone)
    for array in {path[:-1] for path in gone}:
        if all((*array, index) in gone for index in range(len(at(body, array)))):
            whole.add(_emptied(body, array))
    for array in {path[:-1] for path in whole - gone if isinstance(path[-1], int)}:
        if all((*array, index) in whole for index in range(len(at(body, array)))):
            whole.add(array)
    names = {tool.name for tool in declared_tools(body) if tool.path in gone}
    left = [tool for tool in declared_tools(body) if tool.path not in gone]
    for holder, path in _bodies(body):
        for kind, (name, value) in members(holder).items():
            if (kind in _OF_TOOLS and not left and names) or (
                kind in _CHOICES and names & {text for _, text in strings(value)}
            ):
                whole.add((*path, name))
    return whole


def _emptied(body: Json, array: Path) -> Path:
    """What goes with the last element of an array: it, or the element that is nothing without."""
    holder = array[:-1]
    if holder and isinstance(holder[-1], int) and len(at(body, holder)) == 1:
        return holder  # an entry of Gemini's tools
    if at(body, (*holder, "type")) == "additional_tools":
        return holder
    return array


def _bodies(body: Json) -> Iterator[tuple[Json, Path]]:
    """The request, and the one that Code Assist puts inside."""
    yield body, ()
    if isinstance(body.get("request"), dict):
        yield body["request"], ("request",)


def _holders(body: Json) -> Iterator[tuple[Json, Path]]:
    """The objects that have arrays of tools."""
    for holder, path in _bodies(body):
        yield holder, path
        items = holder.get("input")
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict) and item.get("type") == "additional_tools":
                yield item, (*path, "input", index)


def _tools(holder: Json, path: Path) -> Iterator[Tool]:
    for key in _ARRAYS:
        tools = holder.get(key)
        for index, tool in enumerate(tools if isinstance(tools, list) else ()):
            where = (*path, key, index)
            name, declarations = members(tool)["functiondeclarations"]
            if isinstance(declarations, list):
                for place, declaration in enumerate(declarations):
                    yield from _named(declaration, (*where, name, place))
            else:
                yield from _named(tool, where)


def _named(tool: Any, path: Path) -> Iterator[Tool]:
    for place in ((), ("function",), ("custom",)):
        name = at(tool, (*place, "name"))
        if isinstance(name, str):
            yield Tool(name, path)
            return


def _used(holder: Json) -> Iterator[str]:
    """The names in a conversation, wherever they stand, except where tools are declared."""
    pending = [holder.get(key) for key in _HISTORY]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            if isinstance(value.get("name"), str):
                yield value["name"]
            pending += [item for key, item in value.items() if key not in (*_ARRAYS, "tool")]
        elif isinstance(value, list):
            pending += value
