"""Requests as Claude Code sends them, and the order of events that it relies on."""

from __future__ import annotations

import re

import pytest

from mitmproxy_windsurf.upstream.demo.anthropic import Anthropic
from mitmproxy_windsurf.upstream.demo.ask import Ask, Json, Rejected, Tool
from mitmproxy_windsurf.upstream.demo.parts import (
    Answer,
    Call,
    Cut,
    Failure,
    Part,
    Text,
    Thinking,
)
from mitmproxy_windsurf.upstream.demo.scenarios import SCENARIOS, Scenario
from upstream.demo.streams import anthropic_message, events

DIALECT = Anthropic()
READ = Tool("Read", {"properties": {"file_path": {"type": "string"}}})
ASK = Ask("claude-opus-4-6", tools=(READ,), want_thinking=True)
CALL = Call("Read", '{"file_path":"\\/tmp\\/a"}')


def answer(*parts: Part) -> Answer:
    return Answer("claude-opus-4-6", parts, "seed", 10)


def stream(*parts: Part) -> bytes:
    return b"".join(DIALECT.frames(answer(*parts)))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_streamed_and_whole_are_the_same(scenario: Scenario) -> None:
    parts = [part for part in scenario.play(ASK) if not isinstance(part, Failure | Cut)]
    if parts:
        assert anthropic_message(stream(*parts)) == DIALECT.whole(answer(*parts))


def test_events_come_in_the_order_of_the_api() -> None:
    names = [name for name, _ in events(stream(Thinking("hm"), Text("hello"), CALL))]
    block = r"content_block_start (ping )?(content_block_delta )+content_block_stop "
    order = rf"message_start ({block}){{3}}message_delta message_stop "
    assert re.fullmatch(order, "".join(f"{name} " for name in names))
    assert names.index("ping") == 2
    assert all(name == data["type"] for name, data in events(stream(Text("x"))))


def test_thinking_has_no_signature_as_on_a_local_server() -> None:
    [block] = DIALECT.whole(answer(Thinking("hm")))["content"]
    assert block == {"type": "thinking", "thinking": "hm", "signature": ""}
    assert b"signature_delta" not in stream(Thinking("hm"))


@pytest.mark.parametrize(("parts", "reason"), [((Text("x"),), "end_turn"), ((CALL,), "tool_use")])
def test_the_stop_reason_tells_whether_a_tool_is_called(
    parts: tuple[Part, ...], reason: str
) -> None:
    assert DIALECT.whole(answer(*parts))["stop_reason"] == reason


def test_two_calls_have_two_ids() -> None:
    one, two = DIALECT.whole(answer(CALL, CALL))["content"]
    assert one["id"] != two["id"]
    assert one["id"].startswith("toolu_")


def test_an_error_ends_the_stream() -> None:
    failure = Failure(529, "overloaded_error", "Overloaded")
    frames = events(stream(Text("so far"), failure))
    assert frames[-1] == (
        "error",
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    )
    assert [name for name, _ in events(stream(failure))] == ["error"]
    assert DIALECT.error(failure) == frames[-1][1]


@pytest.mark.parametrize("break_off", [Cut(), Failure(500, "api_error", "x")])
def test_an_answer_breaks_off_within_a_block(break_off: Part) -> None:
    names = [name for name, _ in events(stream(Thinking("hm"), Text("so far"), break_off))]
    assert names.count("content_block_start") == 2
    assert names.count("content_block_stop") == 1
    assert names[-1] == ("content_block_delta" if isinstance(break_off, Cut) else "error")


def body(**members: object) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": "hi"}], **members}


def test_a_plain_request() -> None:
    ask = DIALECT.read(body(stream=True))
    assert (ask.model, ask.prompt, ask.system, ask.stream) == ("m", "hi", "", True)
    assert ask.tokens > 0


def test_a_request_of_claude_code() -> None:
    messages = [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "<system-reminder>context</system-reminder>"},
                {"type": "text", "text": "tool", "cache_control": {"type": "ephemeral"}},
            ],
        },
        {"role": "system", "content": [{"type": "text", "text": "environment"}]},
    ]
    system = [
        {"type": "text", "text": "You are Claude Code, Anthropic's "},
        {"type": "text", "text": "official CLI"},
    ]
    tools = [
        {"name": "Read", "description": "reads", "input_schema": READ.schema},
        {"type": "bash_20250124", "name": "bash"},
        {"description": "nameless"},
    ]
    thinking = {"type": "adaptive", "display": "updates"}
    ask = DIALECT.read(body(messages=messages, system=system, tools=tools, thinking=thinking))
    assert ask.prompt == "tool"
    assert ask.system == "You are Claude Code, Anthropic's official CLI\nenvironment"
    assert ask.tool_text == "reads\nnameless"
    assert ask.tools == (READ, Tool("bash", {}))
    assert ask.results == ()
    assert ask.want_thinking


def test_results_of_tools_with_reminders_around_them() -> None:
    messages = [
        {"role": "user", "content": "tool"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Read"}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": "line"},
                {"type": "tool_result", "content": [{"type": "text", "text": "two"}]},
                {"type": "tool_result"},
                {"type": "text", "text": "<system-reminder>x</system-reminder>"},
            ],
        },
        {"role": "system", "content": "<total_tokens>9 tokens left</total_tokens>"},
    ]
    assert DIALECT.read(body(messages=messages)).results == ("line", "two", "(nothing)")


def test_what_the_user_adds_to_a_result_counts_more() -> None:
    content = [{"type": "tool_result", "content": "line"}, {"type": "text", "text": "json"}]
    ask = DIALECT.read(body(messages=[{"role": "user", "content": content}]))
    assert (ask.results, ask.prompt) == ((), "json")


def test_a_client_may_forbid_tools() -> None:
    tools = [{"name": "Read", "input_schema": READ.schema}]
    assert DIALECT.read(body(tools=tools)).tools
    assert not DIALECT.read(body(tools=tools, tool_choice={"type": "none"})).tools


@pytest.mark.parametrize("messages", [None, [], "hi", [{"role": "system", "content": "x"}]])
def test_without_a_message_there_is_no_answer(messages: object) -> None:
    with pytest.raises(Rejected) as rejected:
        DIALECT.read(body(messages=messages))
    assert rejected.value.failure.status == 400


def test_models() -> None:
    models = DIALECT.models(["a", "b"])
    assert [model["id"] for model in models["data"]] == ["a", "b"]
    assert (models["first_id"], models["last_id"], models["has_more"]) == ("a", "b", False)
