"""The elements of an array as frames, however they are printed and however the stream is cut."""

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.framing import Frame
from mitmproxy_windsurf.wire.json_array import JSONArrayFramer
from strategies import cuttings, every, pieces


def frames(chunks: Iterable[bytes], *, limit: int = 1 << 20) -> tuple[list[Frame], bytes]:
    framer = JSONArrayFramer(limit=limit)
    found = [frame for chunk in chunks for frame in framer.feed(chunk)] + framer.flush()
    return found, framer.release()


def raw(found: Iterable[Frame]) -> bytes:
    return b"".join(frame.raw for frame in found)


def seen(found: Iterable[Frame]) -> list[bytes]:
    return [frame.data for frame in found if frame.spans]


PRETTY = b'[{\n  "a": [\n    {\n      "b": "}]"\n    }\n  ]\n}\n,\r\n{\n  "c": {}\n}\n]\n'

STREAMS = {
    "compact": (b'[{"a":1},{"b":2}]', [b'{"a":1}', b'{"b":2}'], b"]"),
    "pretty": (
        PRETTY,
        [b'{\n  "a": [\n    {\n      "b": "}]"\n    }\n  ]\n}', b'{\n  "c": {}\n}'],
        b"\n]\n",
    ),
    "brackets in strings": (
        b'[{"]}": "[{\\"}]\\\\"}, {}]',
        [b'{"]}": "[{\\"}]\\\\"}', b"{}"],
        b"]",
    ),
    "arrays": (b"[[1,[2]],[]]", [b"[1,[2]]", b"[]"], b"]"),
    "others": (b'[1, "{", {}, null, {}, true]', [b"{}", b"{}"], b", true]"),
    "empty": (b"[]", [], b"[]"),
    "blanks": (b" [ {} , {} ] ", [b"{}", b"{}"], b" ] "),
    "cut off": (b'[{},{"a', [b"{}"], b',{"a'),
    "more behind": (b"[{}]\nbye", [b"{}"], b"]\nbye"),
    "nothing": (b"", [], b""),
}


@pytest.mark.parametrize("name", STREAMS)
def test_frames_are_the_stream_and_show_its_elements(name: str) -> None:
    stream, wanted, rest = STREAMS[name]
    for chunks in cuttings(stream):
        found, behind = frames(chunks)
        assert raw(found) + behind == stream, chunks
        assert seen(found) == wanted, chunks
        assert behind == rest


@given(st.data())
def test_chunk_invariance(data: st.DataObject) -> None:
    tokens = st.sampled_from([*(bytes([char]) for char in b'[]{},"\\\n'), b"{}", b'"a":'])
    stream = b"[" + b"".join(data.draw(st.lists(tokens, max_size=25)))
    limit = data.draw(st.sampled_from([1 << 20, 4, 9]))
    whole, rest = frames([stream], limit=limit)
    found, behind = frames(data.draw(pieces(stream)), limit=limit)
    assert raw(found) + behind == raw(whole) + rest == stream
    assert seen(found) == seen(whole)


values = st.recursive(
    st.none() | st.integers() | st.text(alphabet='a"\\[]{},é\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(st.data(), st.lists(values, max_size=5), st.sampled_from([None, 0, 2]))
def test_elements_are_what_a_parser_sees(
    data: st.DataObject, elements: list[object], indent: int | None
) -> None:
    stream = json.dumps(elements, indent=indent, ensure_ascii=False).encode()
    found, _ = frames(data.draw(pieces(stream)))
    containers = [element for element in elements if isinstance(element, dict | list)]
    assert [json.loads(one) for one in seen(found)] == containers


def test_an_element_goes_out_with_its_last_brace_and_not_later() -> None:
    framer = JSONArrayFramer()
    assert framer.feed(b'[{"a": {}') == []
    assert framer.feed(b"}") == [Frame(b'[{"a": {}}', ((1, 10),))]
    assert framer.feed(b"\n,\r\n{") == []
    assert framer.feed(b"}") == [Frame(b"\n,\r\n{}", ((4, 6),))]
    assert framer.flush() == []


@pytest.mark.parametrize("separator", [b",", b"\n,\r\n", b" ,\n "])
def test_a_further_element_keeps_the_array_whole(separator: bytes) -> None:
    framer = JSONArrayFramer()
    [first] = framer.feed(b"[{}")
    [second] = framer.feed(separator + b'{"a": 1}')
    further = framer.event(second, "name", b"[7]")
    assert further == separator + b"[7]"
    framer.feed(b"\n]\n")
    for out in (
        [first.raw, further, second.raw],
        [first.raw, second.raw, framer.ending(second), further],
    ):
        assert [7] in json.loads(b"".join([*out, b"\n]\n"]))
    assert framer.release() == b"\n]\n"


def test_behind_the_only_element_the_separator_is_the_usual_one() -> None:
    framer = JSONArrayFramer()
    [only] = framer.feed(b"[{}]")
    assert json.loads(only.raw + framer.event(only, None, b"{}") + framer.release()) == [{}, {}]


def test_an_element_over_the_limit_passes_unread_and_the_next_one_is_read() -> None:
    stream = b'[{"a":1}\n,{"b":"' + b"x\\\\\\}" * 20 + b'"},{"c":2}]'
    for chunks in [*cuttings(stream), every(stream, 7)]:
        framer = JSONArrayFramer(limit=12)
        found = [frame for chunk in chunks for frame in framer.feed(chunk)]
        assert raw(found) + framer.release() == stream
        assert seen(found) == [b'{"a":1}', b'{"c":2}']
        assert framer.overlong == 1


def test_an_element_over_the_limit_is_not_kept() -> None:
    framer = JSONArrayFramer(limit=12)
    kept = 0
    for _ in range(100):
        kept += 1000 - len(raw(framer.feed(b"[" * 1000)))
        assert kept <= 12
    assert framer.overlong == 1


def test_linear_work() -> None:
    """Bytes are scanned once, however they come: one that grows is not read from its start."""
    framer = JSONArrayFramer(limit=1 << 30)
    framer.feed(b'[{"a":"')
    for _ in range(50_000):
        framer.feed(b"xxxxxxxxxxxxxxxxxxxx\n")
        assert framer._scanned == len(framer._buffer)
    assert len(framer.feed(b'"}')) == 1
