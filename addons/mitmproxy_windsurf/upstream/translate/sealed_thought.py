"""Reasoning as an opaque string that a client hands back unread.

OpenAI and Gemini let clients carry a model's reasoning from turn to turn sealed; many of them show
or keep nothing else of it. Only the backend's own words are in here, so this is no encryption: it
keeps clients, and whatever rewrites what they show, from taking it for text.
"""

from __future__ import annotations

import base64
import binascii
import zlib

_MARK = b"chat1"
_LONGEST = 8 * 1024 * 1024


def seal(thought: str) -> str:
    """The string for a reasoning, in base64."""
    data = zlib.compress(thought.encode("utf-8", "surrogatepass"))
    return base64.b64encode(_MARK + data).decode()


def unseal(sealed: str) -> str | None:
    """The reasoning in a string of ours; None of any other. Both alphabets of base64 are read."""
    try:
        plain = sealed.replace("-", "+").replace("_", "/")
        data = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
        if not data.startswith(_MARK):
            return None
        inflated = zlib.decompressobj().decompress(data[len(_MARK) :], _LONGEST)
        return inflated.decode("utf-8", "surrogatepass")
    except (binascii.Error, ValueError, zlib.error):
        return None
