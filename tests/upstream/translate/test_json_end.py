from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.json_end import JsonEnd
from strategies import every, pieces

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(st.sampled_from('a"\\{}[]\n é😀'), max_size=6)
)
objects = st.dictionaries(
    st.text(st.sampled_from('k"\\{}'), max_size=4),
    scalars
    | st.lists(scalars, max_size=3)
    | st.dictionaries(st.text(max_size=3), scalars, max_size=2),
    max_size=3,
)


@given(objects, st.booleans(), st.data())
def test_the_end_is_reached_with_the_last_bracket_and_not_before(
    value: dict[str, object], ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    end = JsonEnd()
    for piece in data.draw(pieces(text[:-1])):
        end.feed(piece)
        assert not end.reached
    end.feed(text[-1:])
    assert end.reached


def test_white_space_begins_nothing() -> None:
    end = JsonEnd()
    end.feed("")
    end.feed(" \n")
    assert not end.begun
    end.feed("{")
    assert end.begun


def test_an_escape_may_be_cut() -> None:
    end = JsonEnd()
    for piece in every(r'{"a":"\"}\\"', 1):
        end.feed(piece)
    assert not end.reached
    end.feed("}")
    assert end.reached
