from __future__ import annotations

import json
from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.failures import failure_in, failure_of, failure_told
from mitmproxy_windsurf.upstream.translate.model import Failure


@pytest.mark.parametrize(
    ("document", "failure"),
    [
        (  # OpenAI
            {"error": {"message": "no", "type": "t", "param": "tools", "code": "c"}},
            Failure(400, "no", "t", "c", "tools"),
        ),
        (  # llama.cpp
            {"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}},
            Failure(400, "too long", "exceed_context_size_error", "400"),
        ),
        ({"error": "no"}, Failure(400, "no")),  # Ollama
        (  # vLLM before 0.10
            {"object": "error", "message": "no", "type": "BadRequestError", "code": 400},
            Failure(400, "no", "BadRequestError", "400"),
        ),
        ({"detail": "no"}, Failure(400, "no")),  # FastAPI
        (
            {"detail": [{"loc": ["body", "n"], "msg": "no"}, {"msg": "never"}]},
            Failure(400, "body.n: no; never"),
        ),
        (  # OpenRouter
            {"error": {"message": "Provider returned error", "metadata": {"raw": "why"}}},
            Failure(400, "Provider returned error: why"),
        ),
        ({"error": {"odd": 1}}, Failure(400, 'the backend failed with {"error": {"odd": 1}}')),
    ],
)
def test_the_message_is_found_in_every_shape(document: Any, failure: Failure) -> None:
    assert failure_of(400, json.dumps(document).encode()) == failure


def test_what_is_no_json_is_quoted_in_part() -> None:
    assert failure_of(503, b"Service\n Unavailable").message == "Service Unavailable"
    assert len(failure_of(503, b"x" * 9000).message) == 500
    assert "503" in failure_of(503, b"").message


def test_a_status_that_is_no_error_becomes_502() -> None:
    assert failure_of(302, b"").status == 502


def test_the_status_over_http_counts_more_than_what_the_body_says() -> None:
    assert failure_of(503, b'{"error":{"message":"no","code":400}}').status == 503


@pytest.mark.parametrize(
    ("document", "status"),
    [
        ({"error": {"message": "no", "code": 429}}, 429),
        ({"error": {"message": "no", "status_code": 400, "code": "tool_use_failed"}}, 400),
        ({"status": 503, "message": "no"}, 503),
        ({"error": {"message": "no", "code": 1}}, 502),
        ({"error": "no"}, 502),
        ("no", 502),
    ],
)
def test_an_error_in_a_stream_brings_its_status(document: Any, status: int) -> None:
    failure = failure_in(document)
    assert (failure.status, failure.message) == (status, "no")


def test_errors_within_errors_are_looked_into_so_far() -> None:
    nested: Any = "no"
    for _ in range(50):
        nested = {"error": nested}
    assert "backend failed" in failure_of(500, json.dumps(nested).encode()).message


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            b'{"error": {"message": "overloaded", "code": 503}}',
            Failure(503, "overloaded", code="503"),
        ),
        (b'{"error": "no", "choices": [{"index": 0}]}', None),
        (b'{"choices": [], "error": null}', None),
        (b"no JSON", None),
        (b"[]", None),
    ],
)
def test_an_error_told_as_an_answer(body: bytes, expected: Failure | None) -> None:
    assert failure_told(body) == expected
