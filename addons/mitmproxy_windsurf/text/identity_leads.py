"""Which identity rules apply at a place, told from the text before it and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from mitmproxy_windsurf.text import identity_rules as rules
from mitmproxy_windsurf.text.identity_rules import Rule
from mitmproxy_windsurf.text.identity_sentence import (
    END,
    I_AM,
    START,
    TEAM,
    last_match,
    sentence_so_far,
    speaks_of_itself,
)
from mitmproxy_windsurf.text.identity_words import (
    ADVERBS,
    BE,
    CLOSERS,
    ES_MADE,
    KINDS,
    MADE,
    OPENERS,
    QUALITIES,
    WORD,
    either,
    words,
)
from mitmproxy_windsurf.text.vendors import vendor_of

MAX_NAME: Final = 128
_NEAR: Final = 40
_FAR: Final = 120
"""Characters in which a lead lies, short or long."""


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the assistant is to say it is."""

    name: str
    vendor: str | None

    @classmethod
    def of(cls, model: str | None, vendors: Mapping[str, str]) -> Persona | None:
        """None if there is no name to give. A name is data: nothing in it can do anything."""
        name = _printable(model or "")
        return cls(name, _printable(vendor_of(name, vendors) or "") or None) if name else None


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())[:MAX_NAME].strip()


class Claim(NamedTuple):
    """A rule that applies, and what its match becomes."""

    rule: Rule
    replacement: str


def _ends(*leads: str, any_case: bool = False) -> re.Pattern[str]:
    """Finds one of these at the end of a text."""
    return re.compile(rf"(?:{'|'.join(leads)})\Z", re.IGNORECASE if any_case else 0)


# How an assistant says what it is called.
_I_AM: Final = _ends(I_AM)
_THEN: Final = words("actually called indeed just named now really simply still")
_CALL_ME: Final = _ends(
    rf"(?<!{WORD})(?:(?:i\s+am|i['’]m)\s+{either(_THEN)}"
    r"|call\s+me|i\s+go\s+by(?:\s+the\s+name)?(?:\s+of)?"
    r"|(?<!no )soy|me\s+llamo|mi\s+nombre\s+es|llámame)",
    any_case=True,
)
_I_AM_THE: Final = _ends(rf"[Ii](?<!{WORD}.)(?i:(?:\s+am|['’]m)\s+(?:the|your|an?))")
_NAMED: Final = _ends(
    rf"(?<!{WORD})(?P<kind>{either(KINDS, 'AI')}[*_]{{0,3}})(?:,|:|\s+[—–-]|\s+(?:named|called))?",
    any_case=True,
)
_IN_CHINESE: Final = _ends(
    "我是|我叫|我名叫|我就是|叫我|我的名字(?:就?是|叫)",
    "(?:我|本助手)(?:将|会|可以|能|现在)?(?:作为|身为)",
)
_IN_JAPANESE: Final = _ends("(?:私|僕|わたし)(?:の名前)?は[、,]?")
_DESU_STARTS: Final = _ends(r"[\n。！!][ \u3000]*", "(?:こんにちは|はじめまして|初めまして)[、,]?")
_PRODUCT: Final = _ends("Windsurf", "Codeium", "(?<!it)(?<!at)(?<!re)(?<!ho)['’]s", any_case=True)
"""What a product has before its name, and a speaker has not."""

# In which role it speaks.
_ROLE: Final = either(
    words(
        "act acts acting work works working serve serves serving speak speaking operate operates"
    ),
    words("operating function functions functioning respond responding reply replying"),
)
_AS_AT_START: Final = _ends(
    r"(?:[\n.!?…:;,(>—–-]|\n\d+[.)])[\s*_\"“>-]*as",
    rf"\b(?:and|but|so|then|here|now|today|{_ROLE})\s+as",
    any_case=True,
)
_COMO_AT_START: Final = _ends(r"[\n.!?…:;,(>-][\s*_\"“>-]*como", any_case=True)
_ROLE_ALONE: Final = re.compile(rf"[^\w`]*(?:{_ROLE}|writing|here)\s+", re.IGNORECASE)
_SPEAKER: Final = re.compile(
    rf"{START}(?:[Ii]['’](?:m|ve|d|ll)|I|i(?!\.)|[Mm]e|[Mm]y|[Mm]yself){END}"
)
_IN_ROLE: Final = re.compile(
    rf"\b(?:{_ROLE}|help|helping|assist|assisting|introduce|introduced|identify|known|refer|referred"
    rf"|run|running|appear|appearing|role|capacity|job|task|here|{either(BE)}\s+(?:\w+ly\s+)?\w+ed)\b"
    rf"|\A(?:\s+(?:{either(ADVERBS)}|\w+ly))?\s*\Z|\A\s+\w+ed\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?i:it|its|this|that|these|those|them|him|her|he|she|they|such|same|well|soon|far|long|much"
    r"|many|as|you\s+(?:to|can|could|may|must|should|will|would))\b|[A-Z][a-z]|[`\d]"
    r"|(?<!\bin)(?<!\bto)(?<!\bof)(?<!\bby)(?<!\bon)(?<!\bat)(?<!\bfor)(?<!\bwith)(?<!\bfrom)"
    r"\s(?i:the|an?)\b"
)
"""Someone or something else that may be what is meant."""

