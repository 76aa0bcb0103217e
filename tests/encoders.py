"""Compressors that flush after every piece, as a server does that compresses a stream of events."""

import zlib
from collections.abc import Callable, Iterable
from typing import Any

import brotli

Encoder = Callable[[Iterable[bytes]], list[bytes]]


def _zlib(wbits: int) -> Encoder:
    def encode(pieces: Iterable[bytes]) -> list[bytes]:
        coder = zlib.compressobj(wbits=wbits)
        chunks = [coder.compress(piece) + coder.flush(zlib.Z_SYNC_FLUSH) for piece in pieces]
        return [*chunks, coder.flush()]

    return encode


def _brotli(pieces: Iterable[bytes]) -> list[bytes]:
    coder = brotli.Compressor()
    return [*(coder.process(piece) + coder.flush() for piece in pieces), coder.finish()]


def _zstd(pieces: Iterable[bytes]) -> list[bytes]:
    coder: Any
    try:
        from backports import zstd
    except ImportError:
        import zstandard

        coder = zstandard.ZstdCompressor().compressobj()
        flush = zstandard.COMPRESSOBJ_FLUSH_BLOCK
        return [*(coder.compress(piece) + coder.flush(flush) for piece in pieces), coder.flush()]
    coder = zstd.ZstdCompressor()
    return [
        *(coder.compress(piece) + coder.flush(coder.FLUSH_BLOCK) for piece in pieces),
        coder.flush(),
    ]


ENCODERS: dict[str, tuple[str, Encoder]] = {
    "gzip": ("gzip", _zlib(31)),
    "x-gzip": ("x-gzip", _zlib(31)),
    "deflate": ("deflate", _zlib(15)),
    "raw deflate": ("deflate", _zlib(-15)),
    "br": ("br", _brotli),
    "zstd": ("zstd", _zstd),
}
"""Names for tests, the Content-Encoding, and the encoder."""


def encode(name: str, data: bytes) -> bytes:
    return b"".join(ENCODERS[name][1]([data]))
