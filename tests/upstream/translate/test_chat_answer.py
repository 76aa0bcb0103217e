from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.answer import CallPart, TextPart, ThinkingPart
from mitmproxy_windsurf.upstream.translate.chat_answer import ChatAnswer, read_whole
from mitmproxy_windsurf.upstream.translate.model import (
    Failure,
    Finished,
    Json,
    Refusal,
    Started,
    Text,
    Thinking,
    Usage,
)
from strategies import cuttings, pieces
from upstream.translate.answers import (
    DONE,
    HEAD,
    answer_of,
    call,
    calls,
    chunk,
    frame,
    read,
    summary,
    whole,
    whole_answer,
)

STOP = chunk({}, "stop")
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def test_a_stream_becomes_events() -> None:
    frames = [chunk({"role": "assistant", "content": ""}), chunk({"content": "Hi"}), STOP]
    usage = frame({**HEAD, "choices": [], "usage": USAGE})
    assert read([*frames, usage, DONE]) == [
        Started("chatcmpl-1", "qwen3", 7),
        Text(0, "Hi"),
        Finished(0, "stop"),
        Usage(3, 2),
    ]


def test_text_comes_out_as_it_comes_in() -> None:
    answer = ChatAnswer()
    assert answer.feed(chunk({"content": "a"}))[1:] == [Text(0, "a")]
    assert answer.feed(chunk({"content": "b"})) == [Text(0, "b")]
    assert not answer.done
    answer.feed(STOP + DONE)
    assert answer.done


@pytest.mark.parametrize(
    "delta",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"text": "h"}, {"summary": "m"}, {"data": "gAAA"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": [{"type": "thinking", "thinking": "hm"}]},
        {"reasoning_content": "hm", "reasoning": "hm"},
        {"reasoning_content": "", "reasoning": "hm"},
    ],
)
def test_reasoning_goes_by_many_names(delta: Json) -> None:
    answer = answer_of(chunk(delta), chunk({"content": "yes"}, "stop"))
    assert answer.choices[0].parts == [ThinkingPart("hm"), TextPart("yes")]
    assert whole_answer(whole({"content": "yes", **delta})).choices[0].joined(ThinkingPart) == "hm"


def test_reasoning_is_not_repeated_from_details_that_come_later() -> None:
    details = {"reasoning": None, "reasoning_details": [{"text": "hm", "signature": "s"}]}
    answer = answer_of(chunk({"reasoning": "hm"}), chunk(details), STOP)
    assert answer.choices[0].joined(ThinkingPart) == "hm"


def test_mistral_switches_between_strings_and_arrays() -> None:
    parts = [{"type": "text", "text": "b"}, {"type": "reference", "reference_ids": [1]}, "c"]
    answer = answer_of(chunk({"content": "a"}), chunk({"content": parts}, "stop"))
    assert answer.choices[0].parts == [TextPart("abc")]


def test_text_on_the_chunk_that_ends_it_is_kept() -> None:
    assert answer_of(chunk({"content": "all"}, "stop")).choices[0].parts == [TextPart("all")]


def test_a_refusal() -> None:
    assert Refusal(0, "no") in read([chunk({"refusal": "no"}, "stop")])


def test_several_choices_are_kept_apart() -> None:
    frames = [chunk({"content": piece}, index=index) for piece in "ab" for index in (0, 1)]
    ends = [chunk({}, "stop", index=1), chunk({}, "length", index=0)]
    answer = answer_of(*frames, *ends)
    assert [choice.parts for choice in answer.choices.values()] == [[TextPart("ab")]] * 2
    assert answer.choices[0].finished == Finished(0, "length")
    assert answer_of(*frames, ends[0]).failure is not None


@pytest.mark.parametrize(
    ("told", "delta", "reason"),
    [
        ("stop", {}, "stop"),
        ("eos", {}, "stop"),
        ("length", {}, "length"),
        ("model_length", {}, "length"),
        ("content_filter", {}, "content_filter"),
        ("tool_calls", {}, "stop"),
        ("tool_calls", {"tool_calls": [call(0, "a", "f")]}, "tool_calls"),
        ("stop", {"tool_calls": [call(0, "a", "f")]}, "tool_calls"),
        ("function_call", {"function_call": {"name": "f", "arguments": "{}"}}, "tool_calls"),
        ("length", {"tool_calls": [call(0, "a", "f")]}, "length"),
    ],
)
def test_reasons(told: str, delta: Json, reason: str) -> None:
    assert Finished(0, reason) in read([chunk(delta, told)])  # type: ignore[arg-type]