# Who made it.
_MADE_BY: Final = _ends(
    rf"[A-Za-z](?<!{WORD}.)(?i:{either(f'(?<={word[0]}){word[1:]}' for word in MADE)}"
    rf"(?:\s+{either(ADVERBS)})?"
    rf"\s+by:?[*_]{{0,3}}:?(?:\s+{TEAM})?(?:\s+the)?)"
)
_HECHO_POR: Final = _ends(rf"(?<!{WORD}){ES_MADE}\s+por(?:\s+el\s+equipo\s+de)?", any_case=True)
_ASIDE_TAIL: Final = re.compile(
    rf"(?:Codeium|codeium|Windsurf)[{re.escape(CLOSERS)}]{{0,3}}(?:[ \t]?\([\w\s]{{,40}}\))*\Z"
)

# What else is around a name.
_SENTENCE_STARTS: Final = _ends(r"[.!?…][\"'”’)\]*_]*\s+")
_AN_AI: Final = re.compile(
    rf"Cascade[{re.escape(CLOSERS)}]{{0,3}}\s+(?i:(?:is|was|has\s+been)\s+(?:an?|your|the)\s+"
    rf"(?:{either(QUALITIES)}\s+){{0,4}}?AI) \Z"
)
_IN_WORD: Final = re.compile(rf"{WORD}|[-/.@]").match

# A lead can end only in these words, so that most places are done with after a look at one word.
_I_AM_WORDS: Final = frozenset({"am", "i'm", "i’m", "is", "name's", "name’s"})
_CALL_ME_WORDS: Final = frozenset(
    {*_THEN, "me", "by", "name", "of", "soy", "llamo", "es", "llámame"}
)
_ARTICLES: Final = frozenset({"the", "your", "a", "an"})
_NAMED_WORDS: Final = frozenset(
    {"named", "called", "ai", *(kind.split(" ")[-1].lower() for kind in KINDS)}
)
_MADE_BY_WORDS: Final = frozenset(
    {"by", "por", "de", "the", "at", "from", "of", "behind", "called", "named"}
)
_WHOSE: Final = frozenset({"the", "my", "your", "this", "our", "its"})
_SIGNS: Final = " \t\r\n*_,:—–-"
_LAST_WORD: Final = re.compile(r"(?<!\w)\w[\w'’]*\Z").search


class _Place:
    """The text before a name, without what may stand in between."""

    def __init__(self, past: str) -> None:
        self.past = past
        end = len(past)
        while end and past[end - 1] in OPENERS and len(past) - end < 3:
            end -= 1
        self.quoted = end < len(past)
        stem = past[:end]
        lead = stem.rstrip(" \t\r\n\u3000\xa0")
        gap = stem[len(lead) :]
        self.lead = lead if gap.count("\n") <= 1 else ""
        """What the name follows over blanks or a single line break."""
        self.near = self.lead[-_NEAR:]
        """The end of it."""
        last_word = _LAST_WORD(self.near.rstrip(_SIGNS))
        self.word = last_word[0].lower() if last_word else ""
        self.is_product = self.word == "the" or _PRODUCT.search(self.near[-9:]) is not None
        """Whether the name, if it comes, is not that of a speaker."""


def claims_at(past: str, persona: Persona) -> tuple[Claim, ...]:
    """What applies to a name right after `past`; the first that matches counts."""
    if _IN_WORD(past.rstrip("_")[-1:]):
        return ()
    place = _Place(past)
    lead = _lead_rules(place, persona)
    claims = [Claim(rule, persona.name) for rule in lead or _other_name_rules(place)]
    if not lead:
        claims += _workspace_claims(place)
        if past.endswith("AI ") and _is_an_ai(past[-_FAR:]):
            claims.append(Claim(rules.CODING, ""))
    if persona.vendor:
        claims += [Claim(rule, persona.vendor) for rule in _maker_rules(place, persona)]
    return tuple(claims)


