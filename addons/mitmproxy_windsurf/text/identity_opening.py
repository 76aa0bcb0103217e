"""How a text begins: as JSON, as the record in place of an answer, or as prose.

JSON keeps its bytes and streams: an incremental scanner tells where it is no longer JSON, and from
there on the text is prose. Only what may be the record is held, and of that only what could come
out differently.
"""

from __future__ import annotations

from dataclasses import replace

from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity_leads import Persona
from mitmproxy_windsurf.text.identity_prose import LOOK_BACK, ProseRewriter
from mitmproxy_windsurf.text.identity_record import Record
from mitmproxy_windsurf.text.json_scan import JSONScanner, Kind

_BLANKS = " \t\r\n"
_SOMETHING = "}"
"""Stands for the JSON before prose: no word of a sentence."""


class Changes:
    """The edits of a text, or of one that may become the beginning of another."""

    def __init__(self) -> None:
        self.edits: list[Edit] = []
        self._whole: Changes | None = None
        self._distance = 0

    def add(self, edit: Edit) -> None:
        if self._whole:
            self._whole.add(replace(edit, start=edit.start + self._distance))
        else:
            self.edits.append(edit)

    def join(self, whole: Changes, distance: int) -> None:
        """Belong to `whole` from now on, where all that is to come is `distance` farther on."""
        for edit in self.edits:
            whole.add(edit)
        self._whole, self._distance = whole, distance


class Opening:
    """A text until it turns out to be prose.

    A text that begins with the record goes on as if the description had been there in its place, so
    a description can be JSON too, and even a record.
    """

    def __init__(
        self,
        persona: Persona,
        changes: Changes,
        *,
        unwrap: bool,
        blanks: str = "",
        position: int = 0,
    ) -> None:
        self.next: Opening | ProseRewriter | None = None
        """Where the text goes on, once that is settled."""
        self._persona = persona
        self._changes = changes
        self._unwrap = unwrap
        self._blanks = blanks
        """What the text begins with, as far back as it matters."""
        self._position = position
        self._scanner: JSONScanner | None = None
        self._tail = ""
        """The end of the JSON, with all the blanks at its end."""
        self._record: Record | None = None

    @property
    def held(self) -> str:
        if self.next:
            return self.next.held
        return self._record.held if self._record else ""

    def feed(self, text: str, /) -> str:
        if self.next:
            return self.next.feed(text)
        if self._scanner:
            return self._json(text, self._scanner)
        rest = text.lstrip(_BLANKS)
        blanks = text[: len(text) - len(rest)]
        self._blanks = (self._blanks + blanks)[-LOOK_BACK:]
        self._position += len(blanks)
        if not rest:
            return blanks
        if rest[0] not in "{[":
            return blanks + self._prose(rest, self._blanks)
        self._scanner = JSONScanner()
        if self._unwrap and rest[0] == "{":
            self._record = Record(self._begin_again())
        return blanks + self._json(rest, self._scanner)

    def _begin_again(self) -> Opening:
        """What goes on instead of us if we begin with the record."""
        self._inner_changes = Changes()
        self._inner = Opening(
            self._persona,
            self._inner_changes,
            unwrap=True,
            blanks=self._blanks,
            position=self._position,
        )
        return self._inner

    def flush(self) -> str:
        return self.next.flush() if self.next else self._no_record()

    def release(self) -> str:
        return self.next.release() if self.next else self._no_record()

    def _prose(self, text: str, before: str) -> str:
        self.next = ProseRewriter(self._persona, self._changes.add, before, self._position)
        return self.next.feed(text)

    def _json(self, text: str, scanner: JSONScanner) -> str:
        out: list[str] = []
        at = 0
        for kind, stretch in scanner.feed(text):
            if kind is Kind.OTHER:
                self._pass(text[:at])
                blanks = self._tail[len(self._tail.rstrip(_BLANKS)) :]
                out += self._no_record(), self._prose(stretch, _SOMETHING + blanks)
                return "".join(out)
            at += len(stretch)
            if not self._record:
                out.append(stretch)
                continue
            out.append(self._record.take(kind, stretch))
            if not self._record.possible:
                out.append(self._no_record())
            elif self._record.end:
                end = at - len(stretch) + self._record.end
                self._position += end
                out.append(self._unwrap_record(self._record, text[end:]))
                return "".join(out)
        self._pass(text)
        return "".join(out)

    def _pass(self, text: str) -> None:
        if text:
            self._tail = ((self._tail if text.isspace() else "") + text)[-LOOK_BACK:]
        self._position += len(text)

    def _no_record(self) -> str:
        held, self._record = self.held, None
        return held

    def _unwrap_record(self, record: Record, rest: str) -> str:
        raw, description = record.raw, record.description
        start = self._position - len(raw)
        self._changes.add(Edit("record", raw, description, layer="identity", start=start))
        self._inner_changes.join(self._changes, len(raw) - len(description))
        self.next = self._inner
        return record.unwrapped + self._inner.feed(rest)
