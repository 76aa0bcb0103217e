"""Does the sentence so far speak of the assistant itself, or of someone else?

All answers come from the text before a place, as much of it as the rules remember. In that text
code is masked by backticks, which are no part of any sentence about an assistant. Words of English,
Chinese, Japanese and Spanish may mix in one sentence.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Final

from mitmproxy_windsurf.text.identity_words import (
    ADVERBS,
    ALSO_MADE,
    BE,
    ES_KINDS,
    ES_LINKS,
    ES_WORDS,
    JA_KINDS,
    JA_MADE,
    JA_WORDS,
    KINDS,
    LINKS,
    LOOSE_KINDS,
    MADE,
    NOT_ADVERBS,
    OPENERS,
    PARTICLES,
    QUALITIES,
    WORD,
    ZH_KINDS,
    ZH_MADE,
    ZH_WORDS,
    either,
    words,
)

START: Final = rf"(?<!{WORD})(?<![-/.@])"
END: Final = rf"(?!{WORD}|-{WORD})"
I_AM: Final = (
    rf"[IiMm](?<!{WORD}.)(?i:(?<=i)(?:\s+am|['’]m)|(?<=m)y\s+name(?:\s+is|['’]s))"
    r"[*_]{0,3}:?[*_]{0,3}"
)
"""After this the name counts in any case."""
TEAM: Final = (
    r"(?:(?:the|a)\s+)?(?:[a-z]+\s+)?"
    rf"{either('team', 'engineers', 'folks', 'people', 'developers', 'researchers', 'company')}"
    rf"\s+{either('at', 'from', 'of', 'behind', 'called', 'named')}"
)
"""Who may stand between `by` and the name of the maker."""

# The expressions that run over all of the past begin with a set of characters: that is what `re` is
# fast at.
_SOFT_BREAK: Final = re.compile(r"\n(?:(?<=[\w,;]\n)|(?<=[\w,;] \n))[ \t]*(?=[a-z])")
"""A line break within a sentence: the line does not end one, and the next does not begin one."""
_SENTENCE_END: Final = re.compile(
    r"[.!?…。！？\n](?:(?<=[。！？\n])|(?<!\.)[\"'”’)\]*_]*\s|[\"'”’)\]*_]*\s++(?![a-z]))"
)
"""A full stop before a lower-case word ends an abbreviation, not a sentence."""

_FUNCTION_WORDS: Final = either(
    *(BE, MADE, ALSO_MADE, ADVERBS, LINKS, ES_LINKS),
    rf"(?!{either(NOT_ADVERBS)}{END})\w+ly",
    rf"(?:have|has|had)(?=\s+(?:{either(ADVERBS)}\s+)?been)",
    r"(?:can|could|may|might|will|would)(?=\s+be\b)",
    rf"by\s+(?:{TEAM}\s+)?(?:the\s+)?(?:Codeium|Windsurf)",
)
_SIGN: Final = r"[^\w`]|_|\d{1,3}[.)]"
_FUNCTION: Final = rf"{_FUNCTION_WORDS}{END}"
_BARE: Final = (
    rf"{either(QUALITIES, KINDS, 'model', ES_WORDS)}{END}"
    rf"|{either(ZH_WORDS, ZH_MADE, JA_WORDS, JA_MADE)}"
)
_CLAUSE: Final = (
    rf"{either(words('for in within inside with to that which who designed built made trained'))}"
    r"(?:\s+(?-i:[a-z'’/-]+|AI|IDE)){1,12}?(?=\s*[,;—–])"
)
"""What an assistant is for; a comma takes the sentence back to the assistant."""


def _noun_phrase(word: str) -> str:
    """An article, up to five words, and what an assistant may be called."""
    words = rf"(?:(?!{either(BE, MADE, LINKS, PARTICLES)}{END}){word}\s+){{0,5}}?"
    return (
        rf"(?:the|your|my|this|an?)\s+{words}{either(KINDS)}{END}"
        rf"|an?\s+{words}{either(LOOSE_KINDS)}{END}"
    )


def _only(*tokens: str) -> re.Pattern[str]:
    """The text consists of these and nothing else. It never backs up, so it takes linear time."""
    return re.compile(rf"(?:{'|'.join((_SIGN, *tokens))})*+", re.IGNORECASE)


_FUNCTION_ONLY: Final = _only(_FUNCTION)
_BARE_ONLY: Final = _only(_FUNCTION, _BARE)
_ASSISTANT_ONLY: Final = _only(_noun_phrase(r"[\w'’/-]+"), _CLAUSE, _FUNCTION, _BARE)
_NAMELESS_ONLY: Final = _only(_noun_phrase(r"(?-i:[a-z-]+|AI|AI-[a-z]+|LLM)"), _FUNCTION, _BARE)
_ASSISTANT: Final = re.compile(
    rf"{START}{either(KINDS, 'model', 'ia', ES_KINDS)}{END}|{either(ZH_KINDS, JA_KINDS)}",
    re.IGNORECASE,
)

_SELF: Final = re.compile(
    rf"""
    [IiMmCTtYySsFf我本私僕わ当]
    (?: (?<!{WORD}.) (?<![-/.@].)
        (?: (?<=[Ii]) ['’](?:m|ve|d|ll)
          | (?P<i> (?<=I) | (?<=i)(?!\.) )
          | (?<=[Mm]) (?: (?P<my>[yi]) | (?P<me>e|yself) )
          | (?<=C) ascade (?<!Windsurf[ ].{{7}}) (?<!Codeium[ ].{{7}}) (?<!\b[Tt]he[ ].{{7}})
                   (?: (?<!['’]s[ ].{{7}}) | (?<=(?:[Ii]t|at|re|ho)['’]s[ ].{{7}}) )
          | (?<=[Tt]) his\s+(?:{either(QUALITIES)}\s+){{0,4}}{either(KINDS)}
          | (?<=[Yy]) o | (?<=[Ss]) oy | (?<=[Ff]) ui
        ) {END}
      | (?<=我) (?: (?P<wo_de>的) | (?!们) )
      | (?<=本) (?:助手|助理|模型|智能体|AI|アシスタント)
      | (?<=当) アシスタント
      | (?<=[私僕]) (?!たち|達)
      | (?<=わ) たし(?!たち)
    )""",
    re.VERBOSE,
)
"""Where a sentence refers to its speaker. After `Windsurf` the name is that of a product."""
_AFTER_I: Final = re.compile(
    rf"\s*(?:[^\w\s`]|(?:{either(ADVERBS)}\s+){{0,3}}"
    rf"{either(BE, words('have had can could may might will would'))}{END})"
)
_BEFORE_I: Final = re.compile(r"\b(?:am|was|were)\s+\Z", re.IGNORECASE)
_LOWER_NAME: Final = re.compile(rf"({I_AM}\s*[{re.escape(OPENERS)}]{{0,3}})(?i:cascade){END}")
_BEFORE_NAME: Final = re.compile(rf"(?:{WORD}|[-/.@])\Z")
_AFTER_NAME: Final = re.compile(rf"{WORD}|-{WORD}")


def sentence_so_far(past: str, name: str) -> str:
    """What `past` has of its last sentence; the name that we give reads as `Cascade` in it."""
    text = _with_old_name(past, name) if name in past else past
    if "\n" in text:
        text = _SOFT_BREAK.sub(" ", text.replace("\r\n", "\n"))
    start = 0
    for end in _SENTENCE_END.finditer(text):
        start = end.end()
    sentence = text[start:]
    return _LOWER_NAME.sub(r"\1Cascade", sentence) if "ascade" in sentence.lower() else sentence


def _with_old_name(text: str, name: str) -> str:
    """Undo the rewriting of the name, so that a rewritten text is understood like the first."""
    head, *parts = text.split(name)
    for part in parts:
        is_word = not (_BEFORE_NAME.search(head[-1:]) or _AFTER_NAME.match(part))
        head += ("Cascade" if is_word else name) + part
    return head


def speaks_of_itself(sentence: str, *, by_word: bool = False) -> bool:
    """Whether what comes next in this sentence is said of the assistant.

    That is so if nothing but verbs of being, connectives and names for an assistant come after its
    last reference to itself, or if it consists of these alone; not so with `by_word`.
    """
    last = last_match(_SELF, sentence)
    if last is None:
        return not by_word and (
            _FUNCTION_ONLY.fullmatch(sentence) is not None
            or (
                _NAMELESS_ONLY.fullmatch(sentence) is not None
                and _ASSISTANT.search(sentence) is not None
            )
        )
    rest = sentence[last.end() :]
    match last.lastgroup:
        case "me":
            return _FUNCTION_ONLY.fullmatch(rest) is not None
        case "my" | "wo_de":
            return _BARE_ONLY.fullmatch(rest) is not None and _ASSISTANT.search(rest) is not None
        case "i" if not (_AFTER_I.match(rest) or _BEFORE_I.search(sentence[: last.start()])):
            return False
    return _ASSISTANT_ONLY.fullmatch(rest) is not None


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    return next(iter(deque(pattern.finditer(text), maxlen=1)), None)
