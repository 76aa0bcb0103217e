from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.think_tags import ThinkTags
from strategies import cuttings, pieces


def split(fed: list[str]) -> tuple[str, str]:
    """(thinking, text)"""
    tags = ThinkTags()
    found = [piece for text in fed for piece in tags.feed(text)] + tags.flush()
    assert all(text for _, text in found)
    said = {"thinking": "", "text": ""}
    for channel, text in found:
        said[channel] += text
    return said["thinking"], said["text"]


@pytest.mark.parametrize(
    ("content", "thinking", "text"),
    [
        ("<think>hm</think>yes", "hm", "yes"),
        ("<think>\nhm\n</think>\n\nyes", "hm\n", "yes"),
        ("\n <think>hm</think>yes", "hm", "yes"),
        ("<think></think>yes", "", "yes"),
        ("<think>\n\n</think>\n\nyes", "", "yes"),
        ("<think>1 </thin 2</think>yes", "1 </thin 2", "yes"),
        ("<think>cut off", "cut off", ""),
        ("<think>cut off</th", "cut off</th", ""),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
        ("say <think>", "", "say <think>"),
        ("<thin air", "", "<thin air"),
        ("<thi", "", "<thi"),
        ("  indented", "", "  indented"),
        ("  ", "", "  "),
        ("", "", ""),
    ],
)
def test_reasoning_at_the_start_is_told_apart(content: str, thinking: str, text: str) -> None:
    for fed in cuttings(content):
        assert split(fed) == (thinking, text)


words = st.lists(st.sampled_from(["<think>", "</think>", "<", "think", " ", "\n", "x"]))


@given(words.map("".join), st.data())
def test_chunk_invariance(content: str, data: st.DataObject) -> None:
    assert split(data.draw(pieces(content))) == split([content])


def test_no_more_is_held_than_may_be_a_tag() -> None:
    tags = ThinkTags()
    assert tags.feed("I") == [("text", "I")]
    tags = ThinkTags()
    assert tags.feed("<think>a<") == [("thinking", "a")]
    assert tags.feed("b") == [("thinking", "<b")]
    assert tags.feed("</think>") == []
    assert tags.feed("c<think>") == [("text", "c<think>")]
