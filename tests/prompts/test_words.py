"""Which layouts of a wording are still the wording."""

import pytest

from mitmproxy_windsurf.prompts.words import compile_words, objection

WORDING = "You are Claude Code, Anthropic's official CLI"

SAME = {
    "as given": "You are Claude Code, Anthropic's official CLI",
    "curly apostrophe": "You are Claude Code, Anthropic’s official CLI",
    "wrapped": "You are\nClaude Code,\r\n  Anthropic's official CLI",
    "no-break spaces": "You are\u00a0Claude\u00a0Code, Anthropic's\u202fofficial CLI",
    "bold name": "You are **Claude Code**, Anthropic's official CLI",
    "each word": "You *are* **Claude** _Code_, ***Anthropic's*** official CLI",
    "bold with the comma": "You are **Claude Code,** Anthropic's official CLI",
}
OTHERS = {
    "case": "You are claude code, Anthropic's official CLI",
    "no space": "You areClaude Code, Anthropic's official CLI",
    "no comma": "You are Claude Code Anthropic's official CLI",
    "a word more": "You are the Claude Code, Anthropic's official CLI",
    "in code": "You are `Claude Code`, Anthropic's official CLI",
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME.keys())
def test_the_same_words(text: str) -> None:
    assert compile_words(WORDING).pattern.fullmatch(text)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS.keys())
def test_other_words(text: str) -> None:
    assert not compile_words(WORDING).pattern.search(text)


@pytest.mark.parametrize(
    ("wording", "text", "matches"),
    [
        ("ID is {word}", "ID is fake/fake-model.x", True),
        ("ID is {word}.", "ID is 4.8.", True),
        ("ID is {word}", "ID is two words", False),
        ("ID is {id}", "ID is claude-opus-4-8", True),
        ("ID is {id}", "ID is my-local-model", True),
        ("ID is {id}", "ID is secret", False),
        ("ID is {id}", "ID is user-visible", False),
        ("named {name} here", "named Opus 4.8 here", True),
        ("named {name} here", "named deepseek v3 (1M context) here", True),
        ("named {name} here", "named Opus and must be here", False),
        ("named {name} here", "named A B C D E F here", True),
        ("named {name} here", "named A B C D E F G here", False),
    ],
)
def test_slots(wording: str, text: str, matches: bool) -> None:
    assert bool(compile_words(wording).pattern.fullmatch(text)) is matches


def test_what_must_occur_is_in_every_match() -> None:
    words = compile_words("You're {name}, the “best” one")
    assert words.pattern.fullmatch('You’re GPT-5, the "best" one')
    assert all(literal in 'You’re GPT-5, the "best" one' for literal in words.literals)


def test_the_longest_word_is_looked_for_first() -> None:
    assert compile_words(WORDING).literals[0] == "Anthropic"


@pytest.mark.parametrize(
    ("wording", "cure"),
    [(" ", "give the words"), ("{name} is", "start with a word"), ("I am {nmae}", "{word}, {id}")],
)
def test_what_is_no_wording(wording: str, cure: str) -> None:
    assert cure in objection(wording)


def test_braces_of_other_texts_are_no_slots() -> None:
    assert not objection("return { x: 1 } or {} never")[:0]
    assert compile_words('a { "b": 1 }').pattern.fullmatch('a { "b": 1 }')
