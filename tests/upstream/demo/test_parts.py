"""Cutting, counting and naming."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.demo.parts import (
    JSON_CUTS,
    TEXT_CUTS,
    Answer,
    Call,
    Cut,
    Failure,
    Text,
    Thinking,
    pieces,
)


@given(st.text())
def test_pieces_are_short_and_together_the_text(text: str) -> None:
    for lengths in (TEXT_CUTS, JSON_CUTS):
        cut = list(pieces(text, lengths))
        assert "".join(cut) == text
        assert all(0 < len(piece) <= 7 for piece in cut)


def answer(*parts: Thinking | Text | Call | Failure | Cut, seed: str = "s") -> Answer:
    return Answer("m", parts, seed, 1)


def test_an_answer_sums_up_its_parts() -> None:
    full = answer(Thinking("12345678"), Text("1234"), Call("f", "{}12"))
    assert (full.thinking_tokens, full.output_tokens) == (2, 4)
    assert full.calls_tools
    assert not answer(Text("x")).calls_tools


def test_an_answer_knows_how_it_breaks_off() -> None:
    failure = Failure(500, "api_error", "x")
    assert answer(Text("a")).break_off is None
    assert answer(Text("a"), failure).break_off is failure
    assert answer(Text("a"), Cut()).content == [Text("a")]
    assert answer(failure).content == []


def test_ids_depend_on_the_request_and_nothing_else() -> None:
    one = answer(Text("a"))
    assert one.identifier("msg_") == answer(Text("b")).identifier("msg_")
    assert one.identifier("msg_").startswith("msg_")
    others = [
        one.identifier("msg_", 1),
        one.identifier("req_"),
        answer(seed="t").identifier("msg_"),
    ]
    assert len({one.identifier("msg_")[4:], *(other[4:] for other in others)}) == 4
