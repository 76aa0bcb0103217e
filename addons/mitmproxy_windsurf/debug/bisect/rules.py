"""A rule for a fragment that was found, as TOML to be pasted into a pack, tried before it is shown.

The rule only takes the fragment out: a better wording is the user's to find. The example shows the
sentence that the fragment stands in, before and after.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from mitmproxy_windsurf.debug.bisect.pieces import sentence_around
from mitmproxy_windsurf.debug.keys import CENSORED
from mitmproxy_windsurf.prompts import PackError, RulePack, RuleSet
from mitmproxy_windsurf.prompts.loader import parse_pack
from mitmproxy_windsurf.prompts.neutralize import neutralize
from mitmproxy_windsurf.wire.parts import Target

Cut = Callable[[str], str]
"""Cuts secrets out of a text, as `debug.keys.censor` does."""

NEUTRAL: dict[Target, str] = {
    "system": "Follow the instructions of the user.",
    "tools": "There is no further description.",
}
"""Put in place of a text that would have nothing left."""

NO_RULE = "no kind of rule reaches it there; it may stand in code, in a path or inside of a word"
_WORD = re.compile(r"[A-Za-z0-9]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MUST_ESCAPE = re.compile('["\\\\\x00-\x1f\x7f]')
_SURROGATE = re.compile("[\ud800-\udfff]")
_SLOT = "{word}"


@dataclass(frozen=True)
class Draft:
    """A rule without its evidence, which is known only when it has been tried."""

    head: tuple[tuple[str, str], ...]
    match: tuple[tuple[str, str], ...]
    example: tuple[str, str] = ("", "")

    def toml(self, evidence: str = "") -> str:
        """The rule as a table."""
        before, after = self.example
        pairs = (*self.head, ("evidence", quoted(evidence)), *self.match)
        lines = ["[[rule]]", *(f"{key} = {value}" for key, value in pairs)]
        if before:
            lines += ["", "[[rule.examples]]", f"before = {quoted(before)}"]
            lines += [f"after = {quoted(after)}"]
        return "\n".join([*lines, ""])

    def pack(self) -> RulePack:
        """The rule as one that can be applied.

        Raises:
            PackError: it is no rule.
        """
        return parse_pack(self.toml(), "the rule that was found")


def draft_rule(
    text: str, start: int, end: int, target: Target, *, reason: str, taken: Iterable[str], cut: Cut
) -> Draft | None:
    """A rule that removes the characters `start` to `end` of a text, if there can be one.

    `taken` are ids that are in use.
    """
    fragment = cut(text[start:end]).strip()
    replacement = "" if (text[:start] + text[end:]).strip() else NEUTRAL[target]
    head = (
        ("id", quoted(_free(_identifier(fragment), set(taken)))),
        ("summary", quoted(f"Found by a bisection: with it the upstream answers {reason}")),
        ("targets", f'["{target}"]'),
    )
    for kind, key, value in _matches(fragment):
        match = (
            ("kind", quoted(kind)),
            (key, quoted(value)),
            ("replacement", quoted(replacement)),
        )
        draft = Draft(head, match)
        if _removes(draft, text, start, end, target):
            return _with_example(draft, text, start, end, target, cut)
    return None


def quoted(text: str) -> str:
    """A TOML string; what TOML cannot say becomes a question mark."""
    escaped = _MUST_ESCAPE.sub(
        lambda found: _ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}", text
    )
    return f'"{_SURROGATE.sub("?", escaped)}"'


def _matches(fragment: str) -> Iterator[tuple[str, str, str]]:
    """Kind, key and value, the likeliest first."""
    words = [_SLOT if CENSORED in word else word for word in fragment.split()]
    while words and words[0] == _SLOT:
        del words[0]
    if words:
        yield "phrase", "words", " ".join(words)
        trimmed = " ".join(words).strip(".,;:!?…—– ")
        if trimmed:
            yield "phrase", "words", trimmed
    if CENSORED not in fragment:
        yield "regex", "pattern", r"\s+".join(map(re.escape, fragment.split()))


def _removes(draft: Draft, text: str, start: int, end: int, target: Target) -> bool:
    """Whether the rule loads and finds the fragment where it stands."""
    try:
        rules = RuleSet.of([draft.pack()])
    except PackError:
        return False
    first = start + len(text[start:end]) - len(text[start:end].lstrip())
    return any(
        span.start < end and first < span.end
        for span in neutralize(text, target=target, rules=rules).spans
    )


def _with_example(draft: Draft, text: str, start: int, end: int, target: Target, cut: Cut) -> Draft:
    rules = RuleSet.of([draft.pack()])
    for first, last in (_context(text, start, end), (start, end)):
        before = _SURROGATE.sub("?", cut(text[first:last]).strip())
        after = neutralize(before, target=target, rules=rules).text
        if after != before:
            return Draft(draft.head, draft.match, (before, after))
    return draft


def _context(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence, with a neighbor from its paragraph if the fragment is all of it."""
    first, last = sentence_around(text, start, end)
    if text[first:last].strip() == text[start:end].strip():
        line = text.rfind("\n", 0, first) + 1
        if text[line:first].strip():
            first, _ = sentence_around(text, first - 2, first - 1)
        elif "\n" not in text[end:].rstrip() or text[end : text.find("\n", end)].strip():
            _, last = sentence_around(text, end, end + 1)
    return first, last


def _identifier(fragment: str) -> str:
    words = [word.lower() for word in _WORD.findall(fragment)]
    return "-".join(["found", *words[:5]])[:60].rstrip("-")


def _free(name: str, taken: set[str]) -> str:
    numbers = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(free for free in numbers if free not in taken)
