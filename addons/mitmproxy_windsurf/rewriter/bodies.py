"""The two shapes an answer has on the wire: a stream of events, or one body.

Both pass on raw what they cannot read, and say so once for each kind of trouble.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from mitmproxy_windsurf.rewriter.documents import DocumentRewriter, Rewritten
from mitmproxy_windsurf.rewriter.waiting import WaitingEvents
from mitmproxy_windsurf.wire.framing import Frame, Framer
from mitmproxy_windsurf.wire.parts import Extra

_DONE = "[DONE]"
_raw_decode = json.JSONDecoder().raw_decode  # json.loads costs a third more


class _Unreadable(Exception):
    """What an event says is no text."""


class EventStream:
    """One document per frame: server-sent events, lines, or the elements of an array."""

    def __init__(self, documents: DocumentRewriter, framer: Framer) -> None:
        self._documents = documents
        self._framer = framer
        self._waiting = WaitingEvents(documents.texts.holds)
        self._last: Frame | None = None
        self._troubles: dict[str, str] = {}
        self.failures = 0

    @property
    def warnings(self) -> list[str]:
        """One line for each kind of trouble so far."""
        found = list(self._troubles.values())
        if self._framer.overlong:
            found.append("an event over the size limit passed on unread")
        return found

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes and return the events that are decided, as one chunk."""
        return _joined(self.events(data))

    def events(self, data: bytes) -> list[bytes]:
        """Take bytes and return the events that are decided, one by one."""
        frames = self._framer.feed(data)
        if len(frames) == 1:
            return self._event(frames[0])
        return [event for frame in frames for event in self._event(frame)]

    def flush(self) -> list[bytes]:
        """The stream ended well."""
        unterminated = self._framer.flush()
        out = [event for frame in unterminated for event in self._event(frame)]
        out += self._rest(self._documents.finish, unterminated=bool(unterminated))
        return _joined([*out, self._framer.release()])

    def abort(self) -> list[bytes]:
        """The stream broke: what is held comes before the start of an event that never ended."""
        return _joined([*self.release(), self._framer.release()])

    def release(self) -> list[bytes]:
        """The events that are held, one by one."""
        return [event for event in self._rest(self._documents.release) if event]

    def _event(self, frame: Frame) -> list[bytes]:
        """The events that this one lets go: itself, and those that waited."""
        rewritten, moves = frame.raw, []
        before: list[bytes] = []
        early: list[bytes] = []
        if frame.spans:
            self._last = frame
            try:
                new = self._document(frame.data)
                moves = new.moves
                if moves:
                    early, before = self._extras(new.early), self._extras(new.before)
                    rewritten = frame.with_data(new.raw.encode())
            except _Unreadable as error:
                self._trouble("unread", f"an event that is not UTF-8 passed on unread: {error}")
            except Exception as error:
                self._trouble("failed", f"an event could not be rewritten, passed on: {error!r}")
        waits = self._documents.texts.waits
        return self._waiting.add(
            frame.raw, rewritten, moves, before=before, early=early, waits=waits
        )

    def _document(self, data: bytes) -> Rewritten:
        """What becomes of the data of an event."""
        try:
            raw = data.decode()
            document = _parse(raw)
        except UnicodeDecodeError as error:
            raise _Unreadable(error) from error
        except (ValueError, RecursionError) as error:
            self._trouble("plain", f"an event that is no JSON was read as text: {error}")
            return self._documents.plain(data.decode())
        if document is _DONE:
            return self._documents.finish()._replace(raw=raw)
        if isinstance(document, dict):
            return self._documents.event(raw, document)
        return Rewritten([], raw, [])

    def _rest(self, end: Callable[[], Rewritten], *, unterminated: bool = False) -> list[bytes]:
        """What is still held, in events of its own."""
        try:
            new = end()
            early, extras = self._extras(new.early), self._extras(new.before)
        except Exception as error:
            self._trouble("failed", f"the end of the answer could not be rewritten: {error!r}")
            return self._waiting.release()
        if extras and unterminated and self._last:
            extras[0] = self._framer.ending(self._last) + extras[0]
        return self._waiting.add(b"", b"", new.moves, before=extras, early=early)

    def _extras(self, extras: Sequence[Extra]) -> list[bytes]:
        return [
            self._framer.event(
                self._last,
                extra.event,
                json.dumps(extra.document, separators=(",", ":")).encode(),
            )
            for extra in extras
        ]

    def _trouble(self, kind: str, line: str) -> None:
        self._troubles.setdefault(kind, line)
        self.failures += kind == "failed"


class WholeBody:
    """One JSON document, or for an error any text."""

    def __init__(self, documents: DocumentRewriter, *, status: int) -> None:
        self._documents = documents
        self._failed = status >= 400
        self._body = bytearray()
        self.warnings: list[str] = []
        self.failures = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Nothing can be said before the end."""
        self._body += data
        return []

    def flush(self) -> list[bytes]:
        """The body is complete."""
        body = bytes(self._body)
        self._body.clear()
        try:
            return _joined([self._rewrite(body)])
        except Exception as error:
            self.failures += 1
            self.warnings.append(
                f"the answer could not be rewritten and passed on as it came: {error!r}"
            )
            return _joined([body])

    def abort(self) -> list[bytes]:
        """The body broke off and passes on as it came."""
        body = bytes(self._body)
        self._body.clear()
        return _joined([body])

    def _rewrite(self, body: bytes) -> bytes:
        try:
            raw = body.decode()
            document = json.loads(raw)
        except UnicodeDecodeError as error:
            self.warnings.append(f"an answer that is not UTF-8 passed on unread: {error}")
            return body
        except (ValueError, RecursionError) as error:
            if not self._failed:
                self.warnings.append(f"an answer that is no JSON was read as text: {error}")
            return self._documents.plain(raw).raw.encode()
        if self._failed:
            new = self._documents.error(raw, document)
        elif isinstance(document, dict):
            new = self._documents.whole(raw, document)
        else:
            return body
        return new.encode()


def _parse(raw: str) -> Any:
    """The JSON document in `raw`; None if there is nothing, and `_DONE` for that marker."""
    if raw.startswith("{"):
        document, end = _raw_decode(raw)
        if end == len(raw):
            return document
    stripped = raw.lstrip()
    if stripped.startswith(_DONE):
        return _DONE
    return json.loads(raw) if stripped else None


def _joined(chunks: list[bytes]) -> list[bytes]:
    data = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    return [data] if data else []
