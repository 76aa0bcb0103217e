from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.custom_input import CustomInput
from strategies import cuttings, pieces

inputs = st.text(st.sampled_from('ab"\\{}/\n\tu0dé\u2028😀'), max_size=20)


def decoded(parts: list[str]) -> str:
    decoder = CustomInput("input")
    return "".join(map(decoder.feed, parts)) + decoder.flush()


@given(inputs, st.booleans(), st.sampled_from([None, 1]), st.data())
def test_the_string_comes_out_however_it_is_spelled_and_cut(
    text: str, ascii_only: bool, indent: int | None, data: st.DataObject
) -> None:
    arguments = json.dumps({"input": text}, ensure_ascii=ascii_only, indent=indent)
    assert decoded(data.draw(pieces(arguments))) == text


def test_it_streams() -> None:
    decoder = CustomInput("input")
    fed = ['{"inp', 'ut": "a', "b\\", "n\\ud83d", "\\ude", '00c"', "}"]
    assert [decoder.feed(piece) for piece in fed] == ["", "a", "b", "\n", "", "😀c", ""]
    assert decoder.flush() == ""


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("", ""),
        ("*** Begin Patch", "*** Begin Patch"),
        ('{"patch": "x"}', "x"),
        ('{"why": 1, "input": "x"}', "x"),
        ('{"why": "y", "patch": "x"}', '{"why": "y", "patch": "x"}'),
        ('{"input": ["x"]}', '{"input": ["x"]}'),
        ('"x"', "x"),
        ('{"input": "x", "why": "y"}', "x"),
        ('{"input": "x', "x"),
        ('{"input": "x\\u12', "x\\u12"),
        ('{"input": "a\nb\\d"}', "a\nb\\d"),
        ('{"inp', '{"inp'),
        ("{" + " " * 300 + '"input": "x"}', "x"),
    ],
)
def test_models_that_write_something_else_lose_nothing(arguments: str, text: str) -> None:
    for parts in cuttings(arguments, rounds=2):
        assert decoded(parts) == text
