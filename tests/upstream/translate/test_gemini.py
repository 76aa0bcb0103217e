from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.gemini import GeminiDialect
from mitmproxy_windsurf.upstream.translate.model import Failure

GEMINI = GeminiDialect()


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (400, "INVALID_ARGUMENT"),
        (401, "UNAUTHENTICATED"),
        (404, "NOT_FOUND"),
        (429, "RESOURCE_EXHAUSTED"),
        (500, "INTERNAL"),
        (502, "UNAVAILABLE"),
        (504, "DEADLINE_EXCEEDED"),
        (529, "UNAVAILABLE"),
        (418, "INTERNAL"),
    ],
)
def test_errors_have_googles_names(status: int, name: str) -> None:
    error = {"code": status, "message": "no", "status": name}
    assert GEMINI.error(Failure(status, "no")) == {"error": error}


def test_models() -> None:
    (model,) = GEMINI.models([{"id": "qwen3", "created": 7}])["models"]
    assert model == GEMINI.model({"id": "qwen3"})
    assert model["name"] == "models/qwen3"
    assert "streamGenerateContent" in model["supportedGenerationMethods"]


def test_a_count_of_tokens() -> None:
    assert GEMINI.count(7) == {"totalTokens": 7}


def test_it_reads_every_answer() -> None:
    assert not GEMINI.relays
