"""Rewrite one JSON document of an answer: feed its texts to their transforms, splice the output.

What was held of a text that ends is folded into the document if that has a place for it, else it
goes out before in a document of its own.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mitmproxy_windsurf.rewriter.citations import cite
from mitmproxy_windsurf.rewriter.echoes import Echoes
from mitmproxy_windsurf.rewriter.numbering import number_behind
from mitmproxy_windsurf.rewriter.texts import Tail, Texts
from mitmproxy_windsurf.rewriter.waiting import Move
from mitmproxy_windsurf.wire.parts import (
    ALL,
    Channel,
    Extra,
    Json,
    Key,
    Part,
    Protocol,
    Reading,
)
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

_ELSEWHERE = Move(None, "", "changed")
"""Stands for what changed that is no text of the answer."""


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

    def __init__(self, protocol: Protocol, texts: Texts, echoes: Echoes | None = None) -> None:
        self.texts = texts
        self._protocol = protocol
        self._echoes = echoes or Echoes()
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

    def plain(self, raw: str) -> Rewritten:
        """What should be a document and is none: a text that may name private paths."""
        new = self.texts.once("error", raw, "body")
        return Rewritten([], new, [] if new == raw else [_ELSEWHERE])

    def _rewrite(
        self, raw: str, document: Json, readings: Iterable[Reading], *, streamed: bool
    ) -> Rewritten:
        outputs: list[tuple[Part, str]] = []
        alone: list[Tail] = []
        tokens: list[tuple[Hashable, Channel, Path]] = []
        besides: dict[Path, str | int | None] = {}
        for reading in readings:
            self._feed(reading, document, outputs, alone, streamed=streamed)
            tokens += reading.tokens
            if reading.echoes or reading.citations or reading.counts:
                self._besides(reading, document, besides)
        outputs = [
            (part, "" if part.cumulative and part.key and self.texts.withholds(part.key) else out)
            for part, out in outputs
        ]
        moves = _moves(outputs, alone)
        if not (moves or besides):
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
        if besides:
            moves.append(_ELSEWHERE)
        emptied = {path: None for *text, path in tokens if tuple(text) in touched}
        values = {**changes, **besides, **emptied}
        return Rewritten(before, _splice(raw, values) if values else raw, moves, early)

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
            if part.key and part.again:
                _fold(self._settled(part.key, reading), outputs, alone)
                out = texts.again(part.key, part.text, streamed=streamed)
                if out is not None:
                    outputs.append((part, out))
                    continue
            if part.key and part.text and not part.cumulative:
                _fold(texts.switch(part.key), outputs, alone)
            outputs.append((part, self._output(part, document)))
            if part.key and part.again:
                _fold(self._settled(part.key, reading), outputs, alone)
        for key, signature in reading.signed:
            texts.sign(key, signature)
        for key in reading.started:
            _fold(texts.switch(key), outputs, alone)
        if reading.broken:
            _fold(texts.release(), outputs, alone)
        for group, item in reading.ended:
            _fold(texts.end(group, item), outputs, alone)

    def _settled(self, key: Key, reading: Reading) -> list[Tail]:
        """What was held of a text that has ended, well or with all the others."""
        return self.texts.release() if reading.broken else self.texts.settle(key)

    def _output(self, part: Part, document: Json) -> str:
        """What goes out of a part by now."""
        if part.key is None:
            return self.texts.once(part.channel, part.text, _place(part.paths[0]))
        if part.cumulative:
            return self.texts.feed_copy(part.key, part.text, document)
        return self.texts.feed(part.key, part.text, document)

    def _besides(
        self, reading: Reading, document: Json, changes: dict[Path, str | int | None]
    ) -> None:
        """What else differs: where the request comes back the client finds what it has said, and
        positions in a text that has changed move with it."""
        for path, text in reading.echoes:
            original = self._echoes.restore(text)
            if original != text:
                changes[path] = original
        for key, path in reading.counts:
            if self.texts.has_changed(key):
                changes[path] = None
        for citation in reading.citations:
            if cited := self.texts.cited(citation.key):
                stages = functools.partial(self.texts.stages, citation.key)
                changes.update(cite(citation, document, cited, stages))

    def _extra(self, tail: Tail) -> list[Extra]:
        if tail.cumulative:  # only the next edition of the copy could carry it
            return []
        extra = self._protocol.delta(tail.key, tail.text, tail.like or self._last)
        number_behind(extra.document, self._last)
        return [extra]


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
    moves = [
        Move(None if part.again else part.key, part.text, out, part.cumulative)
        for part, out in outputs
    ]
    return moves + [Move(tail.key, "", tail.text) for tail in tails]


def _place(path: Path) -> str:
    return ".".join(str(step) for step in path)


def _splice(raw: str, changes: Mapping[Path, str | int | None]) -> str:
    """Put new values at the paths, or in objects that lack the member; None empties an array."""
    spans = locate(raw, changes)
    parents = locate(raw, [path[:-1] for path in changes if path not in spans])
    style = style_of(raw)
    splices = []
    for path, value in changes.items():
        if isinstance(value, str):
            new = literal(value, style)
        else:
            new = "[]" if value is None else str(value)
        if path in spans:
            splices.append(Splice(*spans[path], new))
        else:
            name = json.dumps(str(path[-1]))
            splices.append(insert_member(raw, parents[path[:-1]], name, new))
    return apply(raw, splices)
