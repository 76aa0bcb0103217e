"""The table of what is held, what goes out and what is dropped; then the laws.

The collected cases run in `test_cases`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.text import dedup
from mitmproxy_windsurf.text.dedup import LIMIT, ReasoningDedup
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.transform import Transform, rewrite
from strategies import cuttings, every, pieces

Event = tuple[Literal["r", "c"], str]
"""A piece of reasoning or of content."""


def after(reasoning: str, *, want_thinking: bool = True, limit: int = LIMIT) -> ReasoningDedup:
    layer = ReasoningDedup(want_thinking=want_thinking, limit=limit)
    layer.note_reasoning(reasoning)
    return layer


def play(layer: ReasoningDedup, events: Iterable[Event]) -> str:
    out = ""
    for channel, text in events:
        if channel == "r":
            layer.note_reasoning(text)
        else:
            out += layer.feed(text)
    return out


def content(events: Iterable[Event]) -> str:
    return "".join(text for channel, text in events if channel == "c")


# The table, row by row.
def test_equal_and_thinking_wanted_is_held_and_dropped() -> None:
    for chunks in cuttings("Plan A, then B."):
        layer = after("Plan A, then B.")
        assert [layer.feed(chunk) for chunk in chunks] == [""] * len(chunks)
        assert layer.held == "Plan A, then B."
        assert (layer.duplicate, layer.suppressed) == (True, False)
        assert layer.settle() == ""
        assert (layer.duplicate, layer.suppressed) == (False, True)
        assert layer.held == ""


def test_equal_and_thinking_not_wanted_goes_out_at_once() -> None:
    layer = after("Plan A.", want_thinking=False)
    assert [layer.feed(chunk) for chunk in ("Plan", " A.")] == ["Plan", " A."]
    assert layer.held == layer.settle() == ""
    assert not layer.suppressed


def test_strict_prefix_goes_out_at_the_end() -> None:
    layer = after("Rome, I believe.")
    assert layer.feed("Rome") == ""
    assert not layer.duplicate
    assert layer.settle() == "Rome"
    assert not layer.suppressed


def test_difference_releases_everything_in_that_frame() -> None:
    layer = after("pqrst")
    assert [layer.feed(c) for c in ("pq", "r", "sZ then", "pqrst")] == [
        "",
        "",
        "pqrsZ then",
        "pqrst",
    ]
    assert layer.settle() == ""
    assert not layer.suppressed


def test_reasoning_shorter_than_content_is_held_until_it_runs_out() -> None:
    layer = after("abc")
    assert [layer.feed(chunk) for chunk in ("ab", "c", "d", "e")] == ["", "", "abcd", "e"]
    assert after("abc").feed("abcd") == "abcd"


def test_error_or_abort_gives_back_what_is_held() -> None:
    for text in ("ab", "abc"):
        layer = after("abc")
        assert layer.feed(text) == ""
        assert layer.release() == text
        assert not layer.suppressed
        assert layer.edits == []
        assert layer.settle() == layer.release() == ""


def test_no_reasoning_passes_through() -> None:
    for reasoning in ((), ("", "")):
        layer = ReasoningDedup(want_thinking=True)
        for text in reasoning:
            layer.note_reasoning(text)
        assert layer.feed("good") == "good"
        assert layer.feed(" day") == " day"
        assert layer.settle() == ""
        assert not layer.suppressed


# What the table leaves open.
def test_reasoning_that_grows_after_the_content_makes_it_a_prefix() -> None:
    layer = after("AB")
    assert play(layer, [("c", "AB"), ("r", " and more")]) == ""
    assert layer.held == "AB"
    assert layer.settle() == "AB"
    assert not layer.suppressed


def test_interleaved_content_that_stays_behind_is_compared() -> None:
    layer = ReasoningDedup(want_thinking=True)
    assert play(layer, [("r", "Plan "), ("c", "Plan "), ("r", "A."), ("c", "A.")]) == ""
    assert layer.settle() == ""
    assert layer.suppressed


def test_interleaved_content_that_overtakes_ends_the_comparison() -> None:
    layer = ReasoningDedup(want_thinking=True)
    assert play(layer, [("r", "Plan "), ("c", "Plan A"), ("r", "A."), ("c", ".")]) == "Plan A."
    assert layer.settle() == ""


def test_content_before_any_reasoning_ends_the_comparison() -> None:
    layer = ReasoningDedup(want_thinking=True)
    assert play(layer, [("c", "So: "), ("r", "42"), ("c", "42")]) == "So: 42"
    assert not layer.suppressed


def test_tool_call_gives_back_what_is_held_and_ends_the_comparison() -> None:
    layer = after("Look first.")
    assert layer.feed("Look") == ""
    assert layer.release() == "Look"
    assert layer.feed(" first.") == " first."
    layer.note_reasoning("more")
    assert layer.feed("Look first.") == "Look first."


def test_empty_deltas_change_nothing() -> None:
    layer = ReasoningDedup(want_thinking=True)
    events: list[Event] = [("c", ""), ("r", ""), ("c", ""), ("r", "a"), ("c", ""), ("c", "a")]
    assert play(layer, [*events, ("r", ""), ("c", "")]) == ""
    assert layer.settle() == ""
    assert layer.suppressed


def test_feed_after_settle_passes_through() -> None:
    for text in ("ab", "a"):
        layer = after("ab")
        layer.feed(text)
        layer.settle()
        suppressed = layer.suppressed
        layer.note_reasoning("ab")
        assert layer.feed("ab") == "ab"
        assert layer.settle() == ""
        assert layer.suppressed is suppressed


def test_nothing_said_is_nothing_suppressed() -> None:
    layer = after("Plan A.")
    assert not layer.duplicate
    assert layer.settle() == ""
    assert not layer.suppressed
    assert layer.edits == []


def test_bytes_count_not_looks() -> None:
    for text in (" a", "a ", "\n\na", "A", "a\r\n", "à"):
        assert rewrite(after("a"), text) == text
    assert rewrite(after("a\r\n\x00\x85\u2028 é"), "a\r\n\x00\x85\u2028 é") == ""


def test_a_short_duplicate_is_a_duplicate() -> None:
    assert rewrite(after("42"), "42") == ""


def test_limit_on_the_reasoning() -> None:
    at_limit = after("abcd", limit=4)
    assert rewrite(at_limit, "abcd") == ""
    assert at_limit.suppressed
    over = after("abcde", limit=4)
    assert over.held == ""
    assert over.feed("abcde") == "abcde"


@pytest.mark.parametrize("verb", ["feed", "settle", "release"])
def test_over_the_limit_what_is_held_goes_out_next(verb: str) -> None:
    layer = after("abc", limit=4)
    assert play(layer, [("c", "abc"), ("r", "de"), ("r", "f"), ("c", "")]) == ""
    assert layer.held == "abc"
    assert not layer.duplicate
    out = layer.feed("de") if verb == "feed" else str(getattr(layer, verb)())
    assert out == ("abcde" if verb == "feed" else "abc")
    assert layer.held == layer.settle() == ""
    assert not layer.suppressed


def test_the_limit_is_a_mebi_of_characters() -> None:
    text = "长" * LIMIT
    assert rewrite(after(text), text) == ""
    assert rewrite(after(text + "."), text + ".") == text + "."
    assert rewrite(after(text + "TAIL"), text) == text


def test_edit_tells_what_was_dropped() -> None:
    layer = after("Plan A.")
    rewrite(layer, "Plan A.")
    assert layer.edits == [Edit("dedup", "Plan A.", "", layer="dedup")]
    long = after("Plan. " * 1000)
    rewrite(long, "Plan. " * 1000)
    assert long.edits[0].before == "Plan. " * 1000


def test_is_a_transform() -> None:
    transform: Transform = after("ab")
    assert transform.feed("ab") + transform.flush() == ""


# The laws.
small = st.text("ab😀\ud83d\ude00", max_size=4)
events = st.lists(st.tuples(st.sampled_from(["r", "c"]), small), max_size=8)


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


@given(st.data(), events, st.booleans())
def test_chunk_invariance(data: st.DataObject, events: list[Event], want: bool) -> None:
    def run(events: list[Event]) -> tuple[bytes, bool]:
        layer = ReasoningDedup(want_thinking=want)
        return utf16(play(layer, events) + layer.settle()), layer.suppressed

    whole = run(events)
    assert run([(c, piece) for c, text in events for piece in data.draw(pieces(text))]) == whole
    halves = [(c, chr(int.from_bytes(unit, "little"))) for c, t in events for unit in units(t)]
    assert run(halves) == whole


def units(text: str) -> list[bytes]:
    data = utf16(text)
    return [data[i : i + 2] for i in range(0, len(data), 2)]


def test_minimal_hold() -> None:
    """What has gone out is what all possible continuations have in common."""
    steps: list[Event] = [("r", "a"), ("r", "b"), ("c", "a"), ("c", "b")]
    futures = [list(future) for n in range(4) for future in product(steps, repeat=n)]
    for n in range(5):
        for past in product(steps, repeat=n):
            outputs = set()
            for future in futures:
                layer = ReasoningDedup(want_thinking=True)
                outputs.add(play(layer, [*past, *future]) + layer.settle())
            gone = play(ReasoningDedup(want_thinking=True), past)
            assert all(out.startswith(gone) for out in outputs)
            longer = {out[len(gone) : len(gone) + 1] for out in outputs}
            assert len(longer) > 1 or longer == {""}, past


@given(events, st.booleans())
def test_no_loss(events: list[Event], want: bool) -> None:
    layer = ReasoningDedup(want_thinking=want)
    out = play(layer, events)
    assert utf16(out + layer.held) == utf16(content(events))
    assert utf16(out + layer.release()) == utf16(content(events))


@given(events)
def test_conservation(events: list[Event]) -> None:
    """Only the whole reasoning is ever dropped; without thinking wanted, nothing."""
    layer = ReasoningDedup(want_thinking=True)
    out = play(layer, events) + layer.settle()
    reasoning = "".join(text for channel, text in events if channel == "r")
    said = content(events)
    assert utf16(out) == (b"" if layer.suppressed else utf16(said))
    assert not layer.suppressed or utf16(said) == utf16(reasoning) != b""
    unwanted = ReasoningDedup(want_thinking=False)
    assert play(unwanted, events) == said
    assert unwanted.held == unwanted.settle() == ""


@given(small.filter(bool), small)
def test_idempotence(reasoning: str, text: str) -> None:
    once = rewrite(after(reasoning), text)
    assert utf16(rewrite(after(reasoning), once)) == utf16(once)


@pytest.mark.parametrize("size", [1, 4, 10**6])
@pytest.mark.parametrize("ending", ["", ".", "\ud83d"])
def test_linear_work(size: int, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is cut, a character is encoded once for each channel, and decoded once."""
    work = {"in": 0, "out": 0}
    encode, decode = dedup._units, dedup._text

    def counting_encode(text: str) -> bytes:
        work["in"] += len(text)
        return encode(text)

    def counting_decode(data: bytearray) -> str:
        work["out"] += len(data) // 2
        return decode(data)

    monkeypatch.setattr(dedup, "_units", counting_encode)
    monkeypatch.setattr(dedup, "_text", counting_decode)
    reasoning = "word " * 2000
    layer = ReasoningDedup(want_thinking=True)
    play(layer, [("r", piece) for piece in every(reasoning, 5)])
    play(layer, [("c", piece) for piece in every(reasoning + ending, size)])
    layer.settle()
    assert work["in"] <= 2 * len(reasoning) + len(ending)
    assert work["out"] <= len(reasoning)


def test_isolation() -> None:
    one, two = after("A"), after("B")
    assert [one.feed("B"), two.feed("B")] == ["B", ""]
    assert [one.settle(), two.settle()] == ["", ""]
    assert [one.suppressed, two.suppressed] == [False, True]
