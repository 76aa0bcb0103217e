from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.anthropic import AnthropicDialect
from mitmproxy_windsurf.upstream.translate.model import Asked, Failure, Json

ANTHROPIC = AnthropicDialect()


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (Failure(400, "no"), "invalid_request_error"),
        (Failure(400, "no", "exceed_context_size_error"), "invalid_request_error"),
        (Failure(401, "no"), "authentication_error"),
        (Failure(429, "no", "insufficient_quota"), "rate_limit_error"),
        (Failure(502, "no"), "api_error"),
        (Failure(503, "no", "overloaded_error"), "overloaded_error"),
        (Failure(529, "no"), "overloaded_error"),
    ],
)
def test_errors_are_of_the_kinds_that_clients_know(failure: Failure, kind: str) -> None:
    error = {"type": kind, "message": "no"}
    assert ANTHROPIC.error(failure) == {"type": "error", "error": error}


def test_models() -> None:
    listed: list[Json] = [
        {"id": "qwen3", "created": 1_767_225_600},
        {"id": "odd", "created": "now"},
    ]
    found = ANTHROPIC.models(listed)
    assert [model["id"] for model in found["data"]] == ["qwen3", "odd"]
    assert (found["first_id"], found["last_id"], found["has_more"]) == ("qwen3", "odd", False)
    assert ANTHROPIC.model(listed[0])["created_at"] == "2026-01-01T00:00:00Z"
    assert ANTHROPIC.model(listed[1])["created_at"] == "1970-01-01T00:00:00Z"
    assert ANTHROPIC.models([])["first_id"] is None


def test_a_count_of_tokens() -> None:
    assert ANTHROPIC.count(7) == {"input_tokens": 7}


def test_it_reads_every_answer() -> None:
    assert not ANTHROPIC.relays


def test_requests_are_translated() -> None:
    asked = Asked({"model": "m", "messages": [{"role": "user", "content": "hi"}]})
    assert ANTHROPIC.request(asked).model == "m"
