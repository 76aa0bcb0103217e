"""Messages: every place of a prompt, and every event of an answer that carries text."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import anthropic
from mitmproxy_windsurf.wire.parts import ALL, Extra, Json, Key, Reading, SignedThought
from mitmproxy_windsurf.wire.splice import Path

TOOL = {
    "name": "t",
    "description": "Does.",
    "input_schema": {"type": "object", "properties": {"p": {"description": "Nested."}}},
    "input_examples": [{"description": "no"}],
}
TOOL_TEXTS: dict[Path, str] = {
    ("description",): "Does.",
    ("input_schema", "properties", "p", "description"): "Nested.",
}


def inside(path: Path, texts: dict[Path, str]) -> dict[Path, str]:
    return {path + where: text for where, text in texts.items()}


def blocks(*texts: str) -> list[Json]:
    return [
        {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}} for text in texts
    ]


SYSTEM_TURN = [{"role": "user", "content": "no"}, {"role": "system", "content": "a"}]
ADDITION = {
    "type": "tool_addition",
    "tool": {"type": "tool_definition", "definition": TOOL},
}


@pytest.mark.parametrize(
    ("body", "target", "texts"),
    [
        ({"system": "Be brief."}, "system", {("system",): "Be brief."}),
        (
            {"system": blocks("a", "b")},
            "system",
            {("system", 0, "text"): "a", ("system", 1, "text"): "b"},
        ),
        ({"messages": SYSTEM_TURN}, "system", {("messages", 1, "content"): "a"}),
        (
            {"messages": [{"role": "system", "content": [*blocks("a"), {"type": "other"}]}]},
            "system",
            {("messages", 0, "content", 0, "text"): "a"},
        ),
        ({"tools": [None, TOOL]}, "tools", inside(("tools", 1), TOOL_TEXTS)),
        (
            {"messages": [{"role": "system", "content": [ADDITION]}]},
            "tools",
            inside(("messages", 0, "content", 0, "tool", "definition"), TOOL_TEXTS),
        ),
        (
            {"requests": [None, {"custom_id": "x", "params": {"system": "a"}}]},
            "system",
            {("requests", 1, "params", "system"): "a"},
        ),
        (
            {"requests": [{"params": {"tools": [TOOL]}}]},
            "tools",
            inside(("requests", 0, "params", "tools", 0), TOOL_TEXTS),
        ),
        (
            {"requests": [{"params": {"messages": SYSTEM_TURN}}]},
            "system",
            {("requests", 0, "params", "messages", 1, "content"): "a"},
        ),
    ],
)
def test_prompts(body: Json, target: str, texts: dict[Path, str]) -> None:
    prompts = list(anthropic.prompts(body))
    assert {prompt.target for prompt in prompts} == {target}
    assert texts == {
        path: text
        for prompt in prompts
        for path, text in zip(prompt.paths, prompt.texts, strict=True)
    }


def test_adjacent_system_blocks_are_one_prompt() -> None:
    [prompt] = anthropic.prompts({"system": blocks("a", "b")})
    assert prompt.texts == ("a", "b")
    assert prompt.elements == (("system", 0), ("system", 1))
    [prompt] = anthropic.prompts({"system": "a"})
    assert prompt.elements == (None,)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"system": None, "messages": None, "tools": None, "requests": None},
        {"system": 7, "messages": ["x", None, {"role": "system"}], "tools": {}, "requests": {}},
        {"messages": [{"role": role, "content": "x"} for role in ("user", "assistant")]},
        {"messages": [{"role": "user", "content": blocks("<system-reminder>")}]},
        {"system": [{"type": "image", "text": "x"}, {"type": "text", "text": None}]},
        {"tools": [{"type": "bash_20250124", "name": "bash"}, {"name": "t", "description": 7}]},
        {"requests": [{"params": None}, 7]},
        {"messages": [{"role": "system", "content": [{"type": "tool_removal", "tool": 7}]}]},
    ],
)
def test_what_is_no_prompt(body: Json) -> None:
    assert list(anthropic.prompts(body)) == []


def thinking(text: Any, signature: Any) -> Json:
    return {"type": "thinking", "thinking": text, "signature": signature}


def test_signed_thinking_in_the_history() -> None:
    content = [*blocks("x"), thinking("a", "sig"), thinking(7, "s"), thinking("a", None), "x"]
    turn = {"role": "assistant", "content": content}
    found = [SignedThought("a", "sig", ("messages", 1, "content", 1, "thinking"))]
    messages = [{"role": "user", "content": "x"}, turn, None]
    assert list(anthropic.signed_thoughts({"messages": messages})) == found
    [batched] = anthropic.signed_thoughts({"requests": [{"params": {"messages": messages}}]})
    assert batched.path == ("requests", 0, "params", *found[0].path)
    assert list(anthropic.signed_thoughts({"messages": "x"})) == []


def delta(kind: str, index: Any = 3, **members: Any) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **members}}


def start(index: Any = 3, **block: Any) -> Json:
    return {"type": "content_block_start", "index": index, "content_block": block}


def key(channel: Any, index: int = 3) -> Key:
    return Key("message", channel, index)


def texts(reading: Reading) -> list[tuple[Key | str, str, Path]]:
    return [(part.key or part.channel, part.text, part.paths[0]) for part in reading.parts]


BLOCK: Path = ("content_block",)


@pytest.mark.parametrize(
    ("event", "found"),
    [
        (delta("text_delta", text="a"), [(key("text"), "a", ("delta", "text"))]),
        (delta("thinking_delta", thinking="a"), [(key("thinking"), "a", ("delta", "thinking"))]),
        (delta("thinking_delta", thinking=""), [(key("thinking"), "", ("delta", "thinking"))]),
        (
            delta("input_json_delta", partial_json="{"),
            [(key("tool_input"), "{", ("delta", "partial_json"))],
        ),
        (
            delta("citations_delta", citation={"cited_text": "a", "encrypted_index": "sealed"}),
            [("result", "a", ("delta", "citation", "cited_text"))],
        ),
        (start(type="text", text=""), [(key("text"), "", (*BLOCK, "text"))]),
        (start(type="text", text="a"), [(key("text"), "a", (*BLOCK, "text"))]),
        (
            start(type="thinking", thinking="", signature=""),
            [(key("thinking"), "", (*BLOCK, "thinking"))],
        ),
        (start(type="tool_use", id="x", name="t", input={}), []),
        (
            start(type="tool_use", input={"a": ["b"]}),
            [("tool_input", "b", (*BLOCK, "input", "a", 0))],
        ),
        (
            start(type="web_fetch_tool_result", content={"source": {"media_type": "a"}}),
            [("result", "a", (*BLOCK, "content", "source", "media_type"))],
        ),
        (
            start(type="mcp_tool_result", content=[{"text": "a"}]),
            [("result", "a", (*BLOCK, "content", 0, "text"))],
        ),
        (
            {"type": "message_delta", "delta": {"stop_details": {"explanation": "a"}}},
            [("refusal", "a", ("delta", "stop_details", "explanation"))],
        ),
        (
            {"type": "error", "error": {"message": "a"}, "request_id": "r"},
            [("error", "a", ("error", "message"))],
        ),
        ({"type": "error", "error": "a"}, [("error", "a", ("error",))]),
        (start(type="redacted_thinking", data="sealed"), []),
        (start(type="compaction", content="sealed"), []),
        (delta("compaction_delta", content="sealed"), []),
        (delta("text_delta", text=None), []),
        (delta("made_up", text="a"), []),
        (delta("text_delta", index=None, text="a"), []),
        ({"type": "content_block_delta", "index": 0}, []),
        ({"type": "content_block_start", "index": 0}, []),
        ({"type": "ping"}, []),
        ({"type": "made_up", "text": "a"}, []),
        ({"type": ["x"]}, []),
        ({}, []),
    ],
)
def test_events(event: Json, found: list[Any]) -> None:
    assert texts(anthropic.read(event)) == found


def test_what_events_end() -> None:
    assert anthropic.read({"type": "content_block_stop", "index": 3}).ended == [("message", 3)]
    assert anthropic.read({"type": "message_delta", "delta": {}}).ended == [(ALL, ALL)]
    assert anthropic.read({"type": "message_stop"}).ended == [(ALL, ALL)]
    assert not anthropic.read(delta("text_delta", text="a")).ended
    assert anthropic.read({"type": "error", "error": {}}).broken


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use", "mcp_tool_use"])
def test_a_tool_call_starts_without_arguments(kind: str) -> None:
    assert anthropic.read(start(type=kind)).started == [key("tool_input")]


def test_a_signature_ends_its_thinking() -> None:
    reading = anthropic.read(delta("signature_delta", signature="sig"))
    assert reading.signed == [(key("thinking"), "sig")]
    assert reading.ended == [("message", 3)]
    reading = anthropic.read(start(type="thinking", thinking="a", signature="sig"))
    assert reading.signed == [(key("thinking"), "sig")]


def test_the_blocks_of_an_answer_that_is_whole() -> None:
    content = [
        thinking("a", "sig"),
        {"type": "text", "text": "b", "citations": [{"cited_text": "c"}]},
        {"type": "tool_use", "input": {"p": "d"}},
        None,
    ]
    readings = list(anthropic.read_whole({"type": "message", "content": content}))
    assert [texts(reading) for reading in readings if reading.parts] == [
        [(key("thinking", 0), "a", ("content", 0, "thinking"))],
        [
            (key("text", 1), "b", ("content", 1, "text")),
            ("result", "c", ("content", 1, "citations", 0, "cited_text")),
        ],
        [("tool_input", "d", ("content", 2, "input", "p"))],
    ]
    assert readings[0].signed == [(key("thinking", 0), "sig")]
    assert [reading.ended[:1] for reading in readings[:2]] == [[("message", 0)], [("message", 1)]]
    assert readings[-1].ended == [(ALL, ALL)]


@pytest.mark.parametrize(
    "document",
    [{"type": "error", "error": {"message": "a"}}, {"error": {"message": "a"}}],
)
def test_an_error_that_is_whole(document: Json) -> None:
    [reading] = anthropic.read_whole(document)
    assert texts(reading) == [("error", "a", ("error", "message"))]


def test_an_error_that_is_null_is_none() -> None:
    document = {"error": None, "content": [{"type": "text", "text": "a"}]}
    assert any(reading.parts for reading in anthropic.read_whole(document))


@pytest.mark.parametrize("document", [{}, {"content": "x"}, {"content": [7, {"type": "text"}]}])
def test_answers_that_say_nothing(document: Json) -> None:
    assert not any(reading.parts for reading in anthropic.read_whole(document))


KINDS = [
    ("text", "text_delta", "text"),
    ("thinking", "thinking_delta", "thinking"),
    ("tool_input", "input_json_delta", "partial_json"),
]


@pytest.mark.parametrize(("channel", "kind", "member"), KINDS)
def test_more_text_of_a_block(channel: str, kind: str, member: str) -> None:
    wanted = delta(kind, **{member: "/"})
    extra = anthropic.delta(key(channel), "/", {"type": "ping"})
    assert extra == Extra("content_block_delta", wanted)
    [part] = anthropic.read(extra.document).parts
    assert part.key == key(channel)
    assert anthropic.slot(wanted, key(channel)) == ("delta", member)
    assert anthropic.slot(wanted, key(channel, 4)) is None
    for other, _, _ in KINDS:
        if other != channel:
            assert anthropic.slot(wanted, key(other)) is None


@pytest.mark.parametrize("event", [{"type": "content_block_stop", "index": 3}, start(), {}])
def test_other_events_have_no_room(event: Json) -> None:
    assert anthropic.slot(event, key("text")) is None
