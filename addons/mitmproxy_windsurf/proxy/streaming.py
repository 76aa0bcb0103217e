"""Answers that are rewritten while they pass: the callable that mitmproxy gives their bytes to.

mitmproxy's terms for such a callable: an empty chunk would end an HTTP/1.1 body, and an exception
would leave the client waiting for ever. So nothing to say is an empty list, and whatever fails is
answered with the bytes as they came and one warning.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from time import perf_counter
from typing import Protocol

from mitmproxy import http

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.wire.decoders import Decoder

STREAM_TYPES = re.compile(
    r"text/event-stream|application/(?:x-ndjson|ndjson|jsonl|x-jsonlines|stream\+json|json-seq)",
    re.IGNORECASE,
)
JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json\b", re.IGNORECASE)
DIGEST_HEADERS = ("etag", "digest", "content-digest", "repr-digest", "content-md5")
"""What a message says about bytes that are no longer the ones that are sent."""

SHOWN = 8 * 1024 * 1024
"""Bytes of a streamed body that are kept to be looked at."""


class Rewriter(Protocol):
    """What a stream needs of a ResponseRewriter."""

    @property
    def held(self) -> int: ...

    def feed(self, data: bytes, /) -> list[bytes]: ...

    def flush(self) -> list[bytes]: ...

    def abort(self) -> list[bytes]: ...


class Raw:
    """Takes over from a rewriter that has failed."""

    held = 0

    def feed(self, data: bytes, /) -> list[bytes]:
        return [data]

    def flush(self) -> list[bytes]:
        return []

    def abort(self) -> list[bytes]:
        return []


class Copy:
    """The beginning of a body, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._room = limit
        self._data = bytearray()
        self.complete = True

    def add(self, data: bytes) -> None:
        if self.complete:
            self._data += data[: self._room]
            self._room -= len(data)
            self.complete = self._room >= 0

    def __bytes__(self) -> bytes:
        return bytes(self._data)


class BodyStream:
    """One streamed body. `release` is to be called when the upstream breaks off."""

    def __init__(
        self,
        rewriter: Rewriter,
        warn: Callable[[str], None],
        *,
        decoder: Decoder | None = None,
        keep: int = 0,
        shown: int = SHOWN,
        counters: Counters | None = None,
    ) -> None:
        self._rewriter = rewriter
        self._warn = warn
        self._counters = counters or Counters()
        self._observe = self._counters.latency.observe
        self._held = 0
        self.failures = 0
        self._decoder = decoder
        self.came = Copy(keep)
        """What came, decoded."""
        self.sent = Copy(shown)
        """What went out."""
        self.bytes_in = 0
        self.bytes_out = 0
        self.damaged = False
        """The body cannot be decoded any further: the client has to see a failure, not an end."""

    def __call__(self, data: bytes) -> list[bytes]:
        began = perf_counter()
        out = self._send(self._feed(data) if data else self._finish())
        self._observe(perf_counter() - began)
        return out

    def release(self) -> list[bytes]:
        """Everything that is held, as it is."""
        return self._send(self._attempt(self._rewriter.abort))

    def _feed(self, data: bytes) -> list[bytes]:
        if self._decoder is not None:
            return self._decode(self._decoder.feed, data)
        return self._rewrite(data)

    def _finish(self) -> list[bytes]:
        rest = self._decode(self._decoder.flush) if self._decoder is not None else []
        return rest + self._attempt(self._rewriter.flush)

    def _decode(self, step: Callable[..., bytes], *data: bytes) -> list[bytes]:
        if self.damaged:
            return []
        try:
            return self._rewrite(step(*data))
        except Exception as error:
            self.damaged = True
            self._say(f"the upstream's compressed answer is damaged and ends here ({error})")
            return self._attempt(self._rewriter.abort)

    def _rewrite(self, data: bytes) -> list[bytes]:
        if not data:
            return []
        self.bytes_in += len(data)
        self.came.add(data)
        out = self._attempt(self._rewriter.feed, data)
        if self._held or not out or len(out[0]) < len(data):
            self._count_held()
        return out

    def _count_held(self) -> None:
        with contextlib.suppress(Exception):
            held = self._rewriter.held
            if held > self._held:
                self._counters.count("held_characters", by=held - self._held)
            self._held = held

    def _attempt(self, step: Callable[..., list[bytes]], *data: bytes) -> list[bytes]:
        try:
            return step(*data)
        except Exception as error:
            self.failures += 1
            self._say(f"a layer failed, the rest of the answer passes unchanged ({error!r})")
            failed, self._rewriter = self._rewriter, Raw()
            return [*_held_by(failed), *data]

    def _say(self, line: str) -> None:
        with contextlib.suppress(Exception):
            self._warn(line)

    def _send(self, chunks: list[bytes]) -> list[bytes]:
        data = chunks[0] if len(chunks) == 1 else b"".join(chunks)
        if not data:
            return []
        self.bytes_out += len(data)
        self.sent.add(data)
        return [data]


def _held_by(rewriter: Rewriter) -> list[bytes]:
    try:
        return rewriter.abort()
    except Exception:
        return []  # it has failed already, and that was said


def has_body(request: http.Request, response: http.Response) -> bool:
    """Whether a body can follow these headers (RFC 9112 section 6.3)."""
    bodiless = request.method == "HEAD" or response.status_code in (204, 304)
    return not bodiless and response.status_code >= 200


def is_streamed(response: http.Response, asked_for: bool) -> bool:
    """Whether an answer comes bit by bit: by its type, or else because the request asked for it."""
    content_type = response.headers.get("content-type", "")
    if STREAM_TYPES.match(content_type):
        return True
    if not asked_for or response.status_code >= 400:
        return False
    return not (JSON_TYPE.match(content_type) and "content-length" in response.headers)


def open_ended(request: http.Request, response: http.Response) -> None:
    """Change the framing of a response to one for a body of unknown length.

    A chunked body lets an HTTP/1.1 client tell an end from an abort, and keep the connection.
    """
    headers = response.headers
    until_close = not response.is_http2 and not {"content-length", "transfer-encoding"} & {
        name.lower() for name in headers
    }
    for name in ("content-length", *DIGEST_HEADERS):
        headers.pop(name, None)
    if request.http_version == "HTTP/1.1":
        if until_close:  # or mitmproxy would keep the upstream's closed connection for another one
            headers["connection"] = "close"
        headers["transfer-encoding"] = "chunked"
    elif request.http_version == "HTTP/1.0":
        headers.pop("transfer-encoding", None)
