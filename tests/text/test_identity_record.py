"""The record in place of an answer: unwrapped, and held only as long as it may be one."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity import IdentityStream, rewrite_identity
from mitmproxy_windsurf.text.identity_record import MAX_RECORD

MODEL = "claude-opus-4-6"
FIELDS = {"name": "Cascade", "provider": "Codeium", "model": "m", "description": "Hi there"}


def record(**changes: object) -> str:
    return json.dumps(FIELDS | changes)


def outputs(text: str) -> set[str]:
    results = set()
    for pieces in strategies.cuttings(text):
        stream = IdentityStream(MODEL)
        results.add("".join(map(stream.feed, pieces)) + stream.flush())
    return results


UNWRAPPED = {
    "as it comes": (record(), "Hi there"),
    "no blanks": (record().replace(" ", ""), "Hithere"),
    "many blanks": (json.dumps(FIELDS, indent=2).replace(":", "\t:\r\n"), "Hi there"),
    "blanks around": (f"\n {record()} \n", "\n Hi there \n"),
    "an empty description": (record(description=""), ""),
    "empty others": (record(provider="", model=""), "Hi there"),
    "escapes": (record(description='a "b"\n\\ é 😀 \u2028'), 'a "b"\n\\ é 😀 \u2028'),
    "prose rules": (record(description="I am Cascade."), "I am {M}."),
    "code": (record(description="`I am Cascade`"), "`I am Cascade`"),
    "JSON": (record(description='{"a": "I am Cascade"}'), '{"a": "I am Cascade"}'),
    "a record": (record(description=record(description="I am Cascade")), "I am {M}"),
    "text after it": (record() + " and I am Cascade", "Hi there and I am {M}"),
    "text that goes on": (record(description="I am ") + "Cascade", "I am {M}"),
    "a second one": (record() + record(), "Hi there" + record()),
    "a lone surrogate": (record(description="a\ud83d"), "a\ud83d"),
}


@pytest.mark.parametrize(("text", "expected"), UNWRAPPED.values(), ids=UNWRAPPED)
def test_the_record_is_its_description(text: str, expected: str) -> None:
    expected = expected.replace("{M}", MODEL)
    assert outputs(text) == {expected}
    assert rewrite_identity(expected, MODEL) == expected


@pytest.mark.parametrize("keys", list(permutations(FIELDS)), ids=" ".join)
def test_the_order_of_the_keys_does_not_matter(keys: tuple[str, ...]) -> None:
    text = json.dumps({key: FIELDS[key] for key in keys})
    assert outputs(text) == {"Hi there"}


# A prefix after which the text cannot become the record.
RELEASED = {
    "another key": '{"x',
    "a longer key": '{"names',
    "a shorter key": '{"nam"',
    "an escaped key": '{"na\\',
    "a repeated key": '{"name":"Cascade","n',
    "a fifth key": record()[:-1] + ",",
    "another name": '{"name":"Cat',
    "a longer name": '{"name":"Cascades',
    "a shorter name": '{"name":"Casc"',
    "a name in lower case": '{"name":"c',
    "an escaped name": '{"name":"\\',
    "a number": '{"model":1',
    "null": '{"model":n',
    "an object": '{"model":{',
    "an array": '{"model":[',
    "no object": "[",
    "an empty object": "{}",
    "three keys": '{"name":"Cascade","provider":"","model":""}',
    "not JSON": '{"name":"Cascade" ,,',
    "a line break in a string": '{"provider":"a\n',
}


@pytest.mark.parametrize("text", RELEASED.values(), ids=RELEASED)
def test_what_cannot_become_the_record_goes_out_at_once(text: str) -> None:
    stream = IdentityStream(MODEL)
    assert "".join(map(stream.feed, text[:-1])) == ""
    assert stream.held == text[:-1]
    assert stream.feed(text[-1]) == text
    assert stream.held == ""
    assert outputs(text) == {text}


def test_what_is_cut_off_is_the_json_it_is() -> None:
    text = record()
    for end in range(len(text)):
        for finish in (IdentityStream.flush, IdentityStream.release):
            stream = IdentityStream(MODEL)
            assert stream.feed(text[:end]) + finish(stream) == text[:end]
            assert stream.edits == []


def test_a_client_that_asked_for_json_gets_it() -> None:
    stream = IdentityStream(MODEL, unwrap=False)
    for char in record(description="I am Cascade"):
        assert stream.feed(char) == char


@pytest.mark.parametrize("excess", [0, 1, 5000])
def test_the_record_takes_at_most_16_kib(excess: int) -> None:
    rest = MAX_RECORD - len(record(description=""))
    description = "x" * (rest + excess)
    text = record(description=description)
    expected = text if excess else description
    for pieces in ([text], strategies.every(text, 4)):
        stream = IdentityStream(MODEL)
        out = ""
        for piece in pieces:
            out += stream.feed(piece)
            assert len(stream.held) <= MAX_RECORD
        assert out == expected


def test_edits_tell_of_the_record_and_of_what_it_says() -> None:
    stream = IdentityStream(MODEL)
    text = " " + record(description="I am Cascade.")
    stream.feed(text + " I am Cascade.")
    assert stream.edits == [
        Edit("record", text[1:], "I am Cascade.", layer="identity", start=1),
        Edit("name", "Cascade", MODEL, layer="identity", start=1 + 5),
        Edit("name", "Cascade", MODEL, layer="identity", start=len(text) + 6),
    ]


# Brute force, as in test_identity_laws: every text over these pieces, every way to go on.
PIECES = (
    *('"name"', '"provider"', '"model"', '"description"', '"na', '"', "{", "}", ":", ",", " "),
    *('"Cascade"', '"Cas', '""', "x", "\\n", "\\", "I am Cas"),
)
RECORDS = [
    json.dumps({key: "" for key in keys} | {"name": "Cascade"}, separators=(",", ":"))
    for keys in permutations(FIELDS)
]
ENDS = sorted({text[at:] for text in RECORDS for at in range(len(text))})
PROSE = (
    "Cascade is an AI.",
    "Cascade has been made by Codeium.",
    "Cascade's workspace.",
    "Cascadeです",
)
GOES_ON = [
    *("", "n", "x"),
    *ENDS,
    *("n" + end for end in ENDS if end.startswith('"')),
    *(text[at:] for text in PROSE for at in range(len(text))),
]
INNER = RECORDS[0].replace('"', '\\"')
GOES_ON_INSIDE = [
    INNER[at:] + end
    for at in range(len(INNER))
    for end in ENDS
    if end.startswith('"') and end.endswith('"model":""}')
]


def begun(text: str, goes_on: list[str]) -> str:
    """What every continuation of the text leads to."""
    futures = [rewrite_identity(text + more, MODEL) for more in goes_on]
    low, high = min(futures), max(futures)
    return next((low[:at] for at, char in enumerate(low) if char != high[at]), low)


@settings(max_examples=max(10, settings().max_examples // 4))  # each asks for so many futures
@given(st.lists(st.sampled_from(PIECES), max_size=5), st.sampled_from(RECORDS), st.integers(1, 70))
def test_minimal_hold(pieces: list[str], base: str, size: int) -> None:
    text = base[:size] + "".join(pieces)
    assert IdentityStream(MODEL).feed(text) == begun(text, GOES_ON)


def test_minimal_hold_of_a_record_in_a_record() -> None:
    text = ' {"description":"{\\"name\\":\\"x'
    stream, out = IdentityStream(MODEL), ""
    for end, char in enumerate(text, 1):
        out += stream.feed(char)
        assert out == begun(text[:end], GOES_ON + GOES_ON_INSIDE)
    assert out == ' {"'


@given(st.data(), st.text('{}[]":, \\/abnu0é😀\ud83d'), st.permutations(list(FIELDS)))
def test_chunk_invariance(data: st.DataObject, description: str, keys: list[str]) -> None:
    fields = FIELDS | {"description": description}
    ascii_only = data.draw(st.booleans())
    text = json.dumps({key: fields[key] for key in keys}, ensure_ascii=ascii_only)
    stream = IdentityStream(MODEL)
    out = "".join(map(stream.feed, data.draw(strategies.pieces(text)))) + stream.flush()
    assert out == rewrite_identity(description, MODEL)
