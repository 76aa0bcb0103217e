from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter.signatures import is_signature
from mitmproxy_windsurf.upstream.translate.anthropic import AnthropicDialect
from mitmproxy_windsurf.upstream.translate.anthropic_stream import AnthropicStream
from mitmproxy_windsurf.upstream.translate.model import (
    Arguments,
    Asked,
    ChatRequest,
    Event,
    Failure,
    Finished,
    FinishReason,
    Json,
    Refusal,
    Started,
    Text,
    Thinking,
    ToolCall,
    Usage,
)
from upstream.demo.streams import anthropic_message
from upstream.translate.answers import frames_of

STARTED = Started("chatcmpl-1", "qwen3", 7)
STOP = Finished(0, "stop")


def written(events: Sequence[Event], stops: Sequence[str] = ()) -> bytes:
    stream = AnthropicStream("claude", stops)
    return b"".join(map(stream.feed, events)) + stream.end()


def names(data: bytes) -> list[str]:
    """The events by name and block, as in "delta 0"."""
    short = {"content_block_start": "start", "content_block_delta": "delta"}
    short["content_block_stop"] = "stop"
    found = []
    for name, event in frames_of(data):
        assert name is not None
        assert name == event["type"]
        index = f" {event['index']}" if "index" in event else ""
        found.append(short.get(name, name) + index)
    return found


def whole(events: Sequence[Event], stops: Sequence[str] = ()) -> Json:
    asked = Asked({"model": "claude", "stop_sequences": list(stops)})
    return AnthropicDialect().whole(asked, ChatRequest({}), events)


def test_a_message_frame_by_frame() -> None:
    events: list[Event] = [
        STARTED,
        Thinking(0, "hm"),
        Text(0, "a"),
        Text(0, "b"),
        STOP,
        Usage(9, 4, 6, 1),
    ]
    stream = AnthropicStream("claude", ())
    assert names(stream.feed(events[0])) == ["message_start"]
    assert names(stream.feed(events[1])) == ["start 0", "delta 0"]
    assert names(stream.feed(events[2])) == ["delta 0", "stop 0", "start 1", "delta 1"]
    assert names(stream.feed(events[3])) == ["delta 1"]
    assert stream.feed(events[4]) == stream.feed(events[5]) == b""
    assert names(stream.end()) == ["stop 1", "message_delta", "message_stop"]


def test_the_message_that_a_stream_amounts_to() -> None:
    events: list[Event] = [
        STARTED,
        Thinking(0, "hm"),
        Text(0, "a"),
        ToolCall(0, 0, "t", "read"),
        Arguments(0, 0, '{"p"'),
        Arguments(0, 0, ":1}"),
        Finished(0, "tool_calls"),
        Usage(9, 4, 6, 1),
    ]
    assert anthropic_message(written(events)) == {
        "id": "msg_chatcmpl-1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "0" * 32},
            {"type": "text", "text": "a"},
            {"type": "tool_use", "id": "t", "name": "read", "input": {"p": 1}},
        ],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 3,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 6,
            "output_tokens": 4,
            "output_tokens_details": {"thinking_tokens": 1},
        },
    }


def test_thinking_has_a_signature_that_binds_nobody() -> None:
    [block] = anthropic_message(written([STARTED, Thinking(0, "hm"), STOP]))["content"]
    assert block["signature"]
    assert not is_signature(block["signature"])


def test_a_call_is_streamed_as_it_comes_and_closed_when_another_begins() -> None:
    stream = AnthropicStream("claude", ())
    assert names(stream.feed(ToolCall(0, 0, "a", "f"))) == ["start 0"]
    assert names(stream.feed(Arguments(0, 0, '{"x":'))) == ["delta 0"]
    assert names(stream.feed(Arguments(0, 0, "1}"))) == ["delta 0"]
    assert names(stream.feed(ToolCall(0, 1, "b", "f"))) == ["stop 0", "start 1"]


def test_fragments_of_parallel_calls_wait_for_their_turn() -> None:
    stream = AnthropicStream("claude", ())
    stream.feed(ToolCall(0, 0, "a", "f"))
    stream.feed(Arguments(0, 0, '{"x":'))
    for event in (ToolCall(0, 1, "b", "f"), Arguments(0, 1, '{"y":'), Text(0, "after")):
        assert stream.feed(event) == b""
    assert names(stream.feed(Arguments(0, 0, "1}"))) == ["delta 0", "stop 0", "start 1", "delta 1"]
    assert names(stream.feed(Arguments(0, 1, "2}"))) == ["delta 1", "stop 1", "start 2", "delta 2"]


def test_calls_without_arguments_are_told_in_the_end() -> None:
    events: list[Event] = [
        ToolCall(0, 0, "a", "f"),
        ToolCall(0, 1, "b", "g"),
        Finished(0, "tool_calls"),
    ]
    content = anthropic_message(written([STARTED, *events]))["content"]
    assert [(block["id"], block["input"]) for block in content] == [("a", {}), ("b", {})]


