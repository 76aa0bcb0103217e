from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.anthropic_request import chat_request
from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Json, Refused

HI = {"role": "user", "content": "hi"}
TOOL = {"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search"}
FUNCTION = {"name": "read", "description": "Reads.", "parameters": {"type": "object"}}
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}


def asked(*messages: Json, **members: Any) -> ChatRequest:
    return chat_request({"model": "m", "max_tokens": 9, "messages": [*messages] or [HI], **members})


def refusal(*messages: Json, **members: Any) -> str:
    with pytest.raises(Refused) as caught:
        asked(*messages, **members)
    assert caught.value.status == 400
    return str(caught.value)


def test_a_plain_request() -> None:
    body = {"model": "m", "messages": [HI], "max_tokens": 9}
    assert asked() == ChatRequest(body, wishes=asked().wishes)


def test_a_stream_is_asked_for_with_its_usage() -> None:
    chat = asked(stream=True)
    assert chat.stream
    assert chat.body["stream_options"] == {"include_usage": True}


def test_sampling_stops_and_the_user_go_along() -> None:
    chat = asked(
        temperature=0,
        top_p=0.5,
        top_k=5,
        stop_sequences=["END"],
        metadata={"user_id": "u"},
    )
    sent = {name: chat.body[name] for name in ("temperature", "top_p", "top_k", "stop", "user")}
    assert sent == {"temperature": 0, "top_p": 0.5, "top_k": 5, "stop": ["END"], "user": "u"}


@pytest.mark.parametrize(
    ("members", "effort"),
    [
        ({}, None),
        ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "low"),
        ({"thinking": {"type": "enabled", "budget_tokens": 10000}}, "medium"),
        ({"thinking": {"type": "enabled", "budget_tokens": 31999}}, "high"),
        ({"thinking": {"type": "adaptive"}}, None),
        ({"thinking": {"type": "adaptive"}, "output_config": {"effort": "high"}}, "high"),
        ({"output_config": {"effort": "max"}}, "high"),
        ({"thinking": {"type": "disabled"}}, "none"),
        ({"thinking": {"type": "disabled"}, "output_config": {"effort": "low"}}, "none"),
    ],
)
def test_how_much_to_think(members: Json, effort: str | None) -> None:
    chat = asked(**members)
    assert chat.body.get("reasoning_effort") == effort
    assert chat.body["max_tokens"] == 9


@pytest.mark.parametrize("name", ["output_format", "output_config"])
def test_a_schema_for_the_answer(name: str) -> None:
    form = {"type": "json_schema", "schema": SCHEMA}
    chat = asked(**{name: form if name == "output_format" else {"format": form}})
    assert chat.body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }


def test_what_the_backend_has_no_use_for_is_named() -> None:
    chat = asked(service_tier="auto", context_management={"edits": []}, cache_control={})
    assert chat.ignored == ("service_tier", "context_management")


@pytest.mark.parametrize(
    ("members", "place"),
    [
        ({"model": 1}, "model:"),
        ({"messages": []}, "messages:"),
        ({"messages": "hi"}, "messages:"),
        ({"messages": ["hi"]}, "messages[0]:"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].role:"),
        ({"mcp_servers": [{"url": "http://x"}]}, "mcp_servers:"),
        ({"container": "c"}, "container:"),
        ({"thinking": "yes"}, "thinking:"),
        ({"stop_sequences": "END"}, "stop_sequences:"),
        ({"output_format": {"type": "grammar"}}, "output_format.type:"),
        ({"output_config": {"format": {"type": "grammar"}}}, "output_config.format.type:"),
        ({"tools": {}}, "tools:"),
        ({"tools": [TOOL, {"type": "bash_20250124", "name": "bash"}]}, "tools[1].type:"),
        ({"tools": [WEB_SEARCH]}, "tools[0].type:"),
        (
            {"tools": [TOOL, WEB_SEARCH], "tool_choice": {"type": "tool", "name": "web_search"}},
            "tool_choice.name:",
        ),
        ({"tools": [{"input_schema": {}}]}, "tools[0].name:"),
        ({"tools": [TOOL], "tool_choice": {"type": "some"}}, "tool_choice.type:"),
        ({"tools": [TOOL], "tool_choice": {"type": "tool"}}, "tool_choice.name:"),
    ],
)
def test_a_refusal_names_the_place(members: Json, place: str) -> None:
    assert refusal(**members).startswith(place)


class TestTools:
    def test_a_definition(self) -> None:
        tool = {**TOOL, "cache_control": {"type": "ephemeral"}, "strict": True, "type": "custom"}
        chat = asked(tools=[tool])
        assert chat.body["tools"] == [
            {"type": "function", "function": {**FUNCTION, "strict": True}}
        ]

    def test_what_anthropic_would_run_is_left_out_beside_others(self) -> None:
        chat = asked(tools=[WEB_SEARCH, TOOL])
        assert chat.body["tools"] == [{"type": "function", "function": FUNCTION}]
        assert chat.ignored == ("tools[0] (web_search_20250305)",)

    def test_examples_are_told_in_the_description(self) -> None:
        [tool] = asked(tools=[{**TOOL, "input_examples": [{"p": 1}]}]).body["tools"]
        assert tool["function"]["description"] == 'Reads.\n\nExamples of input: [{"p": 1}]'

    @pytest.mark.parametrize(
        ("choice", "members"),
        [
            ({"type": "auto"}, {"tool_choice": "auto"}),
            ({"type": "any"}, {"tool_choice": "required"}),
            ({"type": "none"}, {"tool_choice": "none"}),
            (
                {"type": "tool", "name": "read"},
                {"tool_choice": {"type": "function", "function": {"name": "read"}}},
            ),
            (
                {"type": "auto", "disable_parallel_tool_use": True},
                {"tool_choice": "auto", "parallel_tool_calls": False},
            ),
        ],
    )
    def test_the_choice(self, choice: Json, members: Json) -> None:
        body = asked(tools=[TOOL], tool_choice=choice).body
        names = ("tool_choice", "parallel_tool_calls")
        assert {name: body[name] for name in names if name in body} == members

    def test_without_tools_there_is_no_choice(self) -> None:
        assert "tool_choice" not in asked(tool_choice={"type": "auto"}).body

    def test_deferred_tools_are_sent_and_the_search_for_them_is_not(self) -> None:
        search = {"type": "tool_search_tool_bm25_20251119", "name": "search"}
        chat = asked(tools=[{**TOOL, "defer_loading": True}, search])
        assert [tool["function"]["name"] for tool in chat.body["tools"]] == ["read"]

    def test_system_turns_add_tools_and_take_them_away(self) -> None:
        definition = {"type": "tool_definition", "definition": {**TOOL, "name": "write"}}
        changes = [
            {"type": "tool_addition", "tool": {"type": "tool_reference", "name": "read"}},
            {"type": "tool_addition", "tool": definition},
            {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "read"}},
        ]
        chat = asked(HI, {"role": "system", "content": changes}, tools=[TOOL])
        assert [tool["function"]["name"] for tool in chat.body["tools"]] == ["write"]
        assert chat.body["messages"] == [HI]
