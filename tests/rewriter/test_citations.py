"""Positions move with the text they count into."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.rewriter.channels import Stage
from mitmproxy_windsurf.rewriter.citations import cite, follow
from mitmproxy_windsurf.rewriter.ended import Ended
from mitmproxy_windsurf.text.identity import IdentityStream
from mitmproxy_windsurf.text.paths import PathStream
from mitmproxy_windsurf.wire.parts import Citation, Key

KEY = Key("message", "text")
CITATION = Citation(KEY, ("start",), ("end",), ("quote",))
PIECES = st.lists(
    st.sampled_from(
        ["/opt/windsurf/a.py", " ", "I am Cascade", ".", "/opt/", "ü", "😀", "word", "\n", "Cas"]
    ),
    max_size=12,
)


def stages() -> Sequence[Stage]:
    return PathStream(), IdentityStream("claude-opus-4-6")


def moved(text: str, *quotes: str) -> list[str]:
    """The stretches of the output where the quotes of the input stand now."""
    found = []
    for quote in quotes:
        start = text.index(quote)
        out, now = follow([text], [start, start + len(quote)], stages)
        found.append(out[now[start] : now[start + len(quote)]])
    return found


def test_what_is_cited_is_still_cited() -> None:
    text = "See /opt/windsurf/a.py for it. I am Cascade, so ask. The end."
    assert moved(text, "See", "for it.", "so ask", "The end.") == [
        "See",
        "for it.",
        "so ask",
        "The end.",
    ]


def test_a_citation_of_what_was_replaced_is_one_of_the_replacement() -> None:
    text = "See /opt/windsurf/a.py for it. I am Cascade, yes."
    assert moved(text, "/opt/windsurf/a.py", "Cascade") == ["<workspace>", "claude-opus-4-6"]


def test_a_citation_may_end_in_what_was_held_for_nothing() -> None:
    text = "Look: /opt/windsurf. Then the Cascade Range and /opt/wind."
    assert moved(text, "the Cascade", "/opt/wind", "/opt/wind.")[0] == "the Cascade"


def test_bytes_count_bytes() -> None:
    text = "Grüße aus /opt/windsurf/x, schön."
    start = len("Grüße aus /opt/windsurf/x, ".encode())
    out, now = follow([text], [start, start + len("schön".encode())], stages, "utf8")
    assert out.encode()[now[start] : now[start + 6]].decode() == "schön"


@given(PIECES, st.data())
def test_positions_outside_of_edits_stay_at_their_character(pieces: list[str], data: Any) -> None:
    """From the position on the output is that of the rest of the text, or it was inside an edit."""
    text = "".join(pieces)
    position = data.draw(st.integers(0, len(text)))
    out, now = follow([text], [0, position, len(text)], stages)
    assert now[0] == 0
    assert 0 <= now[position] <= len(out)
    assert now[len(text)] == len(out)
    if out == text:
        assert now[position] == position


@given(PIECES, st.lists(st.integers(0, 200), max_size=6))
def test_the_order_of_positions_is_kept(pieces: list[str], positions: list[int]) -> None:
    text = "".join(pieces)
    now = follow([text], positions, stages).positions
    assert [now[p] for p in sorted(positions)] == sorted(now[p] for p in positions)


@pytest.mark.parametrize("cuts", [[], [3], [5, 9]])
def test_segments_are_one_text(cuts: list[int]) -> None:
    text = "Hi. /opt/windsurf/a b"
    bounds = [0, *cuts, len(text)]
    segments = [text[a:b] for a, b in itertools.pairwise(bounds)]
    out, now = follow(segments, [0, len(text)], lambda: ())
    assert out == text
    assert now[len(text)] == len(text)


def test_only_what_differs_is_changed() -> None:
    text = Ended(["At /opt/windsurf/a.py: yes."], True, False)
    document = {"start": 0, "end": 2, "quote": "At"}
    assert cite(CITATION, document, text, stages) == {}
    document = {"start": 3, "end": 21, "quote": "/opt/windsurf/a.py"}
    assert cite(CITATION, document, text, stages) == {("end",): 14, ("quote",): "<workspace>"}


def test_a_start_that_is_absent_is_the_beginning() -> None:
    text = Ended(["/opt/windsurf/a.py is it."], True, False)
    document = {"end": 18, "quote": "/opt/windsurf/a.py"}
    assert cite(CITATION, document, text, stages) == {("end",): 11, ("quote",): "<workspace>"}


def test_a_quote_that_is_not_what_stands_there_is_a_text_of_its_own() -> None:
    text = Ended(["/opt/windsurf/a.py is it."], True, False)
    document = {"start": 1, "end": 3, "quote": "see /opt/windsurf/b"}
    assert cite(CITATION, document, text, stages) == {
        ("start",): 0,
        ("end",): 0,
        ("quote",): "see <workspace>",
    }


def test_a_dropped_text_is_cited_nowhere() -> None:
    document = {"start": 3, "end": 9, "quote": "cited"}
    assert cite(CITATION, document, Ended(["x"], False, True), stages) == {
        ("start",): 0,
        ("end",): 0,
        ("quote",): "",
    }


def test_a_number_that_is_none_stays() -> None:
    text = Ended(["/opt/windsurf/a.py is it."], True, False)
    document = {"start": True, "end": -1, "quote": ""}
    assert cite(CITATION, document, text, stages) == {}
