"""What Chat Completions say, in the spellings of many vendors."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.debug.conversation import read_answer, read_request
from mitmproxy_windsurf.debug.conversation.model import Block, Message, Tool
from playbook import chunk, chunks, event


def answer(*parts: bytes) -> Any:
    return read_answer("openai_chat", b"".join(parts)).conversation


def request(**body: Any) -> Any:
    return read_request("openai_chat", json.dumps(body).encode()).conversation


def blocks(*parts: bytes) -> tuple[Block, ...]:
    found: tuple[Block, ...] = answer(*parts).messages[0].blocks
    return found


def test_a_request() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "Read", "arguments": '{"p": 1}'}}
    found = request(
        model="m",
        temperature=0,
        tools=[{"type": "function", "function": {"name": "Read", "description": "Read it.\nNow."}}],
        functions=[{"name": "old"}],
        messages=[
            {"role": "developer", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "See:"}, {"type": "image_url"}]},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "ok"}]},
        ],
    )
    assert found.parameters == {"temperature": 0}
    assert found.tools == [Tool("Read", "Read it."), Tool("old")]
    assert found.messages == [
        Message("developer", (Block("text", "Be brief."),)),
        Message("user", (Block("text", "See:"), Block("other", name="image_url", data={}))),
        Message("assistant", (Block("call", name="Read", id="c1", data={"p": 1}),)),
        Message("tool", (Block("result", "ok", id="c1"),)),
    ]


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "So."},
        {"reasoning": "So.", "reasoning_details": [{"type": "reasoning.text", "text": "So."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "So."}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "So."}]}]},
    ],
    ids=["reasoning_content", "told twice", "details", "array"],
)
def test_reasoning_wherever_it_stands(delta: dict[str, Any]) -> None:
    assert blocks(chunk(**delta), chunk(content="Yes.")) == (
        Block("thinking", "So."),
        Block("text", "Yes."),
    )


def test_a_refusal() -> None:
    assert blocks(chunk(refusal="I "), chunk(refusal="won't.")) == (Block("refusal", "I won't."),)


def test_calls_that_all_have_the_same_index() -> None:
    def call(identity: str, name: str) -> bytes:
        function = {"name": name, "arguments": "{}"}
        return chunk(tool_calls=[{"index": 0, "id": identity, "function": function}])

    assert [block.name for block in blocks(call("a", "Read"), call("b", "Write"))] == [
        "Read",
        "Write",
    ]


def test_a_call_whose_name_is_repeated_with_every_fragment() -> None:
    def call(arguments: str) -> bytes:
        function = {"name": "Read", "arguments": arguments}
        return chunk(tool_calls=[{"index": 0, "id": "a", "function": function}])

    assert blocks(call('{"p"'), call(": 1}")) == (
        Block("call", name="Read", id="a", data={"p": 1}),
    )


def test_the_deprecated_function_call() -> None:
    first = chunk(function_call={"name": "Read", "arguments": "{"})
    assert blocks(first, chunk(function_call={"arguments": "}"})) == (
        Block("call", name="Read", data={}),
    )


def test_choices_do_not_mix() -> None:
    found = answer(chunk(0, content="a"), chunk(1, content="b"), chunk(0, "stop", content="c"))
    assert [(message.role, message.blocks[0].text) for message in found.messages] == [
        ("assistant 1 of 2", "ac"),
        ("assistant 2 of 2", "b"),
    ]


def test_a_cumulative_copy_is_not_read_twice() -> None:
    def choice(delta: str, whole: str) -> bytes:
        return chunks({"index": 0, "delta": {"content": delta}, "message": {"content": whole}})

    assert blocks(choice("a", "a"), choice("b", "ab")) == (Block("text", "ab"),)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": {"message": "No.", "type": "server_error"}}, "server_error: No."),
        ({"error": {"message": "No.", "code": 502}}, "502: No."),
        ({"error": "No."}, "No."),
        ({"object": "error", "message": "No."}, "No."),
        ({"choices": [], "error": {"error": {"message": "No."}}}, "No."),
    ],
)
def test_errors_in_every_spelling(body: dict[str, Any], error: str) -> None:
    assert answer(json.dumps(body).encode()).errors == [error]
    assert answer(chunk(content="Hel"), event(body)).errors == [error]
