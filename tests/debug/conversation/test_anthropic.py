"""What Messages say besides text: results, errors, what is hidden, why it stopped."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.debug.conversation import read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Message, Tool
from playbook import anthropic, delta, start


def request(**body: Any) -> Any:
    return read_request("anthropic", json.dumps(body).encode()).conversation


def answer(*content: Any, **members: Any) -> Any:
    body = {"type": "message", "content": list(content), **members}
    return read_answer("anthropic", json.dumps(body).encode()).conversation


def test_a_request() -> None:
    found = request(
        model="m",
        max_tokens=5,
        system=[{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}],
        tools=[
            {"name": "Read", "description": "Read a file.\n\nNever write."},
            {"type": "bash_20250124"},
        ],
        messages=[
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": [{"type": "text", "text": "hi"}]},
        ],
    )
    assert found.model == "m"
    assert found.parameters == {"max_tokens": 5}
    assert found.tools == [Tool("Read", "Read a file."), Tool("bash_20250124")]
    assert found.messages == [
        Message("system", (Block("text", "One."), Block("text", "Two."))),
        Message("user", (Block("text", "hello"),)),
        Message("assistant", (Block("text", "hi"),)),
    ]


@pytest.mark.parametrize(
    ("content", "block"),
    [
        ("done", Block("result", "done", id="t1")),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            Block("result", "a\nb", id="t1"),
        ),
        ([{"type": "image"}], Block("result", id="t1", data=[{"type": "image"}])),
        (None, Block("result", id="t1")),
    ],
    ids=["text", "texts", "image", "nothing"],
)
def test_the_result_of_a_tool(content: Any, block: Block) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    assert request(messages=[{"role": "user", "content": [result]}]).messages[0].blocks == (block,)


def test_a_failed_result() -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}
    [block] = request(messages=[{"role": "user", "content": [result]}]).messages[0].blocks
    assert block.failed


def test_texts_that_citations_have_cut_are_joined() -> None:
    found = answer(
        {"type": "text", "text": "It is "}, {"type": "text", "text": "blue.", "citations": []}
    )
    assert found.messages[0].blocks == (Block("text", "It is blue."),)


def test_what_is_hidden_is_named() -> None:
    found = answer({"type": "redacted_thinking", "data": "AAAA"}, {"type": "new_thing", "x": 1})
    hidden, unknown = found.messages[0].blocks
    assert hidden == Block("thinking", "(redacted)")
    assert unknown == Block("other", name="new_thing", data={"x": 1})


def test_a_refusal_says_why() -> None:
    found = answer(stop_reason="refusal", stop_details={"explanation": "Not this."})
    assert found.messages[0].stop == "refusal: Not this."


def test_an_error_in_mid_stream() -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    stream = start(0, "text") + delta(0, text="Hel") + anthropic("error", error=error)
    found = read_answer("anthropic", stream).conversation
    assert found.messages[0].blocks == (Block("text", "Hel"),)
    assert found.errors == ["overloaded_error: Overloaded"]


def test_arguments_that_are_cut_off_stay_as_they_are() -> None:
    stream = start(0, "tool_use", name="Read", id="t1") + delta(0, partial_json='{"path": "/a')
    found = read_answer("anthropic", stream).conversation
    assert found.messages[0].blocks == (Block("call", name="Read", id="t1", data='{"path": "/a'),)


def test_a_stream_whose_beginning_is_missing() -> None:
    stream = delta(1, thinking="So") + delta(2, text="Yes") + delta(3, partial_json="{}")
    found = read_answer("anthropic", stream).conversation
    assert [block.kind for block in found.messages[0].blocks] == ["thinking", "text", "call"]


def test_counted_tokens() -> None:
    assert read_answer("anthropic", b'{"input_tokens": 7}').conversation.usage == {
        "input_tokens": 7
    }
