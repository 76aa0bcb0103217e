from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.model import Json, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses_request import chat_request
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import Tool, tools_of

SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}}
FIND: Json = {"type": "function", "name": "find", "parameters": SCHEMA, "strict": True}
PATCH: Json = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Edits files.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
}
CRM: Json = {"type": "namespace", "name": "crm", "description": "", "tools": [FIND]}


def asked(tools: list[Json], **body: Any) -> Json:
    return chat_request({"model": "m", "input": "hi", "tools": tools, **body}).body


def names(chat: Json) -> list[str]:
    return [tool["function"]["name"] for tool in chat["tools"]]


def test_a_function() -> None:
    function = {"name": "find", "parameters": SCHEMA, "strict": True}
    assert asked([FIND])["tools"] == [{"type": "function", "function": function}]


def test_a_function_without_parameters_takes_none() -> None:
    (tool,) = asked([{"type": "function", "name": "f", "parameters": None}])["tools"]
    assert tool["function"]["parameters"] == {"type": "object", "properties": {}}


def test_a_custom_tool_is_a_function_of_one_string() -> None:
    (tool,) = asked([PATCH])["tools"]
    function = tool["function"]
    assert function["description"] == (
        "Edits files.\n\nThe input follows this lark grammar:\nstart: x"
    )
    assert function["parameters"]["required"] == ["input"]
    assert tools_of({"tools": [PATCH]}).tool("apply_patch") == Tool("custom", "apply_patch")


def test_tools_of_a_namespace_have_its_name_in_front() -> None:
    assert names(asked([CRM])) == ["crm__find"]
    tools = tools_of({"tools": [CRM]})
    assert tools.tool("crm__find") == Tool("function", "find", "crm")
    assert tools.name("find", "crm") == "crm__find"
    assert tools.name("gone", "crm") == "crm__gone"


@pytest.mark.parametrize(("space", "name"), [("functions", "find"), ("mcp__x__", "mcp__x__find")])
def test_namespaces_that_clients_write_otherwise(space: str, name: str) -> None:
    assert names(asked([{**CRM, "name": space}])) == [name]


def test_names_stay_apart_and_short() -> None:
    long = {**FIND, "name": "f" * 60}
    tools = [CRM, {**FIND, "name": "crm__find"}, {**CRM, "tools": [long]}]
    found = names(asked(tools))
    assert len({*found}) == 3
    assert max(map(len, found)) == 64
    read = tools_of({"tools": tools})
    assert [read.tool(name) for name in found] == [
        Tool("function", "find", "crm"),
        Tool("function", "crm__find"),
        Tool("function", "f" * 60, "crm"),
    ]
    assert read.name("crm__find") == found[1]


def test_tools_may_come_in_the_input() -> None:
    given = [
        {"type": "additional_tools", "role": "developer", "tools": [PATCH]},
        {"type": "tool_search_call", "call_id": "s", "arguments": {}},
        {"type": "tool_search_output", "call_id": "s", "tools": [CRM]},
    ]
    assert names(asked([FIND], input=given)) == ["find", "apply_patch", "crm__find"]


def test_a_search_that_the_client_runs_is_a_function() -> None:
    search = {"type": "tool_search", "execution": "client", "parameters": SCHEMA}
    assert names(asked([search])) == ["tool_search"]


def test_hosted_tools_that_clients_offer_unasked_are_left_out() -> None:
    tools = [{"type": "web_search"}, FIND, {"type": "image_generation"}, {"type": "tool_search"}]
    chat = chat_request({"model": "m", "input": "hi", "tools": tools})
    assert names(chat.body) == ["find"]
    assert chat.ignored == (
        "tools[0] (web_search)",
        "tools[2] (image_generation)",
        "tools[3] (tool_search)",
    )


@pytest.mark.parametrize("kind", ["mcp", "file_search", "code_interpreter", "local_shell", None])
def test_other_tools_of_openai_are_refused(kind: str | None) -> None:
    with pytest.raises(Refused, match="runs at OpenAI") as refused:
        asked([{"type": kind}])
    assert refused.value.place == "tools[0].type"


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        (
            {"type": "function", "name": "find", "namespace": "crm"},
            {"type": "function", "function": {"name": "crm__find"}},
        ),
        (
            {"type": "custom", "name": "apply_patch"},
            {"type": "function", "function": {"name": "apply_patch"}},
        ),
    ],
)
def test_tool_choice(choice: Any, said: Any) -> None:
    assert asked([PATCH, CRM], tool_choice=choice)["tool_choice"] == said


def test_allowed_tools_are_the_only_ones() -> None:
    allowed = {"type": "allowed_tools", "mode": "required", "tools": [PATCH]}
    chat = asked([PATCH, FIND], tool_choice=allowed)
    assert (names(chat), chat["tool_choice"]) == (["apply_patch"], "required")


@pytest.mark.parametrize("choice", ["any", {"type": "web_search_preview"}, {"type": "mcp"}])
def test_other_choices_are_refused(choice: Any) -> None:
    with pytest.raises(Refused):
        asked([FIND], tool_choice=choice)


def test_without_tools_there_is_nothing_to_choose() -> None:
    chat = asked([{"type": "web_search"}], tool_choice="auto", parallel_tool_calls=True)
    assert not chat.keys() & {"tools", "tool_choice", "parallel_tool_calls"}
    with pytest.raises(Refused, match="none of the tools"):
        asked([{"type": "web_search"}], tool_choice="required")