@pytest.mark.parametrize("reason", ["error", "abort", "network_error"])
def test_some_reasons_are_failures(reason: str) -> None:
    events = read([chunk({"content": "a"}), chunk({}, reason), DONE])
    assert isinstance(events[-1], Failure)
    assert reason in events[-1].message


@pytest.mark.parametrize(
    "extra",
    [
        {"stop_reason": "END"},
        {"matched_stop": "END"},
        {"provider_specific_fields": {"stop_reason": "END"}},
    ],
)
def test_the_stop_sequence_is_told_where_the_backend_tells(extra: Json) -> None:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", **extra}
    assert Finished(0, "stop", "END") in read([frame({**HEAD, "choices": [choice]})])


def test_the_id_of_a_token_is_no_stop_sequence() -> None:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": 151645}
    assert Finished(0, "stop") in read([frame({**HEAD, "choices": [choice]})])


MESSAGE = {"message": "no", "type": "t", "code": 429}


@pytest.mark.parametrize(
    "error",
    [
        frame({"error": MESSAGE}),
        frame({"error": MESSAGE, **HEAD, "choices": [{"delta": {"content": ""}}]}),
        b"event: error\n" + frame({"error": MESSAGE}),
        b"event:error\r\n" + frame(MESSAGE),
        frame({"error": MESSAGE}).replace(b"data:", b"error:"),
        frame({"error": MESSAGE}) + DONE,
    ],
)
@pytest.mark.parametrize("ended", [b"", STOP], ids=["before the end", "after it"])
def test_errors_in_mid_stream(error: bytes, ended: bytes) -> None:
    start = chunk({"content": "a"})
    events = read([start + ended + error])
    assert events[1:] == [Text(0, "a"), Failure(429, "no", "t", "429")]
    assert read([error, start, STOP]) == [Failure(429, "no", "t", "429")]


def test_an_error_event_may_hold_plain_text() -> None:
    assert read([b"event: error\ndata: no more\n\n"]) == [Failure(502, "no more")]


@pytest.mark.parametrize("bad", [b"data: Internal Server Error\n\n", b"data: [1]\n\n"])
def test_what_is_no_json_object_is_a_failure(bad: bytes) -> None:
    events = read([chunk({"content": "a"}), bad, STOP])
    assert isinstance(events[-1], Failure)
    assert events[-1].status == 502


def test_an_event_beyond_the_limit_is_a_failure() -> None:
    events = read([b"data: " + b"x" * (9 * 1024 * 1024)])
    assert [type(event) for event in events] == [Failure]


@pytest.mark.parametrize("frames", [[], [chunk({"content": "a"})], [chunk({"content": "a"})[:-9]]])
def test_an_end_without_a_reason_is_a_failure(frames: list[bytes]) -> None:
    assert isinstance(read(frames)[-1], Failure)


def test_done_is_an_end_without_a_reason_too() -> None:
    assert Finished(0, "stop") in read([chunk({"content": "a"}), DONE])
    assert isinstance(read([DONE])[-1], Failure)


def test_a_reason_is_an_end_without_done_and_without_a_blank_line() -> None:
    assert Finished(0, "stop") in read([chunk({"content": "a"}), STOP.rstrip()])


def test_nothing_counts_after_done() -> None:
    after = frame({"choices": [], "cost": "0"}) + chunk({"content": "b"}) + frame({"error": "no"})
    assert read([chunk({"content": "a"}, "stop") + DONE + after])[1:] == [
        Text(0, "a"),
        Finished(0, "stop"),
    ]


def test_a_connection_that_breaks_gives_the_held_text_and_no_end() -> None:
    answer = ChatAnswer(think_tags=True)
    answer.feed(chunk({"content": "<think>a</th"}) + b"data: {")
    assert answer.release() == [Thinking(0, "</th")]
    assert answer.flush() == []


def test_a_completion_whole_as_the_one_event_of_a_stream() -> None:
    assert answer_of(frame(whole({"content": "all"})), DONE).choices[0].parts == [TextPart("all")]


