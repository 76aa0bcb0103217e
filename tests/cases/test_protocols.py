"""Cases about the protocols themselves: what a client relies on beside the texts."""

import json
import re
from itertools import pairwise
from typing import Any

import pytest

import strategies
from casebook import case, covers
from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from mitmproxy_windsurf.text.paths import MARKER, PathStream
from responses_turn import Turn, numbers
from traffic import (
    CALL,
    MODEL,
    PRIVATE,
    Event,
    documents,
    each_protocol,
    render,
    rewrite,
    rewrite_whole,
    texts,
)


def blocks_are_paired(stream: bytes) -> None:
    """Anthropic: blocks open one after the other from 0, close, and get deltas only in between."""
    opened, current = 0, None
    for document in documents(stream):
        kind = document["type"]
        if kind == "content_block_start":
            assert (current, document["index"]) == (None, opened)
            current, opened = opened, opened + 1
        elif kind.startswith("content_block"):
            assert document["index"] == current
            current = None if kind == "content_block_stop" else current
    assert current is None
    assert documents(stream)[-1]["type"] == "message_stop"


@covers("X-01", "X-02")
def test_blocks_stay_paired_around_held_and_dropped_text() -> None:
    held: list[Event] = [{"text": "I am Casc"}, {"tool_call": CALL}, {"text": "at /tmp/win"}]
    dropped: list[Event] = [
        {"reasoning": "Plan A."},
        {"text": "Plan "},
        {"text": "A."},
        {"tool_result": "x"},
    ]
    for events in (held, dropped, dropped[:3]):
        stream = rewrite("anthropic", render("anthropic", events), want_thinking=True)
        blocks_are_paired(stream)
    assert texts("anthropic", stream, "text") == ""


@covers("X-04")
@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (
            ["I am Casc", "ade in ", PRIVATE, "/a, not /tmp/win"],
            f"I am {MODEL} in {MARKER}, not /tmp/win",
        ),
        (["Plan ", "A."], ""),
    ],
)
def test_all_that_is_told_of_a_text_agrees_with_its_deltas(pieces: list[str], wanted: str) -> None:
    turn = Turn().say("reasoning", ["Plan A."]).say("text", pieces)
    frames = [json.dumps(document).encode() for document in turn.complete()]
    stream = rewrite(
        "openai_responses", [b"data: %s\n\n" % frame for frame in frames], want_thinking=True
    )
    told = documents(stream)
    assert texts("openai_responses", stream, "text") == wanted
    assert numbers(told) == list(range(len(told)))
    [done] = [one["text"] for one in told if one["type"] == "response.output_text.done"]
    [_, part] = [one["part"] for one in told if one["type"].startswith("response.content_part.")]
    item = told[-2]["item"]
    completed = told[-1]["response"]["output"][1]
    assert done == part["text"] == item["content"][0]["text"] == wanted
    assert completed == item


@covers("X-03")
def test_a_signature_passes_in_its_place() -> None:
    def frame(kind: str, **members: Any) -> bytes:
        document = {"type": kind, "index": 0, **members}
        return f"event: {kind}\ndata: {json.dumps(document)}\n\n".encode()

    thinking = {"type": "thinking_delta", "thinking": f"see {PRIVATE}/a"}
    signature = frame("content_block_delta", delta={"type": "signature_delta", "signature": "c2"})
    stream = rewrite(
        "anthropic",
        [
            frame("content_block_start", content_block={"type": "thinking", "thinking": ""}),
            frame("content_block_delta", delta=thinking),
            signature,
            frame("content_block_stop"),
        ],
    )
    assert signature in stream
    assert stream.index(MARKER.encode()) < stream.index(signature)


@each_protocol
@covers("X-08")
def test_foreign_frames_pass_and_data_lines_join(protocol: str) -> None:
    foreign = b': keep-alive\n\nevent: made-up\nid: 7\ndata: {"type": "made-up"}\n\n'
    odd = case("X-08").input["sse"].encode()
    frames = render(protocol, [{"text": "plain"}])
    given = b"".join([frames[0], foreign, odd, *frames[1:]])
    assert rewrite(protocol, strategies.every(given, 3)) == given

    place, text = next(one for one in enumerate(frames) if b"plain" in one[1])
    two_lines = text.replace(b"plain", PRIVATE.encode()).replace(b', "', b',\ndata: "', 1)
    stream = rewrite(protocol, [*frames[:place], two_lines, *frames[place + 1 :]])
    assert texts(protocol, stream, "text") == MARKER


