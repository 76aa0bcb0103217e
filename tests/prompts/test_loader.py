"""Rules from TOML: what is accepted, and what the message says where it is not."""

import sys
from pathlib import Path

import pytest

from mitmproxy_windsurf.prompts.loader import load_pack, load_packs, parse_pack
from mitmproxy_windsurf.prompts.rules import Example, PackError

GOOD = """
[[rule]]
id = "mine"
summary = "A rule of my own"
targets = ["tools", "system"]
kind = "phrase"
words = "Foo bar"
replacement = "baz"
evidence = "seen"
examples = [{before = "Foo bar.", after = "baz."}]
"""


def one(extra: str, *, without: str = "") -> str:
    """A rule that is good but for some lines."""
    lines = ['id = "mine"', 'kind = "phrase"', 'words = "Foo bar"', 'replacement = "baz"']
    kept = [line for line in lines if not (without and line.startswith(without))]
    return "\n".join(["[[rule]]", *kept, extra])


def test_a_rule_with_everything() -> None:
    [rule] = parse_pack(GOOD, "mine.toml").rules
    assert (rule.id, rule.summary, rule.evidence) == ("mine", "A rule of my own", "seen")
    assert rule.targets == ("system", "tools")
    assert rule.default
    assert rule.examples == (Example("Foo bar.", "baz."),)
    assert [(match.kind, match.replacement) for match in rule.matches] == [("phrase", "baz")]


def test_what_a_rule_has_unless_it_says_otherwise() -> None:
    [rule] = parse_pack(one(""), "mine.toml").rules
    assert (rule.targets, rule.default, rule.group, rule.examples) == (("system",), True, "", ())


def test_a_rule_of_a_group_is_off_by_default() -> None:
    [rule] = parse_pack(one('group = "cc_aggressive"'), "mine.toml").rules
    assert not rule.default


def test_a_rule_may_look_for_several_things() -> None:
    text = """
    [[rule]]
    id = "mine"
    [[rule.match]]
    kind = "line"
    opening = ["Foo:", "Bar:"]
    replacement = ""
    [[rule.match]]
    kind = "block"
    tag = "foo"
    replacement = "bar"
    [[rule.match]]
    kind = "sentence"
    opening = "Foo is"
    contains = "bar"
    rest = "any"
    unended = "line"
    once = true
    replacement = "Baz."
    [[rule.match]]
    kind = "paragraph"
    opening = "Qux is"
    closing = ["the end"]
    replacement = ""
    [[rule.match]]
    kind = "regex"
    pattern = 'Foo\\d{1,3}'
    replacement = "bar"
    """
    [rule] = parse_pack(text, "mine.toml").rules
    assert [match.kind for match in rule.matches] == [
        *("line", "block", "sentence", "paragraph", "regex"),
    ]


WRONG = {
    "no id": (one("", without="id"), ["rule 1", "'id'", "missing"]),
    "no kind": (one("", without="kind"), ["rule 'mine'", "'kind'", "missing"]),
    "no replacement": (one("", without="replacement"), ["'replacement'", "missing"]),
    "a strange id": (one('id = "a b"', without="id"), ["'id'", "letters, digits"]),
    "an id that is a number": (one("id = 7", without="id"), ["rule 7", "'id'", "a text in quotes"]),
    "a strange kind": (one('kind = "phrse"', without="kind"), ["'kind'", "phrase, sentence, line"]),
    "an unknown key": (one('word = "x"'), ["'word'", "is no key", "words"]),
    "a key of another kind": (one('tag = "x"'), ["'tag'", "is no key"]),
    "no words": (one("words = []", without="words"), ["'words'", "empty"]),
    "empty words": (one('words = " "', without="words"), ["'words'", "empty"]),
    "words that are no text": (
        one("words = [1]", without="words"),
        ["'words'", "a text in quotes"],
    ),
    "an unknown slot": (one('words = "I am {nmae}"', without="words"), ["{nmae}", "{name}"]),
    "a strange target": (one('targets = ["sytem"]'), ["'targets'", "system, tools"]),
    "no target": (one("targets = []"), ["'targets'", "system, tools"]),
    "a strange group": (one('group = "x"'), ["'group'", "cline_objective, cc_aggressive"]),
    "a default in a group": (
        one('group = "cc_aggressive"\ndefault = true'),
        ["'default'", "group's switch"],
    ),
    "a default that is a text": (one('default = "yes"'), ["'default'", "true or false"]),
    "half an example": (one('examples = [{before = "x"}]'), ["'examples'", "'after'"]),
    "a replacement with the words": (
        one('replacement = "a Foo bar"', without="replacement"),
        ["'replacement'", "word it differently"],
    ),
    "a match and a kind": (
        one('match = [{kind = "line", opening = "x", replacement = ""}]'),
        ["'kind'", "is no key"],
    ),
    "no match": (one("match = []", without="kind"), ["'match'", "one or more"]),
    "two rules of an id": (one("") + "\n" + one(""), ["rule 'mine'", "'id'", "twice"]),
    "a rule that is no table": ("rule = 1", ["[[rule]] tables"]),
    "a table on its own": ("[rule]\nid = 'x'", ["[[rule]] tables"]),
    "another key in the file": ("rules = []", ["'rules'", "[[rule]]"]),
    "no TOML": ("[[rule]\n", ["is no TOML"]),
    "nested without end": ("a = " + "[" * 5000, ["is no TOML"]),
}


