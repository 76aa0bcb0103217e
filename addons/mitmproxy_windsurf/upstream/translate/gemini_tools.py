"""The tools of a Gemini request as chat functions."""

from __future__ import annotations

from mitmproxy_windsurf.upstream.translate.checks import array
from mitmproxy_windsurf.upstream.translate.gemini_schema import json_schema
from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.wire.gemini_members import Member, Members, members

_UNASKED = ("googlesearch", "googlesearchretrieval", "enterprisewebsearch")
"""Tools that clients offer unasked (Cline does). A backend without them answers as a model does
that makes no use of them."""

_MODES = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}


def tools(body: Members) -> tuple[list[Json], list[str]]:
    """The functions of a request, and the tools that were left out.

    Raises:
        Refused: a tool that only Google can run.
    """
    found: list[Json] = []
    ignored: list[str] = []
    listed = body["tools"]
    for index, tool in enumerate(array(listed.value, "tools")):
        for name, member in members(tool).items():
            place = f"{listed.name}[{index}].{member.name}"
            if member.value is None:
                continue
            if name == "functiondeclarations":
                found += [
                    _function(members(declared), f"{place}[{number}]")
                    for number, declared in enumerate(array(member.value, place))
                ]
            elif name in _UNASKED:
                ignored.append(place)
            else:
                raise Refused(place, "runs at Google; this backend can only call functions")
    return found, ignored


def tool_choice(body: Members, functions: list[Json]) -> Json:
    """The members of a chat request about tools: the functions, and which of them to call.

    Raises:
        Refused: a mode that is none.
    """
    config = members(members(body["toolconfig"].value)["functioncallingconfig"].value)
    mode = config["mode"].value
    allowed = config["allowedfunctionnames"].value
    if isinstance(allowed, list) and allowed:
        functions = [tool for tool in functions if tool["function"]["name"] in allowed]
    if not functions:
        return {}
    chosen: Json = {"tools": functions}
    if mode in (None, "MODE_UNSPECIFIED"):
        return chosen
    if not isinstance(mode, str) or mode.upper() not in _MODES:
        raise Refused("toolConfig.functionCallingConfig.mode", f"{mode!r} is not known")
    choice: object = _MODES[mode.upper()]
    if choice == "required" and allowed and len(functions) == 1:
        choice = {"type": "function", "function": {"name": functions[0]["function"]["name"]}}
    return chosen | {"tool_choice": choice}


def _function(declared: Members, place: str) -> Json:
    name = declared["name"].value
    if not isinstance(name, str):
        raise Refused(f"{place}.name", "has to be a string")
    function: Json = {"name": name}
    if isinstance(declared["description"].value, str):
        function["description"] = declared["description"].value
    function["parameters"] = _parameters(declared, place)
    return {"type": "function", "function": function}


def _parameters(declared: Members, place: str) -> Json:
    for name in ("parametersjsonschema", "parameters"):
        schema: Member = declared[name]
        if schema.value is not None:
            return json_schema(schema.value, f"{place}.{schema.name}")
    return {"type": "object", "properties": {}}
