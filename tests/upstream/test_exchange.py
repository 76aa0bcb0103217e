"""Batching: few writes, no delay, and turns for the others."""

from __future__ import annotations

import asyncio
import json

import h11
import pytest

from mitmproxy_windsurf.upstream.exchange import (
    BATCH_BYTES,
    BATCH_FRAMES,
    Responder,
    error_json,
    json_bytes,
)


class FakeLink:
    def __init__(self) -> None:
        self.gone = False
        self.events: list[h11.Event] = []

    def put(self, event: h11.Event) -> None:
        self.events.append(event)

    async def room(self) -> None:
        pass

    def reset(self) -> None:
        self.gone = True

    @property
    def writes(self) -> list[bytes]:
        return [bytes(event.data) for event in self.events if isinstance(event, h11.Data)]


async def test_what_is_sent_between_two_turns_of_the_loop_is_one_write() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    for frame in (b"a", b"", b"b", b"c"):
        await responder.send(frame)
    assert link.writes == []
    await asyncio.sleep(0)
    assert link.writes == [b"abc"]


async def test_a_handler_that_pauses_has_sent_everything_by_then() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    await responder.send(b"a")
    await asyncio.sleep(0)
    await responder.send(b"b")
    await asyncio.sleep(0)
    assert link.writes == [b"a", b"b"]


async def test_a_long_burst_is_cut_into_batches_and_the_others_get_their_turn() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    turns: list[int] = []

    async def other() -> None:
        while True:
            turns.append(len(link.writes))
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    for _ in range(BATCH_FRAMES * 3):
        await responder.send(b"x")
    task.cancel()
    assert link.writes == [b"x" * BATCH_FRAMES] * 3
    assert turns == [1, 2, 3]


async def test_large_pieces_do_not_pile_up() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    await responder.send(b"x" * BATCH_BYTES)
    assert link.writes == [b"x" * BATCH_BYTES]


async def test_finishing_sends_the_rest_first() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    await responder.send(b"rest")
    await responder.finish()
    assert [type(event) for event in link.events] == [h11.Response, h11.Data, h11.EndOfMessage]


async def test_so_does_aborting() -> None:
    link = FakeLink()
    responder = Responder(link, "GET")
    await responder.start()
    await responder.send(b"rest")
    responder.abort()
    assert link.writes == [b"rest"]
    assert link.gone
    await asyncio.sleep(0)
    assert link.writes == [b"rest"]


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
async def test_some_answers_have_no_body(method: str, status: int) -> None:
    link = FakeLink()
    responder = Responder(link, method)
    await responder.start(status)
    await responder.send(b"body")
    await responder.finish()
    assert link.writes == []


async def test_a_second_head_is_an_error() -> None:
    responder = Responder(FakeLink(), "GET")
    await responder.start()
    with pytest.raises(RuntimeError):
        await responder.start()


async def test_a_whole_answer_tells_its_length_and_type() -> None:
    link = FakeLink()
    await Responder(link, "GET").respond_json(404, error_json("not_found_error", "Où?"))
    head = link.events[0]
    assert isinstance(head, h11.Response)
    body = json_bytes({"type": "error", "error": {"type": "not_found_error", "message": "Où?"}})
    assert list(head.headers) == [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    await asyncio.sleep(0)
    assert link.writes == [body]


def test_json_is_compact_and_survives_lone_surrogates() -> None:
    assert json_bytes({"a": ["é", 1]}) == '{"a":["é",1]}'.encode()
    assert json.loads(json_bytes(["é", "\ud800"])) == ["é", "\ud800"]