@pytest.mark.parametrize(
    ("finished", "reason", "stop"),
    [
        (STOP, "end_turn", None),
        (Finished(0, "length"), "max_tokens", None),
        (Finished(0, "tool_calls"), "tool_use", None),
        (Finished(0, "content_filter"), "refusal", None),
        (Finished(0, "stop", "END"), "stop_sequence", "END"),
        (Finished(0, "stop", "</s>"), "end_turn", None),
    ],
)
def test_why_it_stopped(finished: Finished, reason: str, stop: str | None) -> None:
    events: list[Event] = [STARTED, Text(0, "a"), finished]
    for message in (anthropic_message(written(events, ["END"])), whole(events, ["END"])):
        assert (message["stop_reason"], message["stop_sequence"]) == (reason, stop)


def test_a_refusal_is_text_and_the_reason() -> None:
    events: list[Event] = [STARTED, Refusal(0, "I "), Refusal(0, "can't."), STOP]
    for message in (anthropic_message(written(events)), whole(events)):
        assert message["content"] == [{"type": "text", "text": "I can't."}]
        assert message["stop_reason"] == "refusal"


def test_a_failure_ends_the_stream_with_an_error_and_no_call_that_is_cut() -> None:
    stream = AnthropicStream("claude", ())
    for event in (STARTED, ToolCall(0, 0, "a", "f"), Arguments(0, 0, "{"), Text(0, "b")):
        stream.feed(event)
    assert frames_of(stream.feed(Failure(529, "busy"))) == [
        (
            "error",
            {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}},
        )
    ]


def test_only_one_answer_is_told() -> None:
    events: list[Event] = [STARTED, Text(0, "a"), Text(1, "b"), Finished(1, "length"), STOP]
    for message in (anthropic_message(written(events)), whole(events)):
        assert [block["text"] for block in message["content"]] == ["a"]
        assert message["stop_reason"] == "end_turn"


def test_an_empty_answer_has_no_blocks() -> None:
    events: list[Event] = [STARTED, STOP]
    assert names(written(events)) == ["message_start", "message_delta", "message_stop"]
    assert whole(events)["content"] == []


@pytest.mark.parametrize("arguments", ['{"note": "The', "[1]", "oops"])
def test_an_input_that_is_no_object_is_kept_as_text(arguments: str) -> None:
    events: list[Event] = [
        STARTED,
        ToolCall(0, 0, "a", "f"),
        Arguments(0, 0, arguments),
        Finished(0, "length"),
    ]
    [block] = whole(events)["content"]
    assert block["input"] == {"INVALID_JSON": arguments}
    deltas = [event["delta"] for _, event in frames_of(written(events)) if "delta" in event]
    assert deltas[:-1] == [{"type": "input_json_delta", "partial_json": arguments}]


def test_a_message_without_an_id_gets_one() -> None:
    ids = {whole([Started("", "", 0), STOP])["id"] for _ in range(2)}
    assert len(ids) == 2
    assert all(id.startswith("msg_") for id in ids)


texts = st.text(min_size=1, max_size=4)
said = st.one_of(
    st.builds(Text, st.just(0), texts),
    st.builds(Thinking, st.just(0), texts),
    st.builds(Refusal, st.just(0), texts),
)
inputs = st.lists(st.dictionaries(texts, texts, max_size=2), max_size=3)
reasons: st.SearchStrategy[FinishReason] = st.sampled_from(["stop", "length", "tool_calls"])


@st.composite
def answers(draw: st.DrawFn) -> list[Event]:
    """Answers in which fragments of calls come in any order that keeps each call's own."""
    queues: list[list[Event]] = [draw(st.lists(said, max_size=4))]
    for index, value in enumerate(draw(inputs)):
        text = json.dumps(value, ensure_ascii=False)
        queues.append([ToolCall(0, index, f"t{index}", "f"), *fragments(draw, index, text)])
    events: list[Event] = [STARTED]
    begun = 1
    while any(queues):
        order = [i for i, queue in enumerate(queues) if queue and i <= begun]
        chosen = draw(st.sampled_from(order))
        begun = max(begun, chosen + 1)
        events.append(queues[chosen].pop(0))
    return [*events, Finished(0, draw(reasons)), Usage(5, 3, 2)]


def fragments(draw: st.DrawFn, index: int, text: str) -> list[Event]:
    middle = draw(st.integers(0, len(text)))
    return [Arguments(0, index, piece) for piece in (text[:middle], text[middle:]) if piece]


@given(answers())
def test_streamed_and_whole_are_the_same_message(events: list[Event]) -> None:
    stream = written(events)
    blocks = [name for name in names(stream) if " " in name and not name.startswith("delta")]
    count = len(blocks) // 2
    assert blocks == [f"{edge} {index}" for index in range(count) for edge in ("start", "stop")]
    assert anthropic_message(stream) == whole(events)
