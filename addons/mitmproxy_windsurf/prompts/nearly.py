"""Why a rule did not fire: where its words stand but must not be changed, or have drifted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mitmproxy_windsurf.prompts.kinds import Line, Match, Paragraph, Phrase, Sentence
from mitmproxy_windsurf.prompts.page import Page
from mitmproxy_windsurf.prompts.rules import Target
from mitmproxy_windsurf.prompts.ruleset import RuleSet, shipped
from mitmproxy_windsurf.prompts.words import compile_words


class NearMiss(NamedTuple):
    """`rule` nearly matched from `start` to `end`."""

    rule: str
    start: int
    end: int
    reason: str


def nearly(text: str, *, target: Target = "system", rules: RuleSet | None = None) -> list[NearMiss]:
    """Every place where a rule that is on for the target nearly matched, in order."""
    page = Page(text)
    hits: list[tuple[int, int]] = []
    misses: dict[int, NearMiss] = {}
    for rule, match in (rules or shipped()).program(target).entries:
        for start, end, _, reason in match.find(page):
            if reason:
                misses.setdefault(start, NearMiss(rule, start, end, reason))
            else:
                hits.append((start, end))
        for start, end in _drifted(match, page):
            misses.setdefault(start, NearMiss(rule, start, end, "it goes on in other words"))
    return list(_outside(hits, misses))


def _outside(hits: list[tuple[int, int]], misses: dict[int, NearMiss]) -> Iterator[NearMiss]:
    """The misses that start in no hit."""
    hits = sorted(hits, reverse=True)
    covered = 0
    for start in sorted(misses):
        while hits and hits[-1][0] <= start:
            covered = max(covered, hits.pop()[1])
        if start >= covered:
            yield misses[start]


def _drifted(match: Match, page: Page) -> Iterator[tuple[int, int]]:
    if isinstance(match, Phrase):
        wordings = match.words
    elif isinstance(match, (Line, Paragraph, Sentence)):
        wordings = match.opening
    else:
        return
    for beginning in filter(None, map(_telling_beginning, wordings)):
        for found in compile_words(beginning).pattern.finditer(page.text):
            if not page.objection(*found.span()):
                yield found.span()


def _telling_beginning(wording: str) -> str:
    """The first words, three at least, up to a name in them; nothing if there is none."""
    words = wording.split()
    for index, word in enumerate(words[:-1]):
        if index >= 2 and any(known[0].isupper() for known in words[1 : index + 1]):
            return " ".join([*words[:index], word.rstrip(",.:;")])
    return ""
