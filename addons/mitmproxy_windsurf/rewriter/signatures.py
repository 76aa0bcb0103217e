"""Thinking that a vendor has signed: altered text comes back with its signature and is refused.

The signature of a streamed text comes after the text. So it is learned from the first signature
that an upstream sends whether it signs at all; until then thinking is cleaned, and the original is
remembered by its signature, so that the next request can put it back.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Literal

SignedThinking = Literal["auto", "pass", "scrub"]

MAX_REMEMBERED = 4 * 1024 * 1024
"""Characters of originals that are remembered; the oldest go first."""

UPSTREAMS = 64
"""Upstreams that are known at a time."""

_UUID = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)


def is_signature(value: object) -> bool:
    """Whether this is a vendor's signature, not what local servers fill the field with.

    llama.cpp sends an empty string, vLLM a random uuid, others nothing at all.
    """
    return isinstance(value, str) and value != "" and _UUID.fullmatch(value) is None


class Signatures:
    """What is known of one upstream's signatures."""

    def __init__(self, mode: SignedThinking = "auto") -> None:
        self._mode = mode
        self._seen = False
        self._originals: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    @property
    def untouchable(self) -> bool:
        """Whether thinking of this upstream is passed on as it is."""
        return self._mode == "pass" or (self._mode == "auto" and self._seen)

    @property
    def keeps_originals(self) -> bool:
        """Whether the original of a changed thinking text is worth remembering."""
        return self._mode == "auto"

    def seen(self, signature: str, original: str | None) -> None:
        """A real signature came; `original` is the text it signs, if that was changed."""
        self._seen = True
        if original is not None and signature not in self._originals:
            self._originals[signature] = original
            self._size += len(original)
            while self._size > MAX_REMEMBERED:
                self._size -= len(self._originals.popitem(last=False)[1])

    def original(self, signature: object) -> str | None:
        """The text that this signature signs, if it was changed on its way to the client."""
        return self._originals.get(signature) if isinstance(signature, str) else None


_upstreams: OrderedDict[tuple[str, str, int], Signatures] = OrderedDict()
# Not in an instance, since what is under way outlives a reloaded script.


def signatures_of(mode: SignedThinking, host: str, port: int) -> Signatures:
    """What is known about the signatures of one upstream."""
    key = mode, host, port
    if key not in _upstreams:
        _upstreams[key] = Signatures(mode)
        if len(_upstreams) > UPSTREAMS:
            _upstreams.popitem(last=False)
    return _upstreams[key]
