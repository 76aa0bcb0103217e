"""The Responses API: its prompts, and deltas of our own."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_responses
from mitmproxy_windsurf.wire.openai_responses_items import Place
from mitmproxy_windsurf.wire.parts import Json, Key, Prompt


def prompts(body: Json) -> list[tuple[str, str, str]]:
    """(target, place, text), texts that belong together joined by a bar."""
    return [
        (prompt.target, prompt.place, "|".join(prompt.texts))
        for prompt in openai_responses.prompts(body)
    ]


def texts(body: Json) -> list[str]:
    return [text for _, _, text in prompts(body)]


def test_instructions() -> None:
    assert list(openai_responses.prompts({"instructions": "a"})) == [
        Prompt("system", ("a",), (("instructions",),), (None,), "instructions")
    ]
    assert prompts({"instructions": None}) == []


@pytest.mark.parametrize("role", ["system", "developer"])
@pytest.mark.parametrize("kind", [{"type": "message"}, {}])
def test_turns_that_are_prompts(role: str, kind: Json) -> None:
    turn = {**kind, "role": role, "content": "a"}
    assert prompts({"input": ["x", turn]}) == [("system", "input[1]", "a")]


@pytest.mark.parametrize("role", ["user", "assistant", None])
def test_other_turns_are_none(role: str | None) -> None:
    assert not prompts({"input": [{"role": role, "content": "a"}]})
    assert not prompts({"input": "a"})


def test_parts_of_a_turn_are_read_as_one() -> None:
    parts: list[Json] = [
        {"type": "input_text", "text": "a"},
        {"type": "text", "text": "b"},
        {"type": "input_image", "image_url": "u"},
        {"type": "input_text", "text": "c", "prompt_cache_breakpoint": True},
    ]
    [first, second] = openai_responses.prompts({"input": [{"role": "system", "content": parts}]})
    assert first.texts == ("a", "b")
    assert first.paths == (("input", 0, "content", 0, "text"), ("input", 0, "content", 1, "text"))
    assert first.elements == (("input", 0, "content", 0), ("input", 0, "content", 1))
    assert second.texts == ("c",)


SCHEMA = {"type": "object", "properties": {"p": {"type": "string", "description": "of p"}}}


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        (
            {"type": "function", "name": "n", "description": "a", "parameters": SCHEMA},
            ["a", "of p"],
        ),
        ({"type": "function", "name": "n", "output_schema": SCHEMA}, ["of p"]),
        ({"type": "custom", "description": "a", "format": {"definition": "start: x"}}, ["a"]),
        ({"type": "tool_search", "description": "a", "parameters": SCHEMA}, ["a", "of p"]),
        ({"type": "mcp", "server_description": "a", "server_label": "s"}, ["a"]),
        (
            {"type": "shell", "environment": {"skills": [{"name": "s", "description": "a"}]}},
            ["a"],
        ),
        (
            {
                "type": "namespace",
                "description": "a",
                "tools": [{"description": "b", "parameters": SCHEMA}, None],
            },
            ["a", "b", "of p"],
        ),
        ({"type": "local_shell"}, []),
        ({"type": "shell", "environment": {"skills": "x"}}, []),
        (None, []),
    ],
)
@pytest.mark.parametrize("where", ["tools", "additional_tools", "tool_search_output"])
def test_tools(tool: Any, found: list[str], where: str) -> None:
    body: Json = {"tools": [tool]}
    if where != "tools":
        body = {"input": [{"type": where, "role": "developer", "tools": [tool]}]}
    assert {target for target, _, _ in prompts(body)} <= {"tools"}
    assert texts(body) == found


def test_tools_that_a_server_has_listed_are_no_prompt() -> None:
    listed = {"type": "mcp_list_tools", "tools": [{"name": "n", "description": "a"}]}
    assert not prompts({"input": [listed]})


def test_the_format_of_the_answer() -> None:
    form = {"type": "json_schema", "name": "n", "description": "a", "schema": SCHEMA}
    assert prompts({"text": {"format": form}}) == [
        ("tools", "text.format", "a"),
        ("tools", "text.format", "of p"),
    ]


@pytest.mark.parametrize(
    "body",
    [{}, {"input": 7, "tools": "x", "text": "x"}, {"input": [7, {}], "text": {"format": []}}],
)
def test_bodies_without_prompts(body: Json) -> None:
    assert not prompts(body)
    assert not list(openai_responses.signed_thoughts(body))


@pytest.mark.parametrize(
    ("channel", "place", "address", "delta"),
    [
        ("text", Place(1, 2, "output_text"), {"content_index": 2}, "a"),
        ("refusal", Place(1, 2, "refusal"), {"content_index": 2}, "a"),
        ("thinking", Place(1, 2, "reasoning_text"), {"content_index": 2}, "a"),
        ("thinking", Place(1, 2, "reasoning_summary_text"), {"summary_index": 2}, "a"),
        ("tool_input", Place(1, 0, "function_call_arguments"), {}, "a"),
        ("tool_text", Place(1, 0, "custom_tool_call_input"), {}, "a"),
        ("tool_text", Place(1, 2, "shell_call_command"), {"command_index": 2}, "a"),
        (
            "result",
            Place(1, 2, "shell_call_output_content", "stderr"),
            {"command_index": 2},
            {"stderr": "a"},
        ),
    ],
)
def test_a_delta_of_our_own(channel: Any, place: Place, address: Json, delta: Any) -> None:
    key = Key("response", channel, place)
    like = {"sequence_number": 4, "output_index": 1, "item_id": "i", "delta": "x", "obfuscation": 1}
    event, document = openai_responses.delta(key, "a", like)
    assert event == document["type"] == f"response.{place.events}.delta"
    assert document == {
        "type": event,
        "sequence_number": 4,
        "item_id": "i",
        "output_index": 1,
        **address,
        "delta": delta,
    }
    [part] = openai_responses.read(document).parts
    assert (part.key, part.text) == (key, "a")
    assert openai_responses.slot(document, key) is None


def test_a_delta_is_addressed_as_the_others_are() -> None:
    key = Key("response", "text", Place("msg_a", 0, "output_text"))
    like: Json = {"type": "response.output_text.delta", "item_id": "msg_a", "delta": "x"}
    assert openai_responses.delta(key, "a", like).document == like | {"delta": "a"}

    key = Key("response", "tool_input", Place(3, 0, "function_call_arguments"))
    like = {"output_index": 3, "stream_id": "s", "item": {"id": "fc", "arguments": "{"}}
    assert openai_responses.delta(key, "}", like).document == {
        "type": "response.function_call_arguments.delta",
        "stream_id": "s",
        "item_id": "fc",
        "output_index": 3,
        "delta": "}",
    }


def test_a_delta_of_text_has_no_tokens() -> None:
    key = Key("response", "text", Place(0, 0, "output_text"))
    like = {"output_index": 0, "content_index": 0, "delta": "x", "logprobs": [{"token": "x"}]}
    assert openai_responses.delta(key, "a", like).document["logprobs"] == []
