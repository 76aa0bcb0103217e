"""Layer 1 on a text: rewrites the sentences that make an upstream refuse, and nothing else.

All rules look at the same text; of overlapping matches the one that starts first wins, then the
longer one, then the earlier rule. What one rule removes may bring together what another looks for,
so the result is looked at again until nothing is found, at most `ROUNDS` times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import NamedTuple

from mitmproxy_windsurf.prompts.kinds import Match, Phrase
from mitmproxy_windsurf.prompts.page import Page
from mitmproxy_windsurf.prompts.rules import TARGETS, Target
from mitmproxy_windsurf.prompts.ruleset import Entry, RuleSet, shipped
from mitmproxy_windsurf.prompts.spans import Span, compose, lay_out
from mitmproxy_windsurf.text.edits import Edit

ROUNDS = 6
PER_RESULT = 1000  # what a remembered result weighs beside its text
LARGE = 512
"""UTF-8 bytes that a single match may remove without a warning."""


@dataclass(frozen=True, slots=True)
class Neutralized:
    """A text after layer 1, and one edit for each change."""

    text: str
    edits: tuple[Edit, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The edits as places in the text that came."""
        return tuple(
            Span(edit.start, edit.start + len(edit.before), edit.after, edit.rule)
            for edit in self.edits
        )


def neutralize(
    text: str, *, target: Target = "system", rules: RuleSet | None = None
) -> Neutralized:
    """Rewrite one text: a system prompt, or the description of a tool."""
    return neutralize_parts([text], target=target, rules=rules)[0]


def neutralize_parts(
    texts: Sequence[str], *, target: Target = "system", rules: RuleSet | None = None
) -> list[Neutralized]:
    """Rewrite adjacent text parts of one prompt: each alone, and what is cut where they meet.

    A replacement goes where its match starts; the rest of a match is removed from the parts behind.
    """
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, not {target!r}")
    program = (rules or shipped()).program(target)
    known = program.memory.get(tuple(texts))
    if known is None:
        known = _neutralized(texts, program.entries)
        program.memory.put(tuple(texts), known, sum(map(len, texts)) + PER_RESULT)
    return list(known)


def _neutralized(texts: Sequence[str], entries: Sequence[Entry]) -> tuple[Neutralized, ...]:
    run = _Run(entries, texts)
    for _ in range(ROUNDS):
        if not run.round():
            break
    return run.results()


class _Hit(NamedTuple):
    start: int
    end: int
    replacement: str
    entry: Entry


class _Draft:
    """A part on its way: as it came, as it is now, and the spans between the two."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.page = Page(text)
        self.spans: list[Span] = []
        self.settled = False

    def apply(self, spans: Sequence[Span]) -> None:
        self.page = self.page.after(spans)
        self.spans = compose(self.spans, spans) if self.spans else list(spans)
        self.settled = False

    def result(self) -> Neutralized:
        edits = tuple(
            Edit(
                rule=span.rule,
                before=self.original[span.start : span.end],
                after=span.replacement,
                layer="neutralize",
                start=span.start,
            )
            for span in self.spans
        )
        return Neutralized(self.page.text, edits)


class _Run:
    """One call: the parts, what was already put once, and what there is to warn of."""

    def __init__(self, entries: Sequence[Entry], texts: Sequence[str]) -> None:
        self._entries = entries
        self._drafts = [_Draft(text) for text in texts]
        self._put: set[Match] = set()
        self._fired: Counter[str] = Counter()
        self._warnings: list[str] = []

    def round(self) -> bool:
        """Look at everything once; False when there was nothing to change."""
        changed = len(self._drafts) > 1 and self._across_parts()
        for draft in self._drafts:
            if not draft.settled:
                hits = _resolved(_hits(draft.page, self._entries))
                draft.settled = not hits
                if hits:
                    draft.apply(self._laid(draft.page.text, hits))
                    changed = True
        return changed

    def results(self) -> tuple[Neutralized, ...]:
        for rule, times in self._fired.items():
            if times > 1:
                self._warnings.append(f"rule {rule}, a single word, matched {times} times")
        results = tuple(draft.result() for draft in self._drafts)
        if not self._warnings:
            return results
        return (replace(results[0], warnings=tuple(self._warnings)), *results[1:])

    def _across_parts(self) -> bool:
        seams = list(accumulate(len(draft.page.text) for draft in self._drafts))
        page = Page("".join(draft.page.text for draft in self._drafts), seams[:-1])
        found = list(_found(page, self._entries))
        hits = [
            hit
            for hit, why_not in found
            if not why_not
            and hit.entry.match.crosses_parts
            and page.crosses_seam(hit.start, hit.end)
        ]
        spans = self._laid(page.text, _resolved(hits))
        for draft, seam in zip(self._drafts, seams, strict=True):
            own = list(_within(spans, seam - len(draft.page.text), seam))
            if own:
                draft.apply(own)
            draft.settled = draft.settled or not found
        return bool(spans)

    def _laid(self, text: str, hits: Sequence[_Hit]) -> list[Span]:
        """Spans for the hits, noting what has to be noted."""
        spans = []
        for start, end, replacement, (rule, match) in hits:
            if match.once and match in self._put:
                replacement = ""
            elif match.once:
                self._put.add(match)
            if isinstance(match, Phrase) and len(text[start:end].split()) == 1:
                self._fired[rule] += 1
            size = _size(text[start:end])
            if size > LARGE:
                self._warnings.append(f"rule {rule} replaced {size} bytes by {_size(replacement)}")
            spans.append(Span(start, end, replacement, rule))
        return lay_out(text, spans)


def _found(page: Page, entries: Sequence[Entry]) -> Iterator[tuple[_Hit, str]]:
    for entry in entries:
        for start, end, replacement, why_not in entry.match.find(page):
            yield _Hit(start, end, replacement, entry), why_not


def _hits(page: Page, entries: Sequence[Entry]) -> Iterator[_Hit]:
    return (hit for hit, why_not in _found(page, entries) if not why_not)


def _resolved(hits: Iterable[_Hit]) -> list[_Hit]:
    chosen: list[_Hit] = []
    for hit in sorted(hits, key=lambda hit: (hit.start, -hit.end)):
        if not chosen or hit.start >= chosen[-1].end:
            chosen.append(hit)
    return chosen


def _within(spans: Iterable[Span], start: int, end: int) -> Iterator[Span]:
    """What of the spans lies in the part from `start` to `end`, counted from its start."""
    for span in spans:
        if span.start < end and span.end > start:
            yield Span(
                max(span.start, start) - start,
                min(span.end, end) - start,
                span.replacement if span.start >= start else "",
                span.rule,
            )


def _size(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))
