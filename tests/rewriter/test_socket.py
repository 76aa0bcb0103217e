"""A socket says what a stream of events would say, message for message."""

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

import leaks
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.rewriter.socket import SocketRewriter
from playbook import MODEL, run
from recordings import CORPUS, RECORDINGS, Recording

RESPONSES = [one for one in RECORDINGS if one.protocol == "openai_responses" and one.streamed]
RECORDED = sorted(Path(CORPUS).glob("openai-responses-ws/*.jsonl")) if CORPUS else []
FINGERPRINT = "You are Claude Code, Anthropic's official CLI for Claude."


def socket(layers: Layers | None = None, **asked: object) -> SocketRewriter:
    rewriter = SocketRewriter("openai_responses", layers or Layers())
    rewriter.from_client(json.dumps({"type": "response.create", "model": MODEL, **asked}))
    return rewriter


def down(rewriter: SocketRewriter, messages: Iterable[str]) -> list[str]:
    return [out for message in messages for out in rewriter.from_server(message)]


def messages_of(recording: Recording, data: bytes) -> list[str]:
    found = [frame.data.decode() for frame in recording.frames(data) if frame.spans]
    return [text for text in found if text.startswith("{")]


@pytest.mark.parametrize("recording", RESPONSES, ids=lambda one: one.name)
def test_a_stream_and_a_socket_say_the_same(recording: Recording) -> None:
    leaky = leaks.with_leaks(recording).data
    streamed = messages_of(recording, run(recording.rewriter(), [leaky]))
    rewriter = socket()
    came = down(rewriter, messages_of(recording, leaky))
    assert came + rewriter.release() == streamed


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_messages_pass(path: Path) -> None:
    messages = path.read_text("utf-8").splitlines()
    for layers in (Layers(), Layers(neutralize=False, paths=False, identity=False, dedup=False)):
        rewriter = socket(layers, reasoning={"summary": "auto"})
        assert down(rewriter, messages) == messages
        assert rewriter.release() == []


def created(**more: object) -> str:
    return json.dumps({"type": "response.created", "response": {"output": []}, **more})


def delta(text: str, **more: object) -> str:
    place = {"output_index": 0, "content_index": 0, "item_id": "msg_1"}
    return json.dumps({"type": "response.output_text.delta", **place, "delta": text, **more})


def completed(**more: object) -> str:
    return json.dumps({"type": "response.completed", "response": {"output": []}, **more})


def test_each_answer_is_for_the_model_that_was_asked_for() -> None:
    rewriter = socket(stream_id="a")
    rewriter.from_client('{"type":"response.create","model":"gpt-5.5","stream_id":"b"}')
    rewriter.from_client('{"type":"response.create","stream_id":"b"}')
    said = [
        "".join(down(rewriter, [created(stream_id=lane), delta("I am Cascade.", stream_id=lane)]))
        for lane in "ab"
    ]
    assert MODEL in said[0]
    assert "gpt-5.5" in said[1]
    down(rewriter, [completed(stream_id="b")])
    again = down(rewriter, [created(stream_id="b"), delta("I am Cascade.", stream_id="b")])
    assert "gpt-5.5" in again[-1]


def test_what_is_news_is_told_once() -> None:
    rewriter = socket(instructions=FINGERPRINT)
    news = rewriter.take_news()
    assert news is not None
    assert news.request_edits
    assert rewriter.take_news() is None
    down(rewriter, [created(), delta("see /opt/windsurf/a ")])
    assert rewriter.take_news() is None, "the answer is not over"
    down(rewriter, [completed()])
    news = rewriter.take_news()
    assert news is not None
    assert [edit.layer for edit in news.response_edits] == ["paths"]
    assert news.request_edits == []


def test_an_answer_that_never_ends_makes_way_for_the_next_one() -> None:
    rewriter = socket()
    rewriter.from_client('{"type":"response.create","model":"m"}')
    assert down(rewriter, [created(), delta("/opt/wind")]) == [created()]
    held, begun = down(rewriter, [created()])
    assert json.loads(held)["delta"] == "/opt/wind"
    assert begun == created()


def test_more_lanes_than_there_is_room_for() -> None:
    rewriter = socket()
    lanes = [f"lane {number}" for number in range(70)]
    out = down(rewriter, [delta("/opt/", stream_id=lane) for lane in lanes])
    out += rewriter.release()
    assert sorted(json.loads(message)["stream_id"] for message in out) == sorted(lanes)
    assert all(json.loads(message)["delta"] == "/opt/" for message in out)


@pytest.mark.parametrize("message", ["", "null", "[1]", '"x"', "{", '{"type": 3, "stream_id": []}'])
def test_anything_else_passes(message: str) -> None:
    rewriter = socket()
    assert rewriter.from_client(message) == message
    assert down(rewriter, [message]) == [message]
