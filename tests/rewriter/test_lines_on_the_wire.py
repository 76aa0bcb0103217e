"""Answers of Ollama on their way, line by line."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, ResponseRewriter
from playbook import ABORT, END, MODEL, PRIVATE, Json, run
from playbook import End as Ending
from strategies import every


def line(done: bool = False, **message: Any) -> Json:
    said = {"role": "assistant", "content": "", **message}
    return {"model": "m", "created_at": "now", "message": said, "done": done}


def told(*lines: Json, end: Ending = END, raw_end: bytes = b"", **asked: Any) -> list[Json]:
    """What comes out, the same for each way of cutting."""
    body = b"".join(json.dumps(one).encode() + b"\n" for one in lines) + raw_end
    outputs = []
    for chunks in ([body], every(body, 1), every(body, 50)):
        options = {"want_thinking": False, "content_type": "application/x-ndjson", **asked}
        rewriter = ResponseRewriter("ollama", Layers(), model=MODEL, **options)
        outputs.append(run(rewriter, chunks, end))
    assert outputs[0] == outputs[1] == outputs[2]
    return [json.loads(one) for one in outputs[0].removesuffix(raw_end).splitlines()]


def test_held_text_rides_in_the_line_that_is_done() -> None:
    assert told(line(content=f"{PRIVATE}, I am Cas"), line(done=True)) == [
        line(content="<workspace>, I am "),
        line(done=True, content="Cas"),
    ]


def test_held_text_rides_in_the_line_of_a_call() -> None:
    call = {"function": {"name": "f", "arguments": {"p": f"{PRIVATE}/a", "n": 1.5}}}
    clean = {"function": {"name": "f", "arguments": {"p": "<workspace>", "n": 1.5}}}
    assert told(line(content="I am Cas"), line(tool_calls=[call]), line(done=True)) == [
        line(content="I am "),
        line(content="Cas", tool_calls=[clean]),
        line(done=True),
    ]


def test_held_thinking_gets_a_line_of_its_own() -> None:
    assert told(line(thinking=f"{PRIVATE}, I am Cas"), line(content="Hi"), line(done=True)) == [
        line(thinking="<workspace>, I am "),
        line(thinking="Cas"),
        line(content="Hi"),
        line(done=True),
    ]


def test_an_error_is_scrubbed_and_comes_behind_what_was_held() -> None:
    lines: list[Json] = [line(content=f"{PRIVATE}, I am Cas"), {"error": f"no {PRIVATE}/a"}]
    assert told(*lines) == [
        line(content="<workspace>, I am "),
        line(content="Cas"),
        {"error": "no <workspace>"},
    ]


@pytest.mark.parametrize("end", [END, ABORT])
def test_a_stream_that_is_not_done_gives_back_what_was_held(end: Ending) -> None:
    cut = b'{"model":' if end is ABORT else b""
    assert told(line(content=f"{PRIVATE}, I am Cas"), end=end, raw_end=cut) == [
        line(content="<workspace>, I am "),
        line(content="Cas"),
    ]


def test_an_answer_that_repeats_the_thinking_is_dropped() -> None:
    lines = [line(thinking="Plan A."), line(content="Plan "), line(content="A."), line(done=True)]
    dropped = [line(thinking="Plan A."), line(), line(), line(done=True)]
    assert told(*lines, want_thinking=True) == dropped
    assert told(*lines) == lines


def test_a_text_without_a_message_is_answered_without_one() -> None:
    lines: list[Json] = [
        {"model": "m", "response": f"{PRIVATE}, I am Cas", "done": False},
        {"error": "x"},
    ]
    assert told(*lines) == [
        {"model": "m", "response": "<workspace>, I am ", "done": False},
        {"model": "m", "response": "Cas", "done": False},
        {"error": "x"},
    ]
