"""Splicing: values are found where the parser finds them, and nothing but the literal changes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.wire.splice import (
    Path,
    Span,
    Splice,
    Style,
    apply,
    insert_member,
    literal,
    locate,
    remove_elements,
    style_of,
)

PLAIN = Style(ascii_only=False, slashes=False, html=False)

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


def all_paths(value: Any, path: Path = ()) -> list[Path]:
    found = [path]
    if isinstance(value, dict):
        for key, child in value.items():
            found += all_paths(child, (*path, key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            found += all_paths(child, (*path, index))
    return found


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def spelled(text: str, *path: str | int) -> str | None:
    span = locate(text, [path]).get(path)
    return None if span is None else text[span.start : span.end]


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_every_value_is_found_at_its_path(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    paths = all_paths(value)
    spans = locate(text, paths)
    assert spans.keys() == set(paths)
    for path, span in spans.items():
        assert json.loads(text[span.start : span.end]) == at(value, path)


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ('{"a":1}', ("a",), "1"),
        (' \n{ "a" : "x" , "b" :\t[ 1 , "y" ] } ', ("b", 1), '"y"'),
        ('{"a":{"b":{"c":"x"}},"b":"y"}', ("a", "b", "c"), '"x"'),
        ('{"a":"x","a":"y"}', ("a",), '"y"'),
        ('{"a":{"b":1},"a":{"b":2}}', ("a", "b"), "2"),
        ('{"a":{"b":1},"a":{"c":2}}', ("a", "b"), None),
        ('{"a":{"b":1},"a":7}', ("a", "b"), None),
        ('{"\\u0061":"x"}', ("a",), '"x"'),
        ('{"a":"\\"}, \\"b\\":1","b":2}', ("b",), "2"),
        ('{"a":[]}', ("a", 0), None),
        ('{"a":{}}', ("a", "b"), None),
        ('{"a":["x"]}', ("a", "0"), None),
        ('{"0":"x"}', (0,), None),
        ('{"a":"x"}', ("a", "b"), None),
        ('"x"', (), '"x"'),
        (" [1] ", (), "[1]"),
        ('{"a":-1.5e-7,"b":true,"c":null}', ("a",), "-1.5e-7"),
        ('{"a":-1.5e-7,"b":true,"c":null}', ("c",), "null"),
    ],
)
def test_locate(text: str, path: Path, found: str | None) -> None:
    assert spelled(text, *path) == found


def test_parents_are_found_with_their_children() -> None:
    text = '{"a":[{"b":1}]}'
    spans = locate(text, [("a", 0, "b"), ("a", 1)])
    assert spans.keys() == {(), ("a",), ("a", 0), ("a", 0, "b")}
    assert spans[()] == Span(0, len(text))


def test_apply_keeps_what_is_between() -> None:
    assert apply("0123456789", [Splice(8, 9, "!"), Splice(1, 3, ""), Splice(5, 5, "+")]) == (
        "034+567!9"
    )
    assert apply("same", []) == "same"


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ('{"a":"plain"}', PLAIN),
        ('{"a":"é"}', PLAIN),
        ('{"a":"\\u00e9"}', PLAIN._replace(ascii_only=True)),
        ('{"a":"\\ud83d\\ude00"}', PLAIN._replace(ascii_only=True)),
        ('{"a":"\\u00e9","b":"é"}', PLAIN),
        ('{"a":"\\u2028 \\u0085"}', PLAIN),
        ('{"a":"\\ud83d"}', PLAIN),
        ('{"a":"\\u001f"}', PLAIN),
        ('{"a":"\\\\u00e9"}', PLAIN),
        ('{"a":"\\/"}', PLAIN._replace(slashes=True)),
        ('{"a":"\\/","b":"/"}', PLAIN),
        ('{"a":"\\\\/"}', PLAIN),
        ('{"a":"\\\\\\/"}', PLAIN._replace(slashes=True)),
        ('{"a":"\\u003C"}', PLAIN._replace(html=True)),
        ('{"a":"\\u0026"}', PLAIN._replace(html=True)),
        ('{"a":"\\\\u0026"}', PLAIN),
        ('{"a":"\\u0026","b":"<"}', PLAIN),
    ],
)
def test_the_style_of_a_document_is_what_it_shows(text: str, style: Style) -> None:
    assert style_of(text) == style


@pytest.mark.parametrize(
    ("value", "style", "written"),
    [
        ("é 你 😀 <b>/x", PLAIN, '"é 你 😀 <b>/x"'),
        ("é 你 😀", PLAIN._replace(ascii_only=True), '"\\u00e9 \\u4f60 \\ud83d\\ude00"'),
        ("</b>/", PLAIN._replace(slashes=True), '"<\\/b>\\/"'),
        ("<a & b>", PLAIN._replace(html=True), '"\\u003ca \\u0026 b\\u003e"'),
        ('\\ " \n\r\t\b\f\0\x1f', PLAIN, '"\\\\ \\" \\n\\r\\t\\b\\f\\u0000\\u001f"'),
        ("\x85\u2028\u2029", PLAIN, '"\\u0085\\u2028\\u2029"'),
        ("\ud83d \ude00", PLAIN, '"\\ud83d \\ude00"'),
        ("\x7f", PLAIN, '"\x7f"'),
    ],
)
def test_literal(value: str, style: Style, written: str) -> None:
    assert literal(value, style) == written


@given(st.text(st.characters(codec=None)), st.builds(Style, *[st.booleans()] * 3))
def test_a_literal_means_its_value_and_stays_on_one_line(value: str, style: Style) -> None:
    written = literal(value, style)
    # Two halves of a pair, each escaped, are one character to a parser.
    units = ("utf-16-le", "surrogatepass")
    assert json.loads(written).encode(*units) == value.encode(*units)
    assert len(written.splitlines()) == 1
    assert written.isascii() or not style.ascii_only
    written.encode()  # no lone surrogate is left raw


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("{}", '{"k":"v"}'),
        ("{ }", '{"k":"v" }'),
        ('{"a":1}', '{"a":1,"k":"v"}'),
        ('{"a":{} }', '{"a":{},"k":"v" }'),
        ('{\n "a": 1\n}', '{\n "a": 1,"k":"v"\n}'),
    ],
)
def test_insert_member(text: str, wanted: str) -> None:
    splice = insert_member(text, locate(text, [()])[()], '"k"', '"v"')
    assert apply(text, [splice]) == wanted


@pytest.mark.parametrize(
    ("text", "gone", "wanted"),
    [
        ("[1,2,3]", {0}, "[2,3]"),
        ("[1,2,3]", {1}, "[1,3]"),
        ("[1,2,3]", {2}, "[1,2]"),
        ("[1,2,3]", {0, 1}, "[3]"),
        ("[1,2,3]", {0, 2}, "[2]"),
        ("[1,2,3]", {1, 2}, "[1]"),
        ("[1,2,3]", {0, 1, 2}, "[]"),
        ("[ 1 , 2 ,\n3 ]", {1}, "[ 1 ,\n3 ]"),
        ("[ 1 , 2 ,\n3 ]", {0}, "[ 2 ,\n3 ]"),
        ("[1,2,3]", set(), "[1,2,3]"),
    ],
)
def test_remove_elements(text: str, gone: set[int], wanted: str) -> None:
    assert apply(text, remove_elements(text, locate(text, [()])[()], gone)) == wanted


@given(
    st.lists(values, min_size=1, max_size=6),
    st.sets(st.integers(0, 5)),
    st.sampled_from([None, 1]),
)
def test_what_is_left_after_a_removal(items: list[Any], gone: set[int], indent: int | None) -> None:
    gone &= set(range(len(items)))
    text = json.dumps(items, indent=indent)
    left = apply(text, remove_elements(text, Span(0, len(text)), gone))
    assert json.loads(left) == [item for index, item in enumerate(items) if index not in gone]


@given(values, st.text(max_size=8), st.data())
def test_one_replaced_string_leaves_every_other_byte(
    value: Any, new: str, data: st.DataObject
) -> None:
    text = json.dumps(value, indent=data.draw(st.sampled_from([None, 2])))
    path = data.draw(st.sampled_from(all_paths(value)))
    span = locate(text, [path])[path]
    changed = apply(text, [Splice(*span, literal(new, PLAIN))])
    assert changed.startswith(text[: span.start])
    assert changed.endswith(text[span.end :])
    assert at(json.loads(changed), path) == new
