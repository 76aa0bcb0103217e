"""Chat Completions: every field of an answer that carries text."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_chat
from mitmproxy_windsurf.wire.parts import ALL, Json, Key, Part
from mitmproxy_windsurf.wire.splice import Path


def chunk(delta: Any, index: int = 0, **members: Any) -> Json:
    return {"choices": [{"index": index, "delta": delta, **members}]}


DELTA: Path = ("choices", 0, "delta")


def texts(document: Json) -> list[tuple[Key | str, str, tuple[Path, ...]]]:
    """What a chunk says: (key, or channel of a text without one; text; places in the delta)."""
    return [
        (part.key or part.channel, part.text, tuple(path[len(DELTA) :] for path in part.paths))
        for part in openai_chat.read(document).parts
    ]


TEXT = Key(0, "text")
THINKING = [Key(0, "thinking", name) for name in ("reasoning_content", "reasoning")]
DETAILS = Key(0, "thinking", "reasoning_details")


@pytest.mark.parametrize(
    ("delta", "found"),
    [
        ({"content": "a"}, [(TEXT, "a", (("content",),))]),
        ({"role": "assistant", "content": ""}, [(TEXT, "", (("content",),))]),
        ({"content": None}, []),
        ({"refusal": "a"}, [(Key(0, "refusal"), "a", (("refusal",),))]),
        ({"reasoning_content": "a"}, [(THINKING[0], "a", (("reasoning_content",),))]),
        ({"reasoning": "a"}, [(THINKING[1], "a", (("reasoning",),))]),
        (
            {"content": "a", "reasoning_content": None, "reasoning": "b"},
            [(THINKING[1], "b", (("reasoning",),)), (TEXT, "a", (("content",),))],
        ),
        (
            {"reasoning": "a", "reasoning_content": "a"},
            [(THINKING[0], "a", (("reasoning_content",), ("reasoning",)))],
        ),
        (
            {"reasoning": "a", "reasoning_details": [{"type": "reasoning.text", "text": "a"}]},
            [(THINKING[1], "a", (("reasoning",), ("reasoning_details", 0, "text")))],
        ),
        (
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "a"}]},
            [(DETAILS, "a", (("reasoning_details", 0, "summary"),))],
        ),
        (
            {"reasoning_details": [{"text": "a"}, {"data": "sealed"}, {"text": "b"}, None]},
            [
                (DETAILS, "a", (("reasoning_details", 0, "text"),)),
                (DETAILS, "b", (("reasoning_details", 2, "text"),)),
            ],
        ),
        (
            {"reasoning": "ab", "reasoning_details": [{"text": "a"}, {"text": "b"}]},
            [
                (THINKING[1], "ab", (("reasoning",),)),
                (DETAILS._replace(copy=True), "a", (("reasoning_details", 0, "text"),)),
                (DETAILS._replace(copy=True), "b", (("reasoning_details", 1, "text"),)),
            ],
        ),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "a"}, 7]},
                    {"type": "text", "text": "b"},
                    {"type": "reference", "reference_ids": [1]},
                    "x",
                ]
            },
            [
                (Key(0, "thinking", "content"), "a", (("content", 0, "thinking", 0, "text"),)),
                (TEXT, "b", (("content", 1, "text"),)),
            ],
        ),
        (
            {"tool_calls": [{"index": 3, "id": "x", "function": {"name": "f", "arguments": "{"}}]},
            [(Key(0, "tool_input", 3), "{", (("tool_calls", 0, "function", "arguments"),))],
        ),
        (
            {"tool_calls": [{"function": {"arguments": {"a": ["b"]}}}]},
            [("tool_input", "b", (("tool_calls", 0, "function", "arguments", "a", 0),))],
        ),
        (
            {"tool_calls": [{"index": 0, "custom": {"input": "a"}}]},
            [(Key(0, "tool_text", 0), "a", (("tool_calls", 0, "custom", "input"),))],
        ),
        (
            {"function_call": {"name": "f", "arguments": "{"}},
            [(Key(0, "tool_input", "function_call"), "{", (("function_call", "arguments"),))],
        ),
        (
            {"audio": {"transcript": "a", "data": "sealed"}},
            [(Key(0, "refusal", "transcript"), "a", (("audio", "transcript"),))],
        ),
        (
            {"annotations": [{"url_citation": {"content": "page", "start_index": 0}}]},
            [("result", "page", (("annotations", 0, "url_citation", "content"),))],
        ),
        (
            {"executed_tools": [{"output": "out"}]},
            [("result", "out", (("executed_tools", 0, "output"),))],
        ),
        ({"tool_calls": [None, {"index": 0}, {"function": {"arguments": None}}]}, []),
        ({"tool_calls": "x", "content": 7, "refusal": [], "function_call": None}, []),
        ({"content_filter_results": {"hate": {"severity": "safe"}}}, []),
        ("x", []),
        (None, []),
    ],
)
def test_deltas(delta: Any, found: list[Any]) -> None:
    assert texts(chunk(delta)) == found


def test_text_and_thinking_of_an_answer_that_is_whole() -> None:
    message = {"content": "a", "reasoning_content": "b", "tool_calls": [{"custom": {"input": "c"}}]}
    [reading] = openai_chat.read_whole({"choices": [{"index": 1, "message": message}]})
    assert [(part.key, part.text) for part in reading.parts] == [
        (Key(1, "thinking", "reasoning_content"), "b"),
        (Key(1, "text"), "a"),
        (Key(1, "tool_text", 0), "c"),
    ]
    assert reading.ended == [(ALL, ALL)]


def test_choices_are_told_apart_by_their_index() -> None:
    choices = [{"index": 1, "delta": {"content": "a"}}, None, {"delta": {"content": "b"}}]
    reading = openai_chat.read({"choices": choices})
    assert [(part.key, part.paths[0][:2]) for part in reading.parts] == [
        (Key(1, "text"), ("choices", 0)),
        (Key(2, "text"), ("choices", 2)),
    ]


def test_a_tool_call_starts_with_or_without_arguments() -> None:
    calls = {"tool_calls": [{"index": 1, "function": {"name": "f", "arguments": ""}}, {"index": 2}]}
    assert openai_chat.read(chunk(calls)).started == [
        Key(0, "tool_input", 1),
        Key(0, "tool_input", 2),
    ]
    assert not openai_chat.read(chunk({"content": "a", "tool_calls": None})).started


@pytest.mark.parametrize("reason", ["stop", "length", "tool_calls", "content_filter", "?"])
def test_a_finish_reason_ends_the_choice(reason: str) -> None:
    assert openai_chat.read(chunk({"content": "a"}, finish_reason=reason)).ended == [(0, ALL)]
    for none in (None, ""):
        assert not openai_chat.read(chunk({"content": "a"}, finish_reason=none)).ended
    assert not openai_chat.read(chunk({"content": "a"})).broken


@pytest.mark.parametrize("error", [{"message": "m", "code": 500}, "m", ["m"]])
def test_an_error_breaks_the_stream(error: Any) -> None:
    reading = openai_chat.read({"error": error, "choices": []})
    assert reading.broken
    assert [part[:2] for part in reading.parts] == [("error", "m")]
    assert not openai_chat.read({"error": None, "choices": []}).broken


def test_an_error_without_choices_is_searched_whole() -> None:
    """GPUStack says it twice."""
    reading = openai_chat.read({"detail": "m", "error": {"message": "m"}})
    assert [part.paths for part in reading.parts] == [(("detail",),), (("error", "message"),)]


def test_copies_of_a_choice() -> None:
    both = openai_chat.read(chunk({"content": "a"}, text="a"))
    assert both.parts == [
        Part("text", "a", ((*DELTA, "content"), ("choices", 0, "text")), Key(0, "text"))
    ]
    alone = openai_chat.read(chunk({"content": "a"}, text="b")).parts[1]
    assert alone == Part("text", "b", (("choices", 0, "text"),), Key(0, "text", "text", copy=True))
    so_far = openai_chat.read(chunk({"content": "b"}, message={"content": "ab"})).parts[1]
    assert so_far == Part(
        "text",
        "ab",
        (("choices", 0, "message", "content"),),
        Key(0, "text", "message", copy=True),
        cumulative=True,
    )


def test_tokens_repeat_a_text() -> None:
    logprobs: Json = {"content": [], "refusal": [], "reasoning_content": [], "top": []}
    assert openai_chat.read(chunk({}, logprobs=logprobs)).tokens == [
        (0, "text", ("choices", 0, "logprobs", "content")),
        (0, "refusal", ("choices", 0, "logprobs", "refusal")),
        (0, "thinking", ("choices", 0, "logprobs", "reasoning_content")),
    ]
    assert not openai_chat.read(chunk({}, logprobs=None)).tokens
    assert not openai_chat.read(chunk({}, logprobs={"content": None})).tokens


@pytest.mark.parametrize(
    "document",
    [{}, {"choices": None}, {"choices": [None, 7]}, {"choices": [{"index": 0}]}, {"usage": {}}],
)
def test_documents_that_say_nothing(document: Json) -> None:
    reading = openai_chat.read(document)
    assert not reading.parts
    assert not reading.broken
