"""What the identity layer rewrites: patterns that begin at the first character that would change.

Whether a pattern applies at a place is decided from the text before it (`identity_leads`), so
nothing is ever held on the strength of a lead-in alone: "I am " goes out, "Cas" after it waits.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from mitmproxy_windsurf.text.identity_words import (
    ADVERBS,
    CLOSERS,
    JA_KINDS,
    JA_MADE,
    JA_QUALITIES,
    KINDS,
    MADE,
    NAME_CHARS,
    OPENERS,
    QUALITIES,
    WORD,
    ZH_KINDS,
    ZH_MADE,
    ZH_QUALITIES,
    words,
)
from mitmproxy_windsurf.text.partial import (
    Matcher,
    Pattern,
    ahead,
    alt,
    chars,
    lit,
    one,
    opt,
    repeat,
    seq,
    unless,
)


class Rule:
    """One thing that may be rewritten: `eaten`, if `rest` is what follows."""

    def __init__(self, id_: str, eaten: Pattern, *rest: Pattern) -> None:
        self.id: Final = id_
        self.matcher: Final = Matcher(seq(eaten, *rest))
        self._eaten = eaten

    def end_of_eaten(self, text: str, at: int) -> int | None:
        """Where the part that is replaced ends, once that is clear, even if the rest is not."""
        match = self._whole_eaten.match(text, at)
        return match.end() if match else None

    @cached_property
    def _whole_eaten(self) -> re.Pattern[str]:
        return re.compile(self._eaten.full + r"(?=[\s\S])")


def _any(*groups: tuple[str, ...]) -> Pattern:
    """One of these words or phrases, in any case."""
    return alt(*(_phrase(text) for group in groups for text in group))


def _phrase(text: str) -> Pattern:
    first, *others = text.split(" ")
    words: list[Pattern] = [lit(first, any_case=True)]
    for word in others:
        words += [_GAP, lit(word, any_case=True)]
    return seq(*words)


# Characters and words.
_BLANK: Final = chars(r" \t", 1, 3)
_MAYBE_BLANK: Final = chars(r" \t", 0, 1)
_GAP: Final = chars(r" \t\r\n", 1, 3)
_OPEN: Final = chars(re.escape(OPENERS), 0, 3)
_CLOSE: Final = chars(re.escape(CLOSERS), 0, 3)
_LONGER: Final = (
    one(NAME_CHARS),
    seq("-", one(NAME_CHARS)),
    seq(chars("_", 1, 3), one(NAME_CHARS)),
)
"""What makes a name a part of another word."""
_ANOTHER: Final = seq(_BLANK, one("A-Z"))
"""What makes a name the first word of another one."""
_WORD_ENDS: Final = unless(one(NAME_CHARS))

_NAME: Final = lit("Cascade")
_MAKER: Final = alt("Codeium", "codeium", "Windsurf")
_MAKER_ENDS: Final = unless(*_LONGER, _ANOTHER, seq(".", one("a-z")))

# What may follow the name where it stands for the assistant.
_AN_AI: Final = seq(
    lit("AI", any_case=True),
    alt(
        seq(_GAP, _any((*MADE, "that", "which", "who")), _WORD_ENDS),
        unless(*_LONGER, seq(_GAP, one(NAME_CHARS))),
    ),
)
"""Not an AI company, or an AI something else."""
_KIND: Final = seq(
    repeat(seq(_any(QUALITIES), _GAP), 0, 4),
    alt(seq(_any(KINDS, ("AI tool", "AI system")), _WORD_ENDS), _AN_AI),
)
_IS: Final = alt(
    seq(_GAP, alt("is", "was", "has been"), _GAP),
    seq(",", _GAP),
    seq(_MAYBE_BLANK, one("—–"), _MAYBE_BLANK),
    seq(_BLANK, alt("- ", "(")),
)
_MADE_BY: Final = seq(
    opt(_any(ADVERBS, ("lovingly", "exclusively")), _GAP),
    *(_any(MADE), opt(opt(","), _GAP, "and", _GAP, _any(MADE)), _GAP, "by", _GAP),
    opt(
        opt("the", _GAP), alt("team", "engineers", "folks", "people"), _GAP, alt("at", "from"), _GAP
    ),
    *(opt("the", _GAP), _OPEN, _MAKER, _MAKER_ENDS),
)
_THIRD_PERSON: Final = seq(
    _CLOSE,
    alt(
        seq(_IS, alt(seq(_any(("an", "a", "your", "the")), _GAP, _KIND), _MADE_BY)),
        seq(
            *(_MAYBE_BLANK, "是", _MAYBE_BLANK),
            opt(alt("一个", "一款", "一名", "一位", "您的", "你的"), _MAYBE_BLANK),
            *(repeat(seq(_any(ZH_QUALITIES), _MAYBE_BLANK), 0, 4), _any(ZH_KINDS)),
        ),
        seq(
            *(_MAYBE_BLANK, "は", opt("、"), _MAYBE_BLANK),
            *(repeat(seq(_any(JA_QUALITIES), _MAYBE_BLANK), 0, 4), _any(JA_KINDS)),
        ),
        seq(
            *(_GAP, "es", _GAP, alt("un", "una", "tu", "su"), _GAP),
            *(_any(("asistente", "agente")), _WORD_ENDS),
        ),
    ),
)
_FIRST_PERSON: Final = alt(
    seq(_CLOSE, opt(","), _GAP, alt("I", "my", "me", "we", "your"), _WORD_ENDS),
    seq(_CLOSE, _MAYBE_BLANK, one(",，"), _MAYBE_BLANK, "我"),
    seq(
        *(_CLOSE, ",", _GAP),
        *(alt("yo", "puedo", "no puedo", "mi", "estoy", "soy", "te", "tengo", "voy"), _WORD_ENDS),
    ),
)
_PARTICLES: Final = (
    *map(lit, words("を に が の へ や も から より では じゃ")),
    seq("と", one("^申いう言")),
    seq("で", one("^すあ、ごし")),
)
"""With these the name is not what the speaker is called."""

# The rules.
NAME: Final = Rule("name", _NAME, unless(*_LONGER))
NAME_IN_ANY_CASE: Final = Rule("name", lit("cascade", any_case=True), unless(*_LONGER))
NAME_ALONE: Final = Rule("name", _NAME, unless(*_LONGER, _ANOTHER))
NAME_IN_JAPANESE: Final = Rule(
    "name", _NAME, unless(*_LONGER, *(seq(_CLOSE, _MAYBE_BLANK, p) for p in _PARTICLES))
)
NAME_DESU: Final = Rule(
    "name",
    _NAME,
    ahead(_CLOSE, _MAYBE_BLANK, alt("です", "と申します", "といいます", "と言います")),
)
NAME_OF_A_KIND: Final = Rule("name", _NAME, ahead(_CLOSE, _GAP, _KIND))
NAME_THEN_I: Final = Rule("name", _NAME, ahead(_FIRST_PERSON))
NAME_OF_ITSELF: Final = Rule("name", _NAME, ahead(_THIRD_PERSON))

CODING: Final = Rule("name", lit("coding ", any_case=True), ahead(_any(KINDS), _WORD_ENDS))

_WORKSPACE: Final = ahead("workspace", unless(*_LONGER))
WORKSPACE: Final = Rule("workspace", seq("Cascade", _BLANK), _WORKSPACE)
ITS_WORKSPACE: Final = Rule("workspace", seq("Cascade", one("'’"), "s", _BLANK), _WORKSPACE)

MAKER: Final = Rule("vendor", _MAKER, _MAKER_ENDS)
_ZH_ASIDE: Final = opt(
    one("（("),
    opt(alt("原", "原名", "前身为", "前身是", "现", "现为"), _MAYBE_BLANK),
    _MAKER,
    one("）)"),
)
_ZH_TEAM: Final = opt(alt("公司", "团队", "公司的团队"))
_MADE_IN_ZH: Final = _any(ZH_MADE)
MAKER_IN_CHINESE: Final = Rule(
    "vendor",
    seq(_MAKER, _ZH_ASIDE),
    ahead(_CLOSE, _MAYBE_BLANK, _ZH_TEAM, _MAYBE_BLANK, _MADE_IN_ZH),
)
"""After 由, 被."""
MAKER_OF_ME_IN_CHINESE: Final = Rule(
    "vendor",
    seq(_MAKER, _ZH_ASIDE),
    ahead(
        _CLOSE,
        _MAYBE_BLANK,
        _ZH_TEAM,
        _MAYBE_BLANK,
        opt("所"),
        _MADE_IN_ZH,
        opt("和", _MADE_IN_ZH),
        "的",
    ),
)
MAKER_IN_JAPANESE: Final = Rule(
    "vendor",
    _MAKER,
    ahead(
        _CLOSE,
        _MAYBE_BLANK,
        opt("社"),
        alt("によって", "により", "に"),
        _MAYBE_BLANK,
        _any(JA_MADE),
    ),
)
MAKER_OF_ME_IN_JAPANESE: Final = Rule(
    "vendor", _MAKER, ahead(_CLOSE, _MAYBE_BLANK, opt("社"), "が", _MAYBE_BLANK, _any(JA_MADE))
)
ASIDE: Final = Rule(
    "vendor",
    seq(
        *(_MAYBE_BLANK, "("),
        opt(
            alt("formerly", "previously", "now", "originally", "once", "also"),
            opt(_GAP, "known as"),
            _GAP,
        ),
        *(_MAKER, ")"),
    ),
)
"""Right after a vendor that was rewritten."""


def _names() -> str:
    """The names without their first letter, also where the text ends within one."""
    tails = alt(*(lit(tail, any_case=True) for tail in ("ascade", "odeium", "indsurf", "oding ")))
    return rf"(?<!(?:{WORD}|[-/.@]).)(?:{tails.full}|{tails.prefix})"


NAME_START: Final = re.compile(rf"[CcW]{_names()}").search
"""Finds where a rule may match, in prose."""
ANY_START: Final = re.compile(rf"[CcW`~](?:(?<=[`~])|{_names()})").search
"""Finds where a rule may match or code may begin: of text without it nothing has to be known."""
