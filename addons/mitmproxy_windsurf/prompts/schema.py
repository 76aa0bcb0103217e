"""Tables of a rules file, checked key by key and made into rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from mitmproxy_windsurf.prompts import words
from mitmproxy_windsurf.prompts.kinds import Block, Line, Match, Paragraph, Phrase, Regex, Sentence
from mitmproxy_windsurf.prompts.page import Page
from mitmproxy_windsurf.prompts.regex_guard import RegexRefused, literal_prefix
from mitmproxy_windsurf.prompts.rules import GROUPS, TARGETS, Example, Rule

T = TypeVar("T")
Table: TypeAlias = Mapping[str, Any]

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TAG = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]{0,63}")


class WrongKey(Exception):
    """What is wrong with a key, and the cure."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key!r} {problem}")


class _Keys:
    """A table whose keys are taken one by one; what nobody took is unknown."""

    def __init__(self, table: Table) -> None:
        self._left = dict(table)
        self._taken: list[str] = []

    def take(self, key: str, read: Callable[[Any], T], default: T | None = None) -> T:
        self._taken.append(key)
        if key not in self._left:
            if default is None:
                raise WrongKey(key, "is missing: every rule needs it")
            return default
        try:
            return read(self._left.pop(key))
        except ValueError as error:
            raise WrongKey(key, str(error)) from error

    def has(self, key: str) -> bool:
        return key in self._left

    def done(self) -> None:
        for key in self._left:
            raise WrongKey(key, f"is no key: use {', '.join(self._taken)}")


def read_rule(table: Table) -> Rule:
    """The rule that a [[rule]] table describes.

    Raises:
        WrongKey: it cannot be used.
    """
    keys = _Keys(table)
    rule_id = keys.take("id", _id)
    summary = keys.take("summary", _text, "")
    targets = keys.take("targets", _several_of(TARGETS), TARGETS[:1])
    group = keys.take("group", _one_of(GROUPS), "")
    default = keys.take("default", _flag, not group)
    if group and default:
        raise WrongKey("default", "is of no use in a group: the group's switch decides")
    evidence = keys.take("evidence", _text, "")
    examples: tuple[Example, ...] = keys.take("examples", _examples, ())
    if keys.has("match"):
        matches = keys.take("match", _matches)
        keys.done()
    else:
        matches = (_match(keys),)
    rule = Rule(rule_id, summary, targets, matches, default, group, evidence, examples)
    for match in matches:
        _check_replacement(rule, match)
    return rule


def _matches(value: Any) -> tuple[Match, ...]:
    tables = value if isinstance(value, list) else [value]
    if not tables or not all(isinstance(table, dict) for table in tables):
        raise ValueError("must be one or more [[rule.match]] tables")
    return tuple(_match(_Keys(table)) for table in tables)


def _match(keys: _Keys) -> Match:
    build = _BUILDERS[keys.take("kind", _one_of(tuple(_BUILDERS)))]
    match = build(keys, keys.take("replacement", _text), keys.take("once", _flag, False))
    keys.done()
    return match


def _phrase(keys: _Keys, replacement: str, once: bool) -> Match:
    return Phrase(keys.take("words", _wordings), replacement, once)


def _sentence(keys: _Keys, replacement: str, once: bool) -> Match:
    return Sentence(
        keys.take("opening", _wordings),
        replacement,
        keys.take("contains", _wordings, ()),
        keys.take("rest", _one_of(("any", "none")), "any"),
        keys.take("unended", _one_of(("keep", "opening", "line")), "keep"),
        once,
    )


def _line(keys: _Keys, replacement: str, once: bool) -> Match:
    opening = keys.take("opening", _wordings)
    return Line(opening, replacement, keys.take("rest", _one_of(("any", "pairs")), "any"), once)


def _paragraph(keys: _Keys, replacement: str, once: bool) -> Match:
    return Paragraph(
        keys.take("opening", _wordings),
        keys.take("closing", _wordings),
        replacement,
        keys.take("unended", _one_of(("keep", "opening", "line")), "keep"),
        once,
    )


def _block(keys: _Keys, replacement: str, once: bool) -> Match:
    return Block(keys.take("tag", _tag), replacement, once)


def _regex(keys: _Keys, replacement: str, once: bool) -> Match:
    pattern, prefix = keys.take("pattern", _pattern)
    return Regex(pattern, prefix, replacement, once)


_BUILDERS: Mapping[str, Callable[[_Keys, str, bool], Match]] = {
    "phrase": _phrase,
    "sentence": _sentence,
    "line": _line,
    "paragraph": _paragraph,
    "block": _block,
    "regex": _regex,
}


def _check_replacement(rule: Rule, match: Match) -> None:
    """A rule that found itself again in what it wrote would change a prompt on every turn."""
    page = Page(match.replacement)
    if any(not found.why_not for other in rule.matches for found in other.find(page)):
        raise WrongKey("replacement", "is matched by the rule itself: word it differently")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"must be a text in quotes, not {value!r}")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {value!r}")
    return value


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError("must be made of letters, digits, '.', '_' and '-', 64 at most")
    return str(value)


def _tag(value: Any) -> str:
    if not _TAG.fullmatch(_text(value)):
        raise ValueError("must be the bare name of a tag, without the angle brackets")
    return str(value)


def _wordings(value: Any) -> tuple[str, ...]:
    wordings = tuple(map(_text, value)) if isinstance(value, list) else (_text(value),)
    if not wordings:
        raise ValueError("is empty: give the words to look for")
    for wording in wordings:
        if problem := words.objection(wording):
            raise ValueError(problem)
    return wordings


def _pattern(value: Any) -> tuple[str, str]:
    try:
        return _text(value), literal_prefix(value)
    except RegexRefused as refused:
        raise ValueError(str(refused)) from refused


def _examples(value: Any) -> tuple[Example, ...]:
    tables = value if isinstance(value, list) else [value]
    if not all(isinstance(table, dict) and table.keys() == {"before", "after"} for table in tables):
        raise ValueError("must be [[rule.examples]] tables with 'before' and 'after'")
    return tuple(Example(_text(table["before"]), _text(table["after"])) for table in tables)


def _one_of(options: tuple[str, ...]) -> Callable[[Any], Any]:
    def read(value: Any) -> str:
        if value not in options:
            raise ValueError(f"must be one of {', '.join(options)}, not {value!r}")
        return str(value)

    return read


def _several_of(options: tuple[str, ...]) -> Callable[[Any], Any]:
    def read(value: Any) -> tuple[str, ...]:
        chosen = value if isinstance(value, list) else [value]
        if not chosen or not all(item in options for item in chosen):
            raise ValueError(f"must be a list of {', '.join(options)}, not {value!r}")
        return tuple(option for option in options if option in chosen)

    return read
