"""Which of the client's tools to call, and with what: something that only reads."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mitmproxy_windsurf.upstream.demo.ask import Tool
from mitmproxy_windsurf.upstream.demo.parts import Call

FILE = "/tmp/windsurf-workspace/src/app.py"
COMMAND = 'ls -l "/tmp/windsurf-workspace/src"\necho "listed"'


HARMLESS = re.compile(r"(?:get|list|search|find|read|query|lookup|show|describe|count)(?![a-z])")
"""What an unknown tool is called that may be run without asking."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A kind of tool: how clients call it and its main parameter, and what to give it. `words` is
    the same where the parameter is an array."""

    names: frozenset[str]
    parameters: tuple[str, ...]
    value: str
    words: tuple[str, ...]


PLANS = (
    Plan(
        frozenset({"read", "readfile", "view", "viewfile", "openfile", "cat", "readmanyfiles"}),
        (
            "file_path", "filePath", "path", "absolute_path", "target_file", "filename", "file",
            "paths", "uri",
        ),
        FILE,
        (FILE,),
    ),
    Plan(
        frozenset(
            {
                "bash", "shell", "shellcommand", "runshellcommand", "executecommand", "execcommand",
                "runcommand", "runcommands", "runterminalcmd", "terminal", "localshell", "exec",
            }
        ),
        ("command", "cmd", "commands", "script"),
        COMMAND,
        ("bash", "-lc", COMMAND),
    ),
)  # fmt: skip


def choose(tools: Sequence[Tool]) -> Call | None:
    """A call of the most sensible tool; None if there is none."""
    for plan in PLANS:
        for tool in tools:
            if squeezed(tool.name) in plan.names and (main := main_parameter(tool, plan)):
                return call(tool, {main: fitted(plan, main, property_of(tool, main))})
    harmless = (call(tool, {}) for tool in tools if HARMLESS.match(tool.name.lower()))
    return next(harmless, None)


def main_parameter(tool: Tool, plan: Plan) -> str | None:
    """A tool that the vendor defines comes without a schema, and takes the usual name."""
    if not tool.schema:
        return plan.parameters[0]
    declared = tool.schema.get("properties")
    names = declared if isinstance(declared, dict) else {}
    return next((name for name in plan.parameters if name in names), None)


def call(tool: Tool, arguments: dict[str, object]) -> Call:
    """Fill in what else is required. Slashes are escaped, as some encoders do: that is JSON too."""
    required = tool.schema.get("required")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in arguments:
            arguments[name] = default(name, property_of(tool, name))
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))
    return Call(tool.name, text.replace("/", "\\/"))


def property_of(tool: Tool, name: str) -> Mapping[str, Any]:
    declared = tool.schema.get("properties")
    schema = declared.get(name) if isinstance(declared, dict) else None
    return schema if isinstance(schema, dict) else {}


def fitted(plan: Plan, name: str, schema: Mapping[str, Any]) -> object:
    """An array of commands has a plural name; an array of words does not."""
    if schema.get("type") != "array":
        return plan.value
    return [plan.value] if name.endswith("s") else [*plan.words]


def default(name: str, schema: Mapping[str, Any]) -> object:
    """Something that the schema of a parameter lets through."""
    values = schema.get("enum")
    if isinstance(values, list) and values:
        return values[0]
    by_type: dict[object, object] = {
        "boolean": False,
        "integer": 1,
        "number": 1,
        "array": [],
        "object": {},
        "null": None,
    }
    kind = schema.get("type")
    if isinstance(kind, str) and kind in by_type:
        return by_type[kind]
    return FILE if "path" in name.lower() or "file" in name.lower() else "demo"


def squeezed(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