@pytest.mark.parametrize(("text", "hints"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_said(text: str, hints: list[str]) -> None:
    with pytest.raises(PackError) as caught:
        parse_pack(text, "mine.toml")
    message = str(caught.value)
    assert message.startswith("mine.toml: ")
    assert [hint for hint in hints if hint not in message] == []


BAD_MATCHES = {
    "a tag in brackets": ('kind = "block"\ntag = "<foo>"', ["'tag'", "without the angle brackets"]),
    "a strange rest": ('kind = "line"\nopening = "x"\nrest = "none"', ["'rest'", "any, pairs"]),
    "a strange unended": (
        'kind = "sentence"\nopening = "x"\nunended = "drop"',
        ["'unended'", "keep, opening, line"],
    ),
    "no closing words": ('kind = "paragraph"\nopening = "x"', ["'closing'", "missing"]),
    "a bad pattern": ('kind = "regex"\npattern = "Foo("', ["'pattern'", "no regular expression"]),
    "an explosive pattern": ('kind = "regex"\npattern = "Foo(a+)+$"', ["'pattern'", "repeat"]),
}


@pytest.mark.parametrize(("keys", "hints"), BAD_MATCHES.values(), ids=BAD_MATCHES.keys())
def test_what_is_wrong_with_a_match_is_said(keys: str, hints: list[str]) -> None:
    with pytest.raises(PackError) as caught:
        parse_pack(f'[[rule]]\nid = "mine"\nreplacement = "y"\n{keys}', "mine.toml")
    assert [hint for hint in ["'mine'", *hints] if hint not in str(caught.value)] == []


def test_every_bad_rule_of_a_file_is_named() -> None:
    with pytest.raises(PackError) as caught:
        parse_pack(one('word = "x"') + "\n" + one("", without="id"), "mine.toml")
    assert [problem.partition("'")[0] for problem in caught.value.problems] == [
        "mine.toml: rule ",
        "mine.toml: rule 2: ",
    ]


def test_a_file_with_a_byte_order_mark_and_crlf(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load_pack(path).rules == parse_pack(GOOD, "").rules


@pytest.mark.parametrize(
    ("data", "hint"), [(b"\xff", "UTF-8"), (b"#" * 1_000_001, "bytes"), (None, "cannot be read")]
)
def test_a_file_that_cannot_be_used(tmp_path: Path, data: bytes | None, hint: str) -> None:
    path = tmp_path / "mine.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(PackError, match=hint) as caught:
        load_pack(path)
    assert str(path) in str(caught.value)


def test_without_files_the_shipped_packs_are_loaded(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, "utf-8")
    assert {"claude-code.toml", "codex.toml"} <= {Path(pack.path).name for pack in load_packs()}
    assert [pack.path for pack in load_packs([path])] == [str(path)]


def test_an_interpreter_without_tomllib_gets_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tomllib", None)
    with pytest.raises(PackError, match="built without tomllib"):
        parse_pack(GOOD, "mine.toml")
