"""Ollama's own API: prompts, lines, and lines of our own."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import ollama
from mitmproxy_windsurf.wire.parts import ALL, Json, Key, Part
from mitmproxy_windsurf.wire.splice import Path

TEXT = Key(0, "text")
THINKING = Key(0, "thinking")
FUNCTION = {
    "name": "f",
    "description": "Does.",
    "parameters": {"properties": {"description": {"description": "Nested."}}},
}


def line(**message: Any) -> Json:
    said = {"role": "assistant", "content": "", **message}
    return {"model": "m", "created_at": "now", "message": said, "done": False}


@pytest.mark.parametrize(
    ("body", "target", "texts"),
    [
        ({"system": "a", "prompt": "no", "template": "no"}, "system", {("system",): "a"}),
        (
            {"messages": [{"role": "System", "content": "a"}, {"role": "user", "content": "no"}]},
            "system",
            {("messages", 0, "content"): "a"},
        ),
        (
            {"tools": [{"type": "function", "function": FUNCTION}]},
            "tools",
            {
                ("tools", 0, "function", "description"): "Does.",
                (
                    "tools",
                    0,
                    "function",
                    "parameters",
                    "properties",
                    "description",
                    "description",
                ): "Nested.",
            },
        ),
        (
            {"format": {"properties": {"a": {"description": "One."}}}},
            "tools",
            {("format", "properties", "a", "description"): "One."},
        ),
        ({"system": None, "messages": None, "tools": [None], "format": "json"}, "", {}),
        ({"messages": [None, {"role": 7, "content": "no"}, {"content": "no"}]}, "", {}),
    ],
)
def test_prompts(body: Json, target: str, texts: dict[Path, str]) -> None:
    found = list(ollama.prompts(body))
    assert {prompt.paths[0]: prompt.texts[0] for prompt in found} == texts
    assert {prompt.target for prompt in found} == ({target} if texts else set())
    assert not list(ollama.signed_thoughts(body))


def test_a_line_of_a_chat() -> None:
    assert ollama.read(line(thinking="a", content="b")).parts == [
        Part("thinking", "a", (("message", "thinking"),), THINKING),
        Part("text", "b", (("message", "content"),), TEXT),
    ]


def test_a_line_without_a_message() -> None:
    assert ollama.read({"response": "b", "thinking": "a", "done": False, "context": [1]}).parts == [
        Part("thinking", "a", (("thinking",),), THINKING),
        Part("text", "b", (("response",),), TEXT),
    ]


def test_arguments_are_objects() -> None:
    calls = [{"function": {"name": "f", "arguments": {"a": ["x"]}}}, {"function": {}}, None]
    reading = ollama.read(line(tool_calls=calls))
    where: Path = ("message", "tool_calls", 0, "function", "arguments", "a", 0)
    assert reading.parts == [
        Part("text", "", (("message", "content"),), TEXT),
        Part("tool_input", "x", (where,)),
    ]
    assert reading.started == [Key(0, "tool_input", index) for index in range(3)]


@pytest.mark.parametrize("whole", [False, True])
def test_the_last_line_is_like_the_answer_in_one_piece(whole: bool) -> None:
    document = {**line(content="a"), "done": True, "done_reason": "stop", "logprobs": [{}]}
    [reading] = ollama.read_whole(document) if whole else [ollama.read(document)]
    assert reading.parts == [Part("text", "a", (("message", "content"),), TEXT)]
    assert reading.ended == [(ALL, ALL)]
    assert reading.tokens == [(0, "text", ("logprobs",))]
    assert not reading.broken


def test_an_error_breaks_the_answer() -> None:
    reading = ollama.read({"error": "x"})
    assert reading.parts == [Part("error", "x", (("error",),))]
    assert reading.broken


def test_the_rendered_prompt_is_an_echo() -> None:
    reading = ollama.read({"_debug_info": {"rendered_template": "a"}})
    assert reading.echoes == [(("_debug_info", "rendered_template"), "a")]


@pytest.mark.parametrize("key", [TEXT, THINKING])
@pytest.mark.parametrize(
    "like", [line(content="a", tool_calls=[]), {"model": "m", "created_at": "now", "response": "a"}]
)
def test_one_more_line(key: Key, like: Json) -> None:
    extra = ollama.delta(key, "x", like)
    assert extra.event is None
    assert [(part.key, part.text) for part in ollama.read(extra.document).parts if part.text] == [
        (key, "x")
    ]
    assert {name: extra.document[name] for name in ("model", "created_at", "done")} == {
        "model": "m",
        "created_at": "now",
        "done": False,
    }
    assert ("message" in extra.document) is ("message" in like)


@pytest.mark.parametrize(
    "document",
    [{}, {"message": None}, {"message": {"content": None, "tool_calls": {}}}, {"response": 7}],
)
def test_nothing_to_read(document: Json) -> None:
    assert ollama.read(document).parts == []
