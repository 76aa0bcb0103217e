from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.translate.sealed_thought import seal, unseal


@given(st.text())
def test_a_thought_comes_back(thought: str) -> None:
    sealed = seal(thought)
    assert unseal(sealed) == thought
    assert unseal(sealed.replace("+", "-").replace("/", "_").rstrip("=")) == thought


@pytest.mark.parametrize(
    "other",
    ["", "gAAAAABoydMADQ6HaJB8", "no base64!", "ä", base64.b64encode(b"chat1nothing").decode()],
)
def test_what_others_have_sealed_stays_so(other: str) -> None:
    assert unseal(other) is None


def test_a_seal_cannot_be_blown_up() -> None:
    bomb = zlib.compress(bytes(64 * 1024 * 1024))
    sealed = base64.b64encode(b"chat1" + bomb).decode()
    assert len(unseal(sealed) or "") <= 8 * 1024 * 1024
