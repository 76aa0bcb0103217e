r"""Runs a transform inside the string values of streamed JSON, such as tool arguments.

Fragments may be cut anywhere, also inside escapes and surrogate pairs. Each string value gets a
transform of its own, fed with what the string means; keys are left alone, and a JSON text inside a
string is just text. What the transform does not change keeps its spelling (`\/`, `\u00e9`, raw
UTF-8), also when it was held for a while; what it does change is spelled the way the document does.
This stage itself holds no more than an unfinished escape or half of a surrogate pair. From the
first character that is not JSON everything comes out as it is.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from operator import eq
from typing import Protocol

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.json_scan import JSONScanner, Kind
from mitmproxy_windsurf.text.transform import Transform


class StringTransform(Transform, Protocol):
    """What can run inside a string: a transform that tells what it holds and what it changed."""

    @property
    def held(self) -> str:
        """The end of the input, as far as its output is undecided."""
        ...

    @property
    def edits(self) -> Sequence[Edit]:
        """The changes made so far."""
        ...


class JSONStrings:
    """Gives every string value its own transform from `factory` and writes back valid JSON."""

    def __init__(
        self, factory: Callable[[], StringTransform], *, escape_html: bool = False
    ) -> None:
        """`escape_html`: write `<`, `>` and `&` as Go does, until the document does otherwise."""
        self.edits: list[Edit] = []
        self._factory = factory
        self._style = _Style(escape_html=escape_html)
        self._scanner = JSONScanner()
        self._string: _String | None = None

    @property
    def held(self) -> str:
        return self._string.held if self._string else ""

    def feed(self, text: str, /) -> str:
        out = []
        for kind, piece in self._scanner.feed(text):
            if kind is Kind.STRING:
                if self._string is None:
                    self._string = _String(self._factory(), self._style, self.edits)
                out.append(self._string.feed(piece))
            elif self._string is None:
                out.append(piece)
            else:  # the string ends here
                out += self.release() if kind is Kind.OTHER else self.flush(), piece
        return "".join(out)

    def flush(self) -> str:
        """The text ended. If that was inside a string, what was cut off passes on as it is."""
        string, self._string = self._string, None
        return string.flush() if string else ""

    def release(self) -> str:
        held, self._string = self.held, None
        return held


class _String:
    """The inside of one string: raw characters in, raw characters out."""

    def __init__(self, transform: StringTransform, style: _Style, edits: list[Edit]) -> None:
        self._transform = transform
        self._style = style
        self._edits = edits
        self._edits_seen = 0
        self._pending: deque[str] = deque()
        """What the transform holds, one raw spelling per character."""
        self._escapes = 0
        """How many of these there are up to the last one that is an escape."""
        self._cut = ""
        """The beginning of an escape, or of a surrogate pair."""

    @property
    def held(self) -> str:
        return "".join(self._pending) + self._cut

    def feed(self, raw: str) -> str:
        if not (self._cut or self._pending or self._style.notable(raw)):
            return self._take(raw, raw)
        out: list[str] = []
        raw, self._cut = self._cut + raw, ""
        for token in _TOKEN.finditer(raw):
            if token.lastgroup == "plain":
                out += self._plain(token[0])
            elif token.lastgroup == "cut":
                self._cut = token[0]
            else:
                out.append(self._escape(token[0]))
        return "".join(out)

    def flush(self) -> str:
        out = ""
        if half := _HALF.match(self._cut):
            out = self._escape(half[0])
            self._cut = self._cut[half.end() :]
        out += self._respell(self._transform.flush(), len(self._pending))
        return out + self._cut

    def _escape(self, raw: str) -> str:
        char = _meaning(raw)
        self._style.saw_escape(char, raw)
        return self._take(char, (raw,), escapes=1)

    def _plain(self, raw: str) -> Iterator[str]:
        """Feed characters that stand for themselves.

        Once such a character has been seen, it is also how we would spell it. So it does not matter
        which output has come from which of them, and they can go in one feed, unless the transform
        holds an escape, whose spelling has to be found again in the output.
        """
        for stretch in self._style.settle(raw):
            at = 0
            while at < len(stretch):
                end = at + 1 if self._escapes else len(stretch)
                yield self._take(stretch[at:end], stretch[at:end])
                at = end

    def _take(self, text: str, spelling: Sequence[str], escapes: int = 0) -> str:
        """Feed `text`, whose characters are spelled so, and return the raw output."""
        out = self._transform.feed(text)
        held = len(self._transform.held)
        if not held and not self._pending and out == text:
            return "".join(spelling)
        if escapes:
            self._escapes = len(self._pending) + escapes
        self._pending.extend(spelling)
        return self._respell(out, len(self._pending) - held)

    def _respell(self, out: str, count: int) -> str:
        """Spell `out`, which is what the first `count` pending characters have become."""
        edits = self._transform.edits
        if len(edits) > self._edits_seen:
            self._edits += edits[self._edits_seen :]
            self._edits_seen = len(edits)
        raw = [self._pending.popleft() for _ in range(count)]
        if not self._escapes:
            return self._style.spell(out)
        self._escapes = max(0, self._escapes - count)
        text = [_meaning(spelling) for spelling in raw]
        tail = _agreement(reversed(text), reversed(out))
        end, out_end = len(raw) - tail, len(out) - tail
        head = _agreement(text[:end], out[:out_end])
        changed = self._style.spell(out[head:out_end])
        return "".join((*raw[:head], changed, *raw[end:]))


def _agreement(one: Iterable[str], other: Iterable[str]) -> int:
    """How many items at the beginning are the same."""
    return sum(1 for _ in takewhile(bool, map(eq, one, other)))


# Sets of characters, as the inside of a regex class: those that are escaped in everything we
# write, and those that are escaped if the document does so.
_ALWAYS = r'"\\\x00-\x1f\x85\u2028\u2029\ud800-\udfff'
_SLASH, _HTML, _WIDE = "/", "<>&", r"\x80-\U0010ffff"


@cache
def _any_of(*sets: str) -> re.Pattern[str]:
    return re.compile(f"[{''.join(sets)}]")


class _Style:
    """How the document spells what JSON lets it spell in two ways.

    A set of characters is escaped if an escape of it has been seen and no raw one. Only the values
    of strings count, not the keys.
    """

    def __init__(self, *, escape_html: bool) -> None:
        self._escaped = {_HTML} if escape_html else set()
        self._open = {_SLASH, _HTML, _WIDE}
        self._update()

    def _update(self) -> None:
        self.notable = _any_of(_ALWAYS, *sorted(self._open)).search
        """Finds what is not plain, or what is and settles how such characters are spelled."""
        self._special = _any_of(_ALWAYS, *sorted(self._escaped))

    def spell(self, text: str) -> str:
        return self._special.sub(lambda match: _escaped(match[0]), text)

    def saw_escape(self, char: str, raw: str) -> None:
        charset = _charset(char)
        if charset in self._open and raw.lower() == _escaped(char):
            self._escaped.add(charset)
            self._update()

    def settle(self, plain: str) -> Iterator[str]:
        """Cut where a raw character settles the style: it does so when the next piece is taken."""
        start = 0
        while match := self.notable(plain, start):
            if match.start() > start:
                yield plain[start : match.start()]
            start = match.start()
            self._open.discard(_charset(match[0]))
            self._escaped.discard(_charset(match[0]))
            self._update()
        yield plain[start:]


@lru_cache(maxsize=1024)
def _charset(char: str) -> str:
    if _any_of(_ALWAYS).match(char):
        return _ALWAYS
    return next((charset for charset in (_SLASH, _HTML, _WIDE) if _any_of(charset).match(char)), "")


_SHORT = {char: json.dumps(char)[1:-1] for char in '"\\\b\f\n\r\t'} | {"/": r"\/"}


@lru_cache(maxsize=1024)
def _escaped(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass").hex()
    return _SHORT.get(char) or "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


@lru_cache(maxsize=1024)
def _meaning(raw: str) -> str:
    """The one character that is spelled so."""
    return raw if len(raw) == 1 else str(json.loads(f'"{raw}"'))


_HEX = "[0-9a-fA-F]"
_HIGH = rf"\\u[dD][89abAB]{_HEX}{{2}}"
_HALF = re.compile(_HIGH)
_TOKEN = re.compile(
    rf"""
      (?P<plain> [^{_ALWAYS}]+ )
    | (?P<cut> {_HIGH} (?: \\ (?: u (?: [dD] (?: [c-fC-F] {_HEX}? )? )? )? )? \Z
             | \\ (?: u {_HEX}{{0,3}} )? \Z )
    | (?P<escape> {_HIGH} \\u[dD][c-fC-F]{_HEX}{{2}} | \\u{_HEX}{{4}} | \\. | . )
    """,
    re.VERBOSE | re.DOTALL,
)
