"""Which tool is called: one that only reads, with arguments that its schema lets through."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mitmproxy_windsurf.upstream.demo.ask import Tool
from mitmproxy_windsurf.upstream.demo.parts import JSON_CUTS, pieces
from mitmproxy_windsurf.upstream.demo.tools import COMMAND, FILE, choose

STRING = {"type": "string"}


def tool(name: str, required: tuple[str, ...] = (), **properties: Any) -> Tool:
    return Tool(name, {"type": "object", "properties": properties, "required": list(required)})


READ = tool("Read", ("file_path",), file_path=STRING, limit={"type": "integer"})
BASH = tool("Bash", ("command",), command=STRING)
WRITE = tool("Write", ("file_path", "content"), file_path=STRING, content=STRING)


@pytest.mark.parametrize(
    ("tools", "name", "arguments"),
    [
        ([BASH, WRITE, READ], "Read", {"file_path": FILE}),
        ([WRITE, BASH], "Bash", {"command": COMMAND}),
        ([tool("read_file", path=STRING)], "read_file", {"path": FILE}),
        ([tool("view", filePath=STRING)], "view", {"filePath": FILE}),
        ([tool("read-many-files", paths={"type": "array"})], "read-many-files", {"paths": [FILE]}),
        (
            [tool("shell", command={"type": "array"})],
            "shell",
            {"command": ["bash", "-lc", COMMAND]},
        ),
        (
            [tool("run_commands", commands={"type": "array"})],
            "run_commands",
            {"commands": [COMMAND]},
        ),
        ([Tool("bash", {})], "bash", {"command": COMMAND}),
        ([tool("Read", number={"type": "integer"}), BASH], "Bash", {"command": COMMAND}),
        ([WRITE, tool("get_weather", ("city",), city=STRING)], "get_weather", {"city": "demo"}),
    ],
)
def test_the_most_sensible_tool_is_called(
    tools: list[Tool], name: str, arguments: dict[str, object]
) -> None:
    call = choose(tools)
    assert call is not None
    assert (call.name, json.loads(call.arguments)) == (name, arguments)


@pytest.mark.parametrize("tools", [[], [WRITE], [tool("delete_everything")], [tool("getaway")]])
def test_nothing_that_might_change_something_is_called(tools: list[Tool]) -> None:
    assert choose(tools) is None


def test_what_else_is_required_is_filled_in() -> None:
    call = choose(
        [
            tool(
                "execute_command",
                ("command", "approve", "count", "mode", "env", "list", "log_file", "why", "gone"),
                command=STRING,
                approve={"type": "boolean"},
                count={"type": "integer"},
                mode={"enum": ["fast", "slow"]},
                env={"type": "object"},
                list={"type": "array"},
                log_file=STRING,
                why={"type": ["string", "null"]},
            )
        ]
    )
    assert call is not None
    assert json.loads(call.arguments) == {
        "command": COMMAND,
        "approve": False,
        "count": 1,
        "mode": "fast",
        "env": {},
        "list": [],
        "log_file": FILE,
        "why": "demo",
        "gone": "demo",
    }


@pytest.mark.parametrize(
    "schema", [{"properties": 3}, {"required": [1, "a"]}, {"properties": {"path": 1}}]
)
def test_a_broken_schema_is_no_reason_to_fail(schema: dict[str, Any]) -> None:
    call = choose([Tool("read", schema), Tool("get", schema)])
    assert call is not None
    assert isinstance(json.loads(call.arguments), dict)


@pytest.mark.parametrize("tools", [[READ], [BASH]])
def test_fragments_split_inside_an_escape_and_inside_the_path(tools: list[Tool]) -> None:
    call = choose(tools)
    assert call is not None
    fragments = list(pieces(call.arguments, JSON_CUTS))
    assert any(fragment.endswith("\\") for fragment in fragments)
    assert not any("windsurf-workspace" in fragment for fragment in fragments)