@pytest.mark.parametrize("document", [{}, {"choices": []}, [], None, {"choices": [None]}])
def test_a_completion_without_an_answer_is_a_failure(document: Any) -> None:
    [failure] = read_whole(document)
    assert isinstance(failure, Failure)


def test_an_error_in_place_of_a_completion() -> None:
    assert read_whole({"error": {"message": "no", "code": 503}}) == [Failure(503, "no", code="503")]


def test_think_tags_are_text_unless_asked_for() -> None:
    frames = chunk({"content": "<think>hm</think>"}), chunk({"content": "yes"}, "stop")
    assert answer_of(*frames).choices[0].parts == [TextPart("<think>hm</think>yes")]
    asked = answer_of(*frames, think_tags=True).choices[0].parts
    assert asked == [ThinkingPart("hm"), TextPart("yes")]


def test_think_tags_are_text_where_reasoning_comes_by_itself() -> None:
    frames = chunk({"reasoning": "hm"}), chunk({"content": "<think> is a tag"}, "stop")
    parts = answer_of(*frames, think_tags=True).choices[0].parts
    assert parts == [ThinkingPart("hm"), TextPart("<think> is a tag")]


def test_odd_shapes_are_passed_over() -> None:
    odd = {"index": "x", "delta": {"content": 1, "tool_calls": {}, "refusal": None}}
    message = [{**odd, "delta": None}, 7, odd, {"index": 0, "delta": {"tool_calls": [1, {}]}}]
    events = read([frame({"choices": message, "usage": []}), frame({"choices": None}), STOP, DONE])
    assert isinstance(events[0], Started)
    assert {type(event) for event in events[1:]} == {Finished}


STREAM = b"".join(
    [
        b": OPENROUTER PROCESSING\n\n",
        chunk({"reasoning": "日本"}),
        chunk({"content": "😀 "}).replace(b"\n", b"\r\n"),
        b"id: 1\r\n" + chunk({"content": "b"}).replace(b"data: ", b"data:"),
        calls(call(0, "a", "f", arguments='{"x"')).replace(b"\n", b"\r"),
        calls(call(0, arguments=':"é\\""}'), reason="tool_calls"),
        b"data:\n\n",
        frame({**HEAD, "choices": [], "usage": USAGE}),
        DONE,
    ]
)


def test_chunk_invariance() -> None:
    events = read([STREAM])
    assert CallPart(0, "a", "f", '{"x":"é\\""}') in answer_of(STREAM).choices[0].parts
    for cut in cuttings(STREAM):
        assert read(cut) == events


texts = st.text(st.sampled_from("<think>/\n 日😀"), max_size=12)
deltas = st.fixed_dictionaries(
    {}, optional={"content": texts, "reasoning_content": texts, "refusal": texts}
)
made_calls = st.lists(
    st.tuples(st.sampled_from(["f", "g"]), st.dictionaries(st.sampled_from("xy"), texts)),
    max_size=3,
)


@given(st.lists(deltas, max_size=6), made_calls, st.booleans(), st.data())
def test_streamed_and_whole_are_equal(
    said: list[Json], functions: list[tuple[str, Json]], tags: bool, data: st.DataObject
) -> None:
    frames = [chunk(delta) for delta in said]
    message: Json = {}
    for delta in said:
        for name, text in delta.items():
            message[name] = message.get(name, "") + text
    if "reasoning_content" in message:
        tags = False  # in a stream a tag may stand before it
    for index, (name, arguments) in enumerate(functions):
        made = call(index, f"id{index}", name, arguments=json.dumps(arguments))
        frames += [calls(part) for part in halves(made)]
        message.setdefault("tool_calls", []).append(
            {key: value for key, value in made.items() if key != "index"}
        )
    stream = b"".join([*frames, chunk({}, "stop"), DONE])
    streamed = answer_of(*data.draw(pieces(stream)), think_tags=tags)
    assert summary(streamed) == summary(whole_answer(whole(message), think_tags=tags))


def halves(made: Json) -> tuple[Json, Json]:
    """A call in two fragments."""
    function, arguments = made["function"], made["function"]["arguments"]
    middle = len(arguments) // 2
    first = {**made, "function": {**function, "arguments": arguments[:middle]}}
    return first, {"index": made["index"], "function": {"arguments": arguments[middle:]}}
