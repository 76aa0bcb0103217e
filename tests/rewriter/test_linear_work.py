"""The law linear_work: twice the answer is twice the calls, whatever it is made of."""

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from playbook import COMMENT, MODEL, PING, PRIVATE, chunk, chunks, delta, event, start
from strategies import every

Make = Callable[[int], Iterable[bytes]]


def repeated(reasoning: bytes, answer: bytes) -> Make:
    return lambda count: [reasoning] * count + [answer] * count


def one_event(count: int) -> Iterable[bytes]:
    return every(chunk(content="word " * count), 1)


def many_lines(count: int) -> Iterable[bytes]:
    return [b'data: {"choices": [\n', *[b"data: \n"] * count, b"data: ]}\n\n"]


def many_choices(count: int) -> Iterable[bytes]:
    return [chunk(index % 20, content="/op") for index in range(count)]


def many_blocks(count: int) -> Iterable[bytes]:
    return [delta(index % 200, text="/op") for index in range(count)]


CHAT: dict[str, Make] = {
    "prose": lambda count: [chunk(content="word, ")] * count,
    "paths": lambda count: [chunk(content=f"{PRIVATE}/a.py: ")] * count,
    "near misses": lambda count: [chunk(content="/opt/wind")] * count,
    "one event, byte by byte": one_event,
    "one event of many lines": many_lines,
    "repeated reasoning": repeated(chunk(reasoning="Plan"), chunk(content="Plan")),
    "channels in turn": lambda count: [chunk(content="/op"), chunk(reasoning="/op")] * count,
    "choices in turn": many_choices,
    "an event that waits": lambda count: [chunk(content="/op")] + [COMMENT] * count,
    "blanks at first": lambda count: [b"\n"] * count,
    "arguments": lambda count: [
        chunk(tool_calls=[{"index": 0, "function": {"arguments": piece}}])
        for piece in every('{"p": "' + "\\/op" * count, 3)
    ],
    "parallel calls": lambda count: [
        chunk(tool_calls=[{"index": index % 8, "function": {"arguments": '"/op'}}])
        for index in range(count)
    ],
    "chunks of many choices": lambda count: [
        chunks(*({"index": index, "delta": {"content": "/"}} for index in range(count)))
    ],
    "unreadable": lambda count: [b"data: {\n\n"] * count,
    "an error": lambda count: [event({"error": [PRIVATE] * count})],
}

MESSAGES: dict[str, Make] = {
    "prose": lambda count: [delta(0, text="word, ")] * count,
    "blocks that stay open": many_blocks,
    "pings": lambda count: [delta(0, text="/op")] + [PING] * count,
    "signed thinking": lambda count: (
        [delta(0, thinking=f"{PRIVATE} ")] * count + [delta(0, signature="x")]
    ),
    "a filled call": lambda count: [start(0, "tool_use", input=[f"{PRIVATE}"] * count)],
    "whole": lambda count: [
        b'{"content": [%b]}' % b", ".join([b'{"type": "text", "text": "/op"}'] * count)
    ],
}


def work(action: Callable[[], object]) -> int:
    """How many calls, of Python and of C, it takes."""
    calls = 0

    def count(frame: FrameType, kind: str, argument: Any) -> None:
        nonlocal calls
        calls += kind in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls


def answer(protocol: str, stream: Iterable[bytes]) -> int:
    rewriter = ResponseRewriter(protocol, Layers(), model=MODEL, want_thinking=True)

    def action() -> None:
        for piece in stream:
            rewriter.feed(piece)
        rewriter.flush()

    return work(action)


SIZE = 300


@pytest.mark.parametrize("name", CHAT)
def test_linear_work_on_chunks(name: str) -> None:
    short, long = (answer("openai_chat", CHAT[name](size)) for size in (SIZE, 2 * SIZE))
    assert long < 2.2 * short


@pytest.mark.parametrize("name", MESSAGES)
def test_linear_work_on_messages(name: str) -> None:
    short, long = (answer("anthropic", MESSAGES[name](size)) for size in (SIZE, 2 * SIZE))
    assert long < 2.2 * short


@pytest.mark.parametrize(
    "body",
    [
        lambda count: {
            "system": [{"type": "text", "text": "x-anthropic-billing-header: a;"}] * count
        },
        lambda count: {"system": "You are Claude Code.\n" * count},
        lambda count: {"messages": [{"role": "system", "content": "Be brief."}] * count},
        lambda count: {"tools": [{"name": "t", "description": "A FREEFORM tool."}] * count},
        lambda count: {"messages": [{"role": "user", "content": "Be brief."}] * count},
    ],
)
def test_linear_work_on_requests(body: Any) -> None:
    def rewritten(size: int) -> int:
        given = event(body(size)).removeprefix(b"data: ")
        return work(lambda: RequestRewriter("anthropic", Layers()).rewrite(given))

    rewritten(1)  # the rules are loaded on first use
    assert rewritten(2 * SIZE) < 2.2 * rewritten(SIZE)
