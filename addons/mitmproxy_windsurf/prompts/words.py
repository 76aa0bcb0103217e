"""Words as a rule gives them, compiled to a pattern that forgives how a prompt lays them out.

Between two words any white space may stand (a line wrap, a no-break space), and Markdown emphasis
may stand around a word; straight and curly apostrophes and quotes are the same. Everything else is
exact, letter case too.

Three slots stand for what varies: `{word}` is one word, `{id}` one word that looks like an
identifier (a digit, a slash, an underscore or two hyphens), `{name}` a product's name of up to six
words.

Every word that is not a slot must occur in a text before the pattern is even compiled, and a
pattern starts with a literal, so that a prompt without the words costs a few substring searches.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

EMPHASIS = r"[*_]{0,3}"
GAP = rf"{EMPHASIS}\s+{EMPHASIS}"
LOOKALIKES = {"'": "['’‘ʼ＇]", '"': '["“”„]'}
_STRAIGHT = str.maketrans(dict.fromkeys("’‘ʼ＇", "'") | dict.fromkeys("“”„", '"'))

_TOKEN = r"[^\s.,;:!?]+(?:[.,;:!?]+[^\s.,;:!?]+)*"  # punctuation inside ("4.8"), never at the end
_MORE = rf"(?:\([^()\n]{{0,60}}\)|(?=[A-Z\d\[]|\S{{0,40}}?\d){_TOKEN})"
SLOTS = {
    "{word}": _TOKEN,
    "{id}": rf"(?=\S{{0,200}}?(?:[\d/_]|-\S{{0,200}}?-)){_TOKEN}",
    "{name}": rf"{_TOKEN}(?:\s+{_MORE}){{0,5}}",
}
_SLOT_LIKE = re.compile(r"\{[^{}\s]*\}")
_SHAPE = re.compile(r"""(?P<lead>["(\[]*)(?P<core>.*?)(?P<trail>[,.:;!?)"\]]*)""", re.DOTALL)
_PLAIN = re.compile(r"""[^'"]+""")


class Words:
    """One wording: where it occurs in a text."""

    def __init__(self, wording: str) -> None:
        shapes = [_SHAPE.fullmatch(token) for token in wording.translate(_STRAIGHT).split()]
        self._tokens = [(s["lead"], s["core"], s["trail"]) for s in shapes if s]
        cores = [core for _, core, _ in self._tokens if core not in SLOTS]
        literals = {max(_PLAIN.findall(core), key=len, default="") for core in cores}
        self.literals = tuple(sorted(literals - {""}, key=len, reverse=True))
        """What must occur in a text; the longest first, which is the rarest and found fastest."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(GAP.join(_token(*token) for token in self._tokens))


@lru_cache(maxsize=1024)
def compile_words(wording: str) -> Words:
    return Words(wording)


def objection(wording: str) -> str:
    """Why a rule must not give these words, or nothing."""
    tokens = wording.split()
    if not tokens:
        return "is empty: give the words to look for"
    if tokens[0] in SLOTS:
        return "starts with a slot: start with a word, which is what the search looks for"
    for slot in _SLOT_LIKE.findall(wording):
        if slot not in SLOTS:
            return f"has the unknown slot {slot}: use one of {', '.join(SLOTS)}"
    return ""


def _token(lead: str, core: str, trail: str) -> str:
    return (
        (_literal(lead) + EMPHASIS if lead else "")
        + (SLOTS.get(core) or _literal(core))
        + (EMPHASIS + _literal(trail) if trail else "")
    )


def _literal(text: str) -> str:
    return "".join(LOOKALIKES.get(char) or re.escape(char) for char in text)