@each_protocol
@covers("X-09")
def test_bytes_are_joined_before_they_are_decoded(protocol: str) -> None:
    given = b"".join(render(protocol, [{"text": "I am Cascade 你好 👩🏽‍💻, /opt/windsurf/é!"}]))
    whole = rewrite(protocol, [given])
    assert texts(protocol, whole, "text") == f"I am {MODEL} 你好 👩🏽‍💻, {MARKER}!"
    for pieces in strategies.cuttings(given):
        assert rewrite(protocol, pieces) == whole


@covers("X-06")
@pytest.mark.parametrize(
    "args",
    [
        {"path": f"{PRIVATE}/a.py", "edits": [{"to": [f"{PRIVATE}/b", 7, None]}], "raw": True},
        f'{{"path": "{PRIVATE}/a.py", "edits": [',
        [PRIVATE],
        None,
    ],
)
def test_arguments_of_any_shape_are_scrubbed_and_stay(args: Any) -> None:
    part = {"functionCall": {"name": "Read", "args": args}, "thoughtSignature": PRIVATE}
    document = {"candidates": [{"content": {"parts": [part]}}]}
    wanted = re.sub(f"{PRIVATE}(/[.a-z]+)?", MARKER, json.dumps(args))
    for answer in (
        rewrite_whole("gemini", document),
        *documents(rewrite("gemini", [f"data: {json.dumps(document)}\r\n\r\n".encode()])),
    ):
        [found] = answer["candidates"][0]["content"]["parts"]
        assert json.dumps(found["functionCall"]["args"]) == wanted
        assert found["thoughtSignature"] == PRIVATE


@covers("X-07")
@pytest.mark.parametrize("separator", [b",", b"\n,\r\n"])
def test_an_array_stays_an_array(separator: bytes) -> None:
    events: list[Event] = [{"text": "see /opt/wind"}, {"text": "surf/a "}, {"text": "at /tmp/win"}]
    frames = render("gemini", events)
    elements = [json.dumps(document, indent=2).encode() for document in documents(b"".join(frames))]
    for count in (3, 4):  # the finish, which can take what is held, is missing and then there
        given = b"[" + separator.join(elements[:count]) + b"\n]\n"
        stream = rewrite("gemini", strategies.every(given, 5), content_type="application/json")
        told = [json.dumps(document) for document in json.loads(stream)]
        assert stream.startswith(b"[{")
        assert stream.endswith(b"}\n]\n")
        assert stream.count(separator + b"{") == len(told) - 1
        sse = b"".join(f"data: {one}\n\n".encode() for one in told)
        assert texts("gemini", sse, "text") == f"see {MARKER} at /tmp/win"
        calm = b"[" + separator.join([elements[3]] * 3) + b"]"
        assert rewrite("gemini", [calm], content_type="application/json") == calm


@each_protocol
def test_a_rewriter_can_be_dropped_at_any_time(protocol: str) -> None:
    frames = render(protocol, [{"text": "I am Casc"}, {"reasoning": "x"}, {"text": "ade /opt"}])
    for count in range(len(frames)):
        rewriter = ResponseRewriter(protocol, Layers(), model=MODEL, want_thinking=True)
        for frame in frames[:count]:
            rewriter.feed(frame)


@covers("X-13")
def test_a_near_miss_holds_no_more_than_a_root() -> None:
    """There is no timer: whatever is held in a pause is shorter than the longest root."""
    stream = PathStream()
    stream.feed("C:\\\\home\\\\user\\\\projects\\\\workspac")
    assert len(stream.held) <= 64


@covers("X-19")
def test_nothing_follows_the_finish() -> None:
    frames = render("openai_chat", [{"text": "at /tmp/win"}])
    stream = rewrite("openai_chat", frames)
    assert stream.endswith(b"".join(frames[-2:])), "usage and [DONE] are the same bytes"
    finished = [
        bool(choice["finish_reason"])
        for document in documents(stream)
        for choice in document["choices"]
    ]
    assert finished == sorted(finished)
    assert texts("openai_chat", stream, "text") == "at /tmp/win"
    for before, after in pairwise(documents(stream)):
        assert before["choices"] or not after["choices"]
