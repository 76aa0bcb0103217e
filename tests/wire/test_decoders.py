"""Compressed bodies: every encoding that mitmproxy can bring a decoder for, in any cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from encoders import ENCODERS, encode
from mitmproxy_windsurf.wire.decoders import TooLarge, decode, decoder, is_identity

PIECES = [b"event: x\ndata: %d %s\n\n" % (n, b"abc" * 20) for n in range(5)]
each_encoding = pytest.mark.parametrize("name", ENCODERS)


@each_encoding
def test_the_first_event_does_not_wait_for_the_second(name: str) -> None:
    encoding, encoder = ENCODERS[name]
    codec = decoder(encoding)
    assert codec
    for piece, chunk in zip(PIECES, encoder(PIECES), strict=False):
        assert codec.feed(chunk) == piece
    codec.feed(encoder(PIECES)[-1])
    assert codec.flush() == b""


@each_encoding
@given(data=st.binary(max_size=2000), size=st.integers(1, 50))
def test_chunk_invariance(name: str, data: bytes, size: int) -> None:
    codec = decoder(ENCODERS[name][0])
    assert codec
    body = encode(name, data)
    out = [codec.feed(body[start : start + size]) for start in range(0, len(body), size)]
    assert b"".join(out) + codec.flush() == data
    assert decode(body, ENCODERS[name][0]) == data


@pytest.mark.parametrize("name", ["gzip", "zstd"])
@pytest.mark.parametrize("padding", [b"", b"\0\0\0"])
def test_frames_in_a_row_are_one_body(name: str, padding: bytes) -> None:
    body = encode(name, b"one") + encode(name, b"two") + padding
    assert decode(body, name) == b"onetwo"


@each_encoding
def test_a_body_that_ends_too_early_is_decoded_as_far_as_it_goes(name: str) -> None:
    encoding, encoder = ENCODERS[name]
    assert decode(b"".join(encoder(PIECES)[:3]), encoding) == b"".join(PIECES[:3])


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_a_damaged_body_is_a_value_error(encoding: str) -> None:
    with pytest.raises(ValueError, match=f"not valid {encoding}"):
        decode(b"\x78\xff this is no compressed data" * 9, encoding)


@pytest.mark.parametrize("encoding", ["gzip, br", "aes128gcm", "rot13", "utf-8"])
def test_an_unknown_or_stacked_encoding_has_no_decoder(encoding: str) -> None:
    assert decoder(encoding) is None
    with pytest.raises(ValueError, match="not understood"):
        decode(b"x", encoding)


@pytest.mark.parametrize("encoding", ["", "identity", " Identity "])
def test_identity_is_no_encoding(encoding: str) -> None:
    assert is_identity(encoding)
    assert decode(b"as it is", encoding) == b"as it is"


@each_encoding
def test_what_swells_over_a_limit_is_not_decoded_to_its_end(name: str) -> None:
    encoding, _ = ENCODERS[name]
    body = encode(name, bytes(100_000))
    assert decode(body, encoding, limit=100_000) == bytes(100_000)
    with pytest.raises(TooLarge, match="larger than 99999 bytes"):
        decode(body, encoding, limit=99_999)
