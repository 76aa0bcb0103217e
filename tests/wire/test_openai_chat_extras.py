"""Chat Completions: where more text can ride, and the chunk that is sent if there is no room."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import openai_chat
from mitmproxy_windsurf.wire.parts import Extra, Json, Key
from mitmproxy_windsurf.wire.splice import Path

HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "provider": "p"}


def chunk(index: int = 0, **choice: Any) -> Json:
    return {**HEAD, "choices": [{"index": index, **choice, "logprobs": None}], "usage": None}


TEXT_DETAIL = {"type": "reasoning.text", "text": "a", "format": "f", "index": 0}
CALL = {"index": 2, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{"}}
MISTRAL = [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]


@pytest.mark.parametrize(
    ("key", "delta", "wanted"),
    [
        (Key(0, "text"), {"role": "assistant", "content": "a"}, {"content": "/"}),
        (Key(0, "refusal"), {"refusal": "a"}, {"refusal": "/"}),
        (
            Key(0, "refusal", "transcript"),
            {"audio": {"id": "x", "transcript": "a", "data": "sealed"}},
            {"audio": {"transcript": "/"}},
        ),
        (
            Key(0, "thinking", "reasoning_content"),
            {"reasoning_content": "a", "content": None},
            {"reasoning_content": "/"},
        ),
        (
            Key(0, "thinking", "reasoning_content"),
            {"reasoning_content": "a", "reasoning": "a"},
            {"reasoning_content": "/", "reasoning": "/"},
        ),
        (
            Key(0, "thinking", "reasoning"),
            {"reasoning": "a", "reasoning_details": [TEXT_DETAIL]},
            {"reasoning": "/", "reasoning_details": [{**TEXT_DETAIL, "text": "/"}]},
        ),
        (
            Key(0, "thinking", "reasoning"),
            {"reasoning": "a", "reasoning_details": [{**TEXT_DETAIL, "text": "b"}]},
            {"reasoning": "/"},
        ),
        (
            Key(0, "thinking", "reasoning_details", copy=True),
            {"reasoning": "a", "reasoning_details": [{**TEXT_DETAIL, "text": "b"}]},
            {"reasoning_details": [{**TEXT_DETAIL, "text": "/"}]},
        ),
        (
            Key(0, "thinking", "reasoning_details"),
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "a"}]},
            {"reasoning_details": [{"type": "reasoning.summary", "summary": "/"}]},
        ),
        (
            Key(0, "thinking", "reasoning_details"),
            {"reasoning_details": [TEXT_DETAIL, {**TEXT_DETAIL, "index": 1, "signature": "s"}]},
            {"reasoning_details": [{**TEXT_DETAIL, "index": 1, "text": "/"}]},
        ),
        (
            Key(0, "thinking", "content"),
            {"content": MISTRAL},
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "/"}]}]},
        ),
        (
            Key(0, "text"),
            {"content": [*MISTRAL, {"type": "text", "text": "a"}]},
            {"content": [{"type": "text", "text": "/"}]},
        ),
        (
            Key(0, "tool_input", 1),
            {"tool_calls": [{}, {"function": {"arguments": "{"}}]},
            {"tool_calls": [{"index": 1, "function": {"arguments": "/"}}]},
        ),
        (
            Key(0, "tool_input", 2),
            {"tool_calls": [CALL]},
            {"tool_calls": [{"index": 2, "type": "function", "function": {"arguments": "/"}}]},
        ),
        (
            Key(0, "tool_text", 2),
            {"tool_calls": [{"index": 2, "custom": {"input": "a"}}]},
            {"tool_calls": [{"index": 2, "custom": {"input": "/"}}]},
        ),
        (
            Key(0, "tool_input", "function_call"),
            {"function_call": {"name": "f", "arguments": "{"}},
            {"function_call": {"arguments": "/"}},
        ),
    ],
)
def test_more_text_of_a_choice(key: Key, delta: Json, wanted: Json) -> None:
    choice = {"index": 0, "delta": wanted, "finish_reason": None}
    extra = Extra(None, {**HEAD, "choices": [choice]})
    assert openai_chat.delta(key, "/", chunk(delta=delta, finish_reason="stop")) == extra


def test_the_extra_chunk_is_for_its_own_choice() -> None:
    like = chunk(1, delta={"content": "a"})
    like["choices"].insert(0, {"index": 0, "delta": {"reasoning": "b"}})
    [choice] = openai_chat.delta(Key(1, "text"), "/", like)[1]["choices"]
    assert choice == {"index": 1, "delta": {"content": "/"}, "finish_reason": None}


def test_a_copy_beside_the_delta_is_continued_beside_it() -> None:
    """Together repeats the delta's content as `text`."""
    like = chunk(delta={"content": "a"}, text="a")
    [choice] = openai_chat.delta(Key(0, "text"), "/", like)[1]["choices"]
    assert choice["delta"] == {"content": "/"}
    assert choice["text"] == "/"
    [choice] = openai_chat.delta(
        Key(0, "text", "text", copy=True), "/", chunk(delta={"content": "b"}, text="a")
    )[1]["choices"]
    assert choice["delta"] == {}
    assert choice["text"] == "/"


def test_nothing_is_known_of_the_stream() -> None:
    for channel in ("text", "thinking", "refusal", "tool_input", "tool_text"):
        [choice] = openai_chat.delta(Key(0, channel, 0), "/", {})[1]["choices"]
        assert "/" in str(choice["delta"])


CONTENT: Path = ("choices", 0, "delta", "content")


@pytest.mark.parametrize(
    ("document", "key", "found"),
    [
        (chunk(1, delta={}), Key(1, "text"), CONTENT),
        (chunk(delta={"content": None}), Key(0, "text"), CONTENT),
        (chunk(delta={"tool_calls": []}), Key(0, "text"), CONTENT),
        (chunk(delta={"content": []}), Key(0, "text"), None),
        (chunk(delta={"reasoning": "first"}), Key(0, "text"), None),
        (chunk(delta={"reasoning": ""}), Key(0, "text"), CONTENT),
        (chunk(delta={}), Key(1, "text"), None),
        (chunk(delta=None), Key(0, "text"), None),
        (chunk(delta={}), Key(0, "tool_input", 0), None),
        (chunk(delta={}), Key(0, "thinking", "reasoning"), None),
        (chunk(delta={}), Key(0, "text", "message", copy=True), None),
        ({"choices": []}, Key(0, "text"), None),
    ],
)
def test_where_more_text_can_ride(document: Json, key: Key, found: Path | None) -> None:
    assert openai_chat.slot(document, key) == found