def aside_at(past: str, persona: Persona) -> tuple[Claim, ...]:
    """What applies right after the name of a maker: `(formerly …)` goes with it."""
    tail = _ASIDE_TAIL.search(past)
    if tail and any(c.rule is rules.MAKER for c in claims_at(past[: tail.start()], persona)):
        return (Claim(rules.ASIDE, ""),)
    return ()


def _lead_rules(place: _Place, persona: Persona) -> tuple[Rule, ...]:
    """If the name stands where the speaker says what it is called: the rules for that."""
    near, word = place.near, place.word
    if word in _I_AM_WORDS and _I_AM.search(near):
        return (rules.NAME_IN_ANY_CASE,)
    if word in _CALL_ME_WORDS and _CALL_ME.search(near):
        return (rules.NAME,)
    if word == "as" and near.endswith(("as", "As", "AS")):
        as_me = _speaks_as(sentence_so_far(place.lead, persona.name)[:-2])
        return (rules.NAME_ALONE, rules.NAME_THEN_I) if as_me else ()
    if word in _NAMED_WORDS and _is_named(place.lead, persona.name):
        return (rules.NAME_ALONE,)
    if near[-1:] > "\u2fff":
        if _IN_CHINESE.search(near):
            return (rules.NAME,)
        if _IN_JAPANESE.search(near):
            return (rules.NAME_IN_JAPANESE,)
    return ()


def _other_name_rules(place: _Place) -> Iterator[Rule]:
    """The rules for a name that may be another's: what follows has to show that it is not."""
    near, word = place.near, place.word
    if word in _ARTICLES and _I_AM_THE.search(near):
        yield rules.NAME_OF_A_KIND
    if (
        (word == "as" and _AS_AT_START.search(near))
        or (word == "como" and _COMO_AT_START.search(near))
        or near.endswith(("作为", "身为"))
    ):
        yield rules.NAME_THEN_I
    if not place.is_product:
        yield rules.NAME_OF_ITSELF
    if _DESU_STARTS.search(place.past[-_NEAR:]):
        yield rules.NAME_DESU


def _is_named(lead: str, name: str) -> bool:
    """Whether the sentence has just said what kind of assistant "I" am."""
    if not _NAMED.search(lead[-_NEAR:]):
        return False
    sentence = sentence_so_far(lead, name)
    named = _NAMED.search(sentence, max(0, len(sentence) - _NEAR))
    return named is not None and speaks_of_itself(sentence[: named.end("kind")], by_word=True)


def _speaks_as(sentence: str) -> bool:
    """Whether it is the speaker who acts "as" what follows."""
    if _ROLE_ALONE.fullmatch(sentence):
        return True
    speaker = last_match(_SPEAKER, sentence)
    if speaker is None:
        return False
    rest = sentence[speaker.end() :]
    return not _OTHERS.search(rest) and _IN_ROLE.search(rest) is not None


def _is_an_ai(near: str) -> bool:
    """Whether the name of the assistant and "is an AI" have just come."""
    an_ai = _AN_AI.search(near)
    return an_ai is not None and not _Place(near[: an_ai.start()]).is_product


def _workspace_claims(place: _Place) -> Iterator[Claim]:
    if place.quoted:
        return
    if place.word in _WHOSE and place.near[-1:].isalpha():
        yield Claim(rules.WORKSPACE, "")
        yield Claim(rules.ITS_WORKSPACE, "")
    elif not place.is_product:
        starts = _SENTENCE_STARTS.search(place.past[-_NEAR:])
        yield Claim(rules.ITS_WORKSPACE, "The " if starts else "the ")


def _maker_rules(place: _Place, persona: Persona) -> Iterator[Rule]:
    near, far, name = place.near, place.lead[-_FAR:], persona.name
    if place.word in _MADE_BY_WORDS and (made_by := _MADE_BY.search(far) or _HECHO_POR.search(far)):
        sentence = sentence_so_far(place.lead, name)
        made_by = made_by.re.search(sentence, max(0, len(sentence) - _FAR))
        if made_by and speaks_of_itself(sentence[: made_by.start()]):
            yield rules.MAKER
    elif near.endswith(("由", "被")):
        if speaks_of_itself(sentence_so_far(place.lead, name)[:-1]):
            yield rules.MAKER_IN_CHINESE
    elif not near or near[-1] > "\u2fff":
        sentence = sentence_so_far(place.past, name)
        if speaks_of_itself(sentence):
            yield rules.MAKER_IN_JAPANESE
        if speaks_of_itself(sentence, by_word=True):
            yield rules.MAKER_OF_ME_IN_CHINESE
            yield rules.MAKER_OF_ME_IN_JAPANESE
