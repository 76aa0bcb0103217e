"""Incremental decoders for compressed bodies, from what every mitmproxy brings.

`feed` returns all that can be decoded by now, so that the first event of a compressed stream does
not wait for the second; `flush` returns the rest. An unknown or stacked encoding has no decoder.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any, Protocol

import brotli

_SLICE = 16 * 1024
"""So much is decoded between two looks at a limit: it can swell a thousandfold."""


class TooLarge(ValueError):
    """What comes out of a body is over the limit."""


class Decoder(Protocol):
    """Decodes one body that arrives in pieces."""

    def feed(self, data: bytes, /) -> bytes:
        """Take more of the body. Raises an exception of the codec if the body is damaged."""
        ...

    def flush(self) -> bytes:
        """The body has ended, maybe too early: return what is left."""
        ...


class _Decompressor(Protocol):
    """What zlib's and zstd's objects have in common: one object decodes one frame."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


class Frames:
    """A body of one or more frames in a row (RFC 1952 section 2.2, RFC 8878 section 3.1)."""

    def __init__(self, new: Callable[[], _Decompressor]) -> None:
        self._new = new
        self._current = new()
        self._complete = 0
        self._trailing = False

    def feed(self, data: bytes, /) -> bytes:
        out = []
        while data and not self._trailing:
            if self._current.eof:
                self._complete += 1
                self._current = self._new()
                fresh = True
            else:
                fresh = False
            try:
                out.append(self._current.decompress(data))
            except Exception:
                if not (fresh and self._complete):
                    raise
                self._trailing = True  # padding behind the last frame, which everybody ignores
                break
            data = self._current.unused_data if self._current.eof else b""
        return b"".join(out)

    def flush(self) -> bytes:
        flush: Callable[[], bytes] | None = getattr(self._current, "flush", None)
        return flush() if flush is not None and not self._trailing else b""


class Deflate:
    """`deflate` means zlib (RFC 9110 section 8.4.1.2), but many servers leave its wrapper out."""

    def __init__(self) -> None:
        self._frames: Frames | None = None

    def feed(self, data: bytes, /) -> bytes:
        if not data:
            return b""
        if self._frames is None:
            wbits = zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS
            self._frames = Frames(lambda: zlib.decompressobj(wbits))
        return self._frames.feed(data)

    def flush(self) -> bytes:
        return self._frames.flush() if self._frames else b""


class Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def feed(self, data: bytes, /) -> bytes:
        return bytes(self._decompressor.process(data))

    def flush(self) -> bytes:
        return b""


def _new_zstd() -> Callable[[], Any]:
    try:
        from compression import zstd  # Python 3.14
    except ImportError:
        try:
            from backports import zstd  # mitmproxy 12
        except ImportError:
            import zstandard  # mitmproxy 11

            return lambda: zstandard.ZstdDecompressor().decompressobj()
    return lambda: zstd.ZstdDecompressor()


_zstd_decompressor = _new_zstd()
"""A new object for one frame."""


def _gzip() -> Decoder:
    return Frames(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))


def _zstd() -> Decoder:
    return Frames(_zstd_decompressor)


_DECODERS: dict[str, Callable[[], Decoder]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": _zstd,
}


def is_identity(encoding: str) -> bool:
    """Whether a Content-Encoding stands for a body that is not encoded."""
    return encoding.strip().lower() in ("", "identity")


def decoder(encoding: str) -> Decoder | None:
    """A decoder for a Content-Encoding, or None for one that is unknown or stacked."""
    new = _DECODERS.get(encoding.strip().lower())
    return new() if new else None


def decode(data: bytes, encoding: str, *, limit: int | None = None) -> bytes:
    """Decode a whole body.

    Raises:
        ValueError: the encoding is unknown or stacked, the body is damaged, or it is `TooLarge`.
    """
    if is_identity(encoding):
        return data
    codec = decoder(encoding)
    if codec is None:
        raise ValueError(f"content-encoding {encoding!r} is not understood")
    out, size = [], 0
    try:
        for start in range(0, len(data), _SLICE):
            out.append(codec.feed(data[start : start + _SLICE]))
            size += len(out[-1])
            if limit is not None and size > limit:
                raise TooLarge(f"the body is larger than {limit} bytes")
        return b"".join([*out, codec.flush()])
    except TooLarge:
        raise
    except Exception as error:
        raise ValueError(f"the body is not valid {encoding}: {error}") from error
