"""The tools of a Responses request as chat functions, and which tool a chat function is.

Chat has functions alone, in one row. A custom tool becomes a function whose one string is the
input, a search for tools that the client runs becomes a function too, and the tools of a namespace
get its name in front, as their clients write it: `mcp__server__tool`. Tools may also come as items
of the input, once a search has found them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from mitmproxy_windsurf.upstream.translate.checks import inside, record, records, text
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

Kind = Literal["function", "custom", "tool_search"]

SEARCH = "tool_search"
INPUT = "input"
"""The one parameter of a function that stands for a custom tool."""

_DEFAULT_NAMESPACE = "functions"
"""Where OpenAI's models find the tools that are in no other."""

_UNASKED = ("web_search", "image_generation", "programmatic_tool_calling", SEARCH)
"""Hosted tools that clients offer with every request, by how their types begin. A backend without
them answers as a model does that makes no use of them."""

_LONGEST = 64
_NO_PARAMETERS: Json = {"type": "object", "properties": {}}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as its client knows it."""

    kind: Kind
    name: str
    namespace: str | None = None


@dataclass(slots=True)
class Tools:
    """The tools of a request. `ignored` are those that were left out."""

    functions: dict[str, Json] = field(default_factory=dict)
    """Chat's definitions by their names there."""
    known: dict[str, Tool] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    _names: dict[tuple[str, str | None], str] = field(default_factory=dict)

    def tool(self, name: str) -> Tool:
        """The tool that a model means; it may call one that was never defined."""
        return self.known.get(name, Tool("function", name))

    def name(self, name: str, namespace: Any = None) -> str:
        """What a tool is called in chat."""
        space = _space(namespace)
        return self._names.get((name, space)) or _flat(name, space)

    def add(self, tool: Tool, function: Json) -> None:
        """Define a tool, in place of an earlier one that is called the same."""
        name = self.name(tool.name, tool.namespace)
        known = self.known.get(name, tool)
        if (known.name, known.namespace) != (tool.name, tool.namespace):
            name = _hashed(name, f"{tool.namespace}/{tool.name}")
        self.known[name] = tool
        self._names[tool.name, tool.namespace] = name
        self.functions[name] = {"type": "function", "function": {"name": name, **function}}


def tools_of(body: Json) -> Tools:
    """All tools of a request, those in its input too.

    Raises:
        Refused: a tool that only OpenAI can run.
    """
    tools = Tools()
    for place, tool in _all(body):
        _define(tools, tool, place)
    return tools


def tool_choice(body: Json, tools: Tools) -> Json:
    """The members of a chat request about tools: the definitions, and which of them to call.

    Raises:
        Refused: a choice that chat has no words for.
    """
    choice = body.get("tool_choice")
    functions = tools.functions
    if isinstance(choice, dict):
        if choice.get("type") == "allowed_tools":
            names = [
                _called(tools, tool, place)
                for place, tool in records(choice.get("tools"), "tool_choice.tools")
            ]
            functions = {name: functions[name] for name in names if name in functions}
            choice = choice.get("mode")
        else:
            name = _called(tools, choice, "tool_choice")
            choice = {"type": "function", "function": {"name": name}}
    if choice not in ("auto", "none", "required", None) and not isinstance(choice, dict):
        raise Refused("tool_choice", f"{choice!r} is none of auto, none and required")
    if not functions:
        if choice == "required":
            raise Refused("tool_choice", "the backend has none of the tools that are to be called")
        return {}
    members: Json = {"tools": list(functions.values())}
    if choice is not None:
        members["tool_choice"] = choice
    if isinstance(body.get("parallel_tool_calls"), bool):
        members["parallel_tool_calls"] = body["parallel_tool_calls"]
    return members


def _all(body: Json) -> Iterator[tuple[str, Json]]:
    yield from records(body.get("tools"), "tools")
    items = body.get("input")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if isinstance(item, dict) and item.get("type") in (
            "additional_tools",
            "tool_search_output",
        ):
            yield from records(item.get("tools"), f"input[{index}].tools")


def _define(tools: Tools, tool: Json, place: str, namespace: str | None = None) -> None:
    kind = tool.get("type")
    match kind:
        case "function" | "custom":
            known = Tool(kind, text(tool, "name", place), _space(namespace))
            tools.add(known, _FUNCTIONS[kind](tool, place))
        case "namespace":
            inner = records(tool.get("tools"), inside(place, "tools"))
            for where, member in inner:
                _define(tools, member, where, text(tool, "name", place))
        case "tool_search" if tool.get("execution") == "client":
            tools.add(Tool("tool_search", SEARCH), _function(tool, place))
        case str() if kind.startswith(_UNASKED):
            tools.ignored.append(f"{place} ({kind})")
        case _:
            raise Refused(
                inside(place, "type"),
                f"a tool of type {kind!r} runs at OpenAI; this backend can only call functions and"
                " custom tools",
            )


def _function(tool: Json, place: str) -> Json:
    function: Json = {}
    if isinstance(tool.get("description"), str):
        function["description"] = tool["description"]
    parameters = record(tool.get("parameters"), inside(place, "parameters"))
    function["parameters"] = parameters or _NO_PARAMETERS
    if isinstance(tool.get("strict"), bool):
        function["strict"] = tool["strict"]
    return function


def _custom(tool: Json, place: str) -> Json:
    """The format of the input can only be described: chat has no grammars."""
    said = [tool.get("description")]
    form = record(tool.get("format"), inside(place, "format"))
    if form.get("type") == "grammar":
        said.append(
            f"The input follows this {form.get('syntax')} grammar:\n{form.get('definition')}"
        )
    properties = {INPUT: {"type": "string", "description": "The whole input, as it is."}}
    return {
        "description": "\n\n".join(part for part in said if isinstance(part, str) and part),
        "parameters": {
            "type": "object",
            "properties": properties,
            "required": [INPUT],
            "additionalProperties": False,
        },
    }


_FUNCTIONS = {"function": _function, "custom": _custom}


def _called(tools: Tools, choice: Json, place: str) -> str:
    """The function that a choice names."""
    match choice.get("type"):
        case "function" | "custom":
            return tools.name(text(choice, "name", place), choice.get("namespace"))
        case "tool_search" if SEARCH in tools.known:
            return SEARCH
        case kind:
            raise Refused(inside(place, "type"), f"the backend has no tool of type {kind!r}")


def _space(namespace: Any) -> str | None:
    named = isinstance(namespace, str) and namespace not in ("", _DEFAULT_NAMESPACE)
    return namespace if named else None


def _flat(name: str, namespace: str | None) -> str:
    if namespace is not None:
        name = f"{namespace}{'' if namespace.endswith('__') else '__'}{name}"
    return name if len(name) <= _LONGEST else _hashed(name, name)


def _hashed(name: str, seed: str) -> str:
    digest = hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name[: _LONGEST - 9]}_{digest}"


def names(tools: Iterable[Json]) -> Iterator[str]:
    """The names of tools as a client defines them, those in namespaces too."""
    for tool in tools:
        if tool.get("type") == "namespace" and isinstance(tool.get("tools"), list):
            yield from (
                _flat(str(member.get("name")), _space(tool.get("name")))
                for member in tool["tools"]
                if isinstance(member, dict)
            )
        elif isinstance(tool.get("name"), str):
            yield tool["name"]
