"""What is code in a whole prompt: the stretches between « and »; a fence starts with its line."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.prompts.code_spans import code_spans

ROWS = {
    "none": "plain prose",
    "inline": "see «`a`» now",
    "inline with a longer run in it": "«`a``b`» c",
    "inline of two backticks": "«``a`b``» c",
    "two on a line": "«`a`» b «`c`»",
    "a stray backtick": "it is 5 ` wide and «``x``»",
    "a backtick that its line does not close": "a ` b\nc ` d",
    "a fence": "a\n«```py\nx\n```»\nb",
    "a fence with CRLF": "a\r\n«```py\r\nx\r\n```\r»\nb",
    "a fence of tildes": "«~~~\n``` `\n~~~»",
    "a fence that is never closed": "a\n```py\nx «`y`»\n",
    "a longer fence closes": "«```\nx\n`````»\nb",
    "a shorter fence does not": "«````\n```\n````»\nb",
    "text behind it does not close": "«```\n``` x\n```»",
    "a list marker before it does not close": "«```\n- ```\n```»",
    "a stray fence, then a real one": "````\na\n«```\nx\n```»\nb",
    "an indented fence": "«- ```sh\n  ls\n  ```»\nb",
    "one line": "«```x```» b\nc",
    "a fence in mid-line": "a ``` b\nc",
    "a backtick in the fence": "«```\na ` b\n```»\nc ` d",
    "quoted": "«> ```\n> x\n> ```»\nb",
}


@pytest.mark.parametrize("marked", ROWS.values(), ids=ROWS.keys())
def test_code_is_where_the_marks_are(marked: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    wanted = [piece.partition("»")[0] for piece in marked.split("«")[1:]]
    assert [text[start:end] for start, end in code_spans(text)] == wanted


@given(st.lists(st.sampled_from("`~ab \n>-"), max_size=60).map("".join))
def test_spans_are_in_order_and_in_the_text(text: str) -> None:
    spans = code_spans(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
