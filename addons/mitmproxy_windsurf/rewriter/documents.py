"""Rewrite one JSON document of an answer: feed its texts to their transforms, splice the output.

What was held of a text that ends is folded into the document if that has a place for it, else it
goes out before in a document of its own.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from mitmproxy_windsurf.rewriter.texts import Tail, Texts
from mitmproxy_windsurf.rewriter.waiting import Move
from mitmproxy_windsurf.wire.parts import ALL, Channel, Extra, Json, Part, Protocol, Reading
from mitmproxy_windsurf.wire.splice import (
    Path,
    Splice,
    apply,
    insert_member,
    literal,
    locate,
    style_of,
)
from mitmproxy_windsurf.wire.walk import loose_parts


class Rewritten(NamedTuple):
    """The documents to send before, and the document itself as raw JSON text.

    `moves` tells which texts came and went; it is empty if all went out as they came. `early` goes
    out before the document that has waited for this one, since that told the end of their text.
    """

    before: list[Extra]
    raw: str
    moves: list[Move]
    early: Sequence[Extra] = ()


class DocumentRewriter:
    """All documents of one answer, in order."""

    def __init__(self, protocol: Protocol, texts: Texts) -> None:
        self.texts = texts
        self._protocol = protocol
        self._last: Json = {}

    def event(self, raw: str, document: Json) -> Rewritten:
        """One document of a stream; `document` is `raw` parsed."""
        self._last = document
        return self._rewrite(raw, document, [self._protocol.read(document)], streamed=True)

    def whole(self, raw: str, document: Json) -> str:
        """An answer that is one document."""
        readings = self._protocol.read_whole(document)
        return self._rewrite(raw, document, readings, streamed=False).raw

    def error(self, raw: str, document: Any) -> str:
        """The body of an error, in whatever shape: all its strings."""
        reading = Reading(list(loose_parts("error", document, ())))
        return self._rewrite(raw, {}, [reading], streamed=False).raw

    def _rewrite(
        self, raw: str, document: Json, readings: Iterable[Reading], *, streamed: bool
    ) -> Rewritten:
        outputs: list[tuple[Part, str]] = []
        alone: list[Tail] = []
        tokens: list[tuple[Hashable, Channel, Path]] = []
        for reading in readings:
            self._feed(reading, document, outputs, alone, streamed=streamed)
            tokens += reading.tokens
        moves = _moves(outputs, alone)
        if not moves:
            return Rewritten([], raw, moves)
        changes: dict[Path, str] = {}
        before: list[Extra] = []
        early: list[Extra] = []
        for tail in alone:
            if tail.stopped:
                early += self._extra(tail)
                continue
            slot = self._protocol.slot(document, tail.key) if streamed else None
            if slot:
                changes[slot] = changes.get(slot, "") + tail.text
            else:
                before += self._extra(tail)
        touched = {(tail.key.group, tail.key.channel) for tail in alone}
        for part, out in outputs:
            if out != part.text:
                changes.update({path: changes.get(path, "") + out for path in part.paths})
                if part.key:
                    touched.add((part.key.group, part.key.channel))
        emptied = [path for group, channel, path in tokens if (group, channel) in touched]
        return Rewritten(before, _splice(raw, changes, emptied) if changes else raw, moves, early)

    def finish(self) -> Rewritten:
        """The answer ended without saying so: what is still held."""
        return self._ended(self.texts.end(ALL, ALL))

    def release(self) -> Rewritten:
        """The answer broke: what is still held."""
        return self._ended(self.texts.release())

    def _ended(self, tails: list[Tail]) -> Rewritten:
        before = [extra for tail in tails if not tail.stopped for extra in self._extra(tail)]
        early = [extra for tail in tails if tail.stopped for extra in self._extra(tail)]
        return Rewritten(before, "", _moves([], tails), early)

    def _feed(
        self,
        reading: Reading,
        document: Json,
        outputs: list[tuple[Part, str]],
        alone: list[Tail],
        *,
        streamed: bool,
    ) -> None:
        """Take the texts of a reading and add what they become to `outputs`; what was held of texts
        that end is added to their last part there, or to `alone`."""
        texts = self.texts
        _fold(texts.resume(reading), outputs, alone)
        if not streamed:  # here the signature is known before the text has to go out
            for key, signature in reading.signed:
                texts.sign(key, signature)
        for part in reading.parts:
            if part.key is None:
                out = texts.once(part.channel, part.text, _place(part.paths[0]))
            elif part.cumulative:
                out = texts.feed_copy(part.key, part.text, document)
            else:
                tails = texts.switch(part.key) if part.text else ()
                if tails:
                    _fold(tails, outputs, alone)
                out = texts.feed(part.key, part.text, document)
            outputs.append((part, out))
        for key, signature in reading.signed:
            texts.sign(key, signature)
        for key in reading.started:
            _fold(texts.switch(key), outputs, alone)
        if reading.broken:
            _fold(texts.release(), outputs, alone)
        for group, item in reading.ended:
            _fold(texts.end(group, item), outputs, alone)

    def _extra(self, tail: Tail) -> list[Extra]:
        if tail.cumulative:  # only the next edition of the copy could carry it
            return []
        return [self._protocol.delta(tail.key, tail.text, tail.like or self._last)]


def _fold(tails: Iterable[Tail], outputs: list[tuple[Part, str]], alone: list[Tail]) -> None:
    for tail in tails:
        for index in reversed(range(len(outputs))):
            part, out = outputs[index]
            if part.key == tail.key:
                outputs[index] = part, out + tail.text
                break
        else:
            alone.append(tail)


def _moves(outputs: list[tuple[Part, str]], tails: list[Tail]) -> list[Move]:
    if not tails:
        for part, out in outputs:
            if out != part.text:
                break
        else:
            return []
    moves = [Move(part.key, part.text, out, part.cumulative) for part, out in outputs]
    return moves + [Move(tail.key, "", tail.text) for tail in tails]


def _place(path: Path) -> str:
    return ".".join(str(step) for step in path)


def _splice(raw: str, changes: dict[Path, str], emptied: list[Path]) -> str:
    """Put new strings at the paths, or in objects that lack the member, and empty arrays."""
    spans = locate(raw, [*changes, *emptied])
    parents = locate(raw, [path[:-1] for path in changes if path not in spans])
    style = style_of(raw)
    splices = []
    for path, text in changes.items():
        new = literal(text, style)
        if path in spans:
            splices.append(Splice(*spans[path], new))
        else:
            name = json.dumps(str(path[-1]))
            splices.append(insert_member(raw, parents[path[:-1]], name, new))
    splices += [Splice(*spans[path], "[]") for path in emptied]
    return apply(raw, splices)
