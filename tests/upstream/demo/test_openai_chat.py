"""Requests as SDKs and agents send them, and chunks as they expect them."""

from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.demo import openai_chat
from mitmproxy_windsurf.upstream.demo.ask import Ask, Json, Rejected, Tool
from mitmproxy_windsurf.upstream.demo.parts import Answer, Call, Cut, Failure, Part, Text, Thinking
from mitmproxy_windsurf.upstream.demo.scenarios import SCENARIOS, Scenario
from upstream.demo.streams import chat_completion, events

READ = Tool("read_file", {"properties": {"path": {"type": "string"}}})
ASK = Ask("gpt-5.5", tools=(READ,), want_thinking=True)
CALL = Call("read_file", '{"path":"\\/tmp\\/a"}')


def answer(*parts: Part, include_usage: bool = True) -> Answer:
    return Answer("gpt-5.5", parts, "seed", 10, include_usage=include_usage)


def stream(*parts: Part) -> bytes:
    return b"".join(openai_chat.frames(answer(*parts)))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_streamed_and_whole_are_the_same(scenario: Scenario) -> None:
    parts = [part for part in scenario.play(ASK) if not isinstance(part, Failure | Cut)]
    if parts:
        assert chat_completion(stream(*parts)) == openai_chat.whole(answer(*parts))


def test_two_calls_keep_their_fragments_apart() -> None:
    parts = (CALL, Call("read_file", '{"path":"b"}'))
    completion = chat_completion(stream(*parts))
    assert completion == openai_chat.whole(answer(*parts))
    one, two = completion["choices"][0]["message"]["tool_calls"]
    assert one["id"] != two["id"]


def test_the_role_comes_first_and_done_last() -> None:
    chunks = [data for _, data in events(stream(Thinking("hm"), Text("hey")))]
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert chunks[-1] == "[DONE]"
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks[:-2]] == [
        None,
        None,
        None,
        "stop",
    ]


def test_usage_is_streamed_where_it_is_asked_for() -> None:
    *chunks, last, _ = [data for _, data in events(stream(Text("hello")))]
    assert [chunk["usage"] for chunk in chunks] == [None] * len(chunks)
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] == 12
    silent = answer(Text("hello"), include_usage=False)
    assert b"usage" not in b"".join(openai_chat.frames(silent))


def test_a_call_in_place_of_a_text() -> None:
    [choice] = openai_chat.whole(answer(CALL))["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["content"] is None


def test_an_error_ends_the_stream() -> None:
    failure = Failure(500, "api_error", "broken")
    *_, error, done = [data for _, data in events(stream(Text("so far"), failure))]
    assert error == openai_chat.error(failure)
    assert error["error"]["message"] == "broken"
    assert done == "[DONE]"
    assert [data for _, data in events(stream(failure))] == [error, "[DONE]"]


def test_a_cut_stream_just_ends() -> None:
    assert b'finish_reason":"' not in stream(Text("so far"), Cut())


def body(*messages: Json, **members: object) -> Json:
    return {"model": "m", "messages": [*messages] or [{"role": "user", "content": "hi"}], **members}


def test_a_plain_request() -> None:
    ask = openai_chat.read(body(stream=True, stream_options={"include_usage": True}))
    assert (ask.model, ask.prompt, ask.stream, ask.include_usage) == ("m", "hi", True, True)


def test_prompts_come_in_several_roles_and_shapes() -> None:
    ask = openai_chat.read(
        body(
            {"role": "system", "content": "one"},
            {
                "role": "developer",
                "content": [{"type": "text", "text": "t"}, {"type": "text", "text": "wo"}],
            },
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
            functions=[{"name": "old", "description": "old way"}],
            tools=[
                {
                    "type": "function",
                    "function": {
                        "name": "read_file",
                        "description": "reads",
                        "parameters": READ.schema,
                    },
                },
                {"type": "custom", "custom": {"name": "x", "description": "custom"}},
            ],
            reasoning_effort="high",
        )
    )
    assert ask.system == "one\ntwo"
    assert ask.tool_text == "reads\ncustom\nold way"
    assert ask.tools == (READ,)
    assert ask.want_thinking


def test_results_are_the_tool_messages_at_the_end() -> None:
    call = {"role": "assistant", "tool_calls": []}
    first, second = (
        {"role": "tool", "content": "1"},
        {"role": "tool", "content": [{"type": "text", "text": "2"}]},
    )
    ask = openai_chat.read(
        body({"role": "user", "content": "tool"}, call, {"role": "tool"}, call, first, second)
    )
    assert ask.results == ("1", "2")
    later = {"role": "user", "content": "json"}
    assert openai_chat.read(body(call, first, later)).results == ()


def test_a_client_may_forbid_tools() -> None:
    tools = [{"function": {"name": "read_file"}}]
    assert openai_chat.read(body(tools=tools)).tools
    assert not openai_chat.read(body(tools=tools, tool_choice="none")).tools


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"messages": None}, "messages"),
        ({"messages": [{"role": "system"}]}, "messages"),
        ({"n": 2}, "n"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_name(members: Json, field: str) -> None:
    with pytest.raises(Rejected, match=f"^{field}:"):
        openai_chat.read(body() | members)


def test_models() -> None:
    models = openai_chat.models(["a", "b"])
    assert models["object"] == "list"
    assert [model["id"] for model in models["data"]] == ["a", "b"]
