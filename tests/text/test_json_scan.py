"""The scanner against `json` as the oracle, and the promise that it is never early, never late."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
from mitmproxy_windsurf.text.json_scan import JSONScanner, Kind

SYNTAX, KEY, STRING, OTHER = Kind.SYNTAX, Kind.KEY, Kind.STRING, Kind.OTHER
ALPHABETS = {
    "structure": '{}[]",:1 ',
    "numbers": "-01.eE+[, ",
    "literals": "truefalsn",
    "escapes": '"\\u0aG\n',
}


def _refuse(name: str) -> float:
    raise ValueError(name)


DECODER = json.JSONDecoder(parse_int=float, parse_constant=_refuse)


def is_json(text: str) -> bool:
    """RFC 8259, or objects and arrays in a row."""
    rest = text.strip(" \t\n\r")
    first = True
    while rest or first:
        if not first and rest[0] not in "{[":
            return False
        try:
            _, end = DECODER.raw_decode(rest)
        except ValueError:
            return False
        first, rest = False, rest[end:].lstrip(" \t\n\r")
    return True


def scan(*texts: str) -> JSONScanner:
    scanner = JSONScanner()
    for text in texts:
        scanner.feed(text)
    return scanner


def joined(pieces: list[tuple[Kind, str]]) -> list[tuple[Kind, str]]:
    """The pieces with neighbours of one kind put together."""
    out: list[tuple[Kind, str]] = []
    for kind, text in pieces:
        if out and out[-1][0] is kind:
            text = out.pop()[1] + text
        out.append((kind, text))
    return out


def pieces(*texts: str) -> list[tuple[Kind, str]]:
    scanner = JSONScanner()
    return joined([piece for text in texts for piece in scanner.feed(text)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e99, 1e99) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
json_texts = st.builds(
    json.dumps,
    json_values,
    ensure_ascii=st.booleans(),
    indent=st.sampled_from([None, 1, "\t"]),
    separators=st.sampled_from([(",", ":"), (" , ", ": ")]),
)
near_json = st.one_of(
    json_texts,
    st.text('{}[]",:\\u0019aeE+-.truefalsn \n\x1f\x85é'),
    st.builds(
        lambda text, at, new: text[:at] + new + text[at + len(new) :],
        json_texts,
        st.integers(0, 60),
        st.text('{}[]",:\\1 é\n', max_size=2),
    ),
    st.lists(json_texts, max_size=3).map("\n".join),
)


def test_kinds() -> None:
    assert pieces('{"a": "b\\"", "": ["", "c", 1]} [true]\n') == [
        (SYNTAX, '{"'),
        (KEY, "a"),
        (SYNTAX, '": "'),
        (STRING, 'b\\"'),
        (SYNTAX, '", "": ["", "'),
        (STRING, "c"),
        (SYNTAX, '", 1]} [true]\n'),
    ]


def test_broken_is_for_ever() -> None:
    assert pieces('{"a": "b" "c": 1}', "[]") == [
        (SYNTAX, '{"'),
        (KEY, "a"),
        (SYNTAX, '": "'),
        (STRING, "b"),
        (SYNTAX, '" '),
        (OTHER, '"c": 1}[]'),
    ]


def test_nothing_yet_is_neither_broken_nor_complete() -> None:
    for text in ("", " \n"):
        scanner = scan(text)
        assert not scanner.broken
        assert not scanner.complete
    assert JSONScanner().feed("") == []


def test_deep_nesting_needs_no_recursion() -> None:
    depth = 100_000
    assert scan("[" * depth, "]" * depth).complete
    assert scan('{"a":' * depth, "1", "}" * depth).complete
    assert scan("[" * depth, "]" * (depth + 1)).broken


@pytest.mark.parametrize(
    "text",
    [
        *("1", "-0", "0.5e-7", "1E+9", "null"),
        *('"\\ud83d\\ude00"', '"\\ud83d"', '"\x7f\x85\u2028"'),
        *("{}{}", "[] {}", '1 {"a":2}', "\r\n\t [1 , 2]\n"),
    ],
)
def test_accepts(text: str) -> None:
    assert scan(text).complete


@pytest.mark.parametrize(
    "text",
    [
        *("01", "+1", ".5", "1.", "1e", "NaN", "-Infinity", "nul", "nullx", "٣"),
        *("'a'", '"\t"', '"\\x"', '"\\u00٣0"', '"a'),
        *("[1,]", '{"a":1,}', "{1:2}", "[1 2]", "[] 1", "1 2", "[}"),
        *("\ufeff{}", "\xa0[]", "\x0b1"),
    ],
)
def test_refuses(text: str) -> None:
    assert not scan(text).complete


@given(near_json)
def test_complete_means_that_json_accepts(text: str) -> None:
    assert scan(text).complete == is_json(text)


@given(json_texts)
def test_no_prefix_of_json_is_broken(text: str) -> None:
    scanner = JSONScanner()
    for char in text:
        scanner.feed(char)
        assert not scanner.broken
    assert scanner.complete


@pytest.mark.parametrize("alphabet", ALPHABETS.values(), ids=ALPHABETS)
def test_broken_at_the_first_character_that_cannot_continue(alphabet: str) -> None:
    """All texts of four characters: broken exactly when nothing that may follow makes it JSON."""

    def can_become_json(text: str, characters: int) -> bool:
        return is_json(text) or (
            characters > 0
            and not scan(text).broken
            and any(can_become_json(text + char, characters - 1) for char in '"}]:0eulrtsa')
        )

    def check(text: str, *, hopeless: bool) -> None:
        scanner = scan(text)
        assert scanner.complete == is_json(text), text
        assert scanner.broken or not hopeless, text
        assert scanner.broken or can_become_json(text, 6), text
        if len(text) < 4:
            for char in alphabet:
                check(text + char, hopeless=scanner.broken)

    check("", hopeless=False)


@given(st.data(), near_json)
def test_chunk_invariance(data: st.DataObject, text: str) -> None:
    chunks = data.draw(strategies.pieces(text))
    whole, cut = scan(text), scan(*chunks)
    assert pieces(*chunks) == pieces(text) == pieces(*text)
    assert (cut.broken, cut.complete) == (whole.broken, whole.complete)


@given(near_json)
def test_conservation(text: str) -> None:
    assert "".join(piece for _, piece in JSONScanner().feed(text)) == text
    assert all(piece for _, piece in JSONScanner().feed(text))


@given(json_values)
def test_strings_and_keys_are_those_of_the_document(value: object) -> None:
    keys: list[str] = []
    strings: list[str] = []

    def walk(node: object) -> None:
        if isinstance(node, str):
            strings.append(node)
        elif isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            for key, item in node.items():
                keys.append(key)
                walk(item)

    walk(value)
    found = pieces(json.dumps(value))
    for kind, expected in ((KEY, keys), (STRING, strings)):
        raw = [json.loads(f'"{text}"') for k, text in found if k is kind]
        assert raw == [text for text in expected if text]
