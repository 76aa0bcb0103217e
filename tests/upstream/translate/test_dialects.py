from __future__ import annotations

import pytest

from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS, dialect_of


@pytest.mark.parametrize(
    ("path", "headers", "name"),
    [
        ("/v1/messages", {}, "anthropic"),
        ("/v1/messages/count_tokens", {}, "anthropic"),
        ("/v1/chat/completions", {"anthropic-version": "2023-06-01"}, "openai_chat"),
        ("/openai/v1/chat/completions", {}, "openai_chat"),
        ("/v1/responses", {}, "openai_responses"),
        ("/v1beta/models/m:streamGenerateContent", {}, "gemini"),
        ("/v1beta/models", {"x-goog-api-key": "k"}, "gemini"),
        ("/v1beta/models/m", {}, "gemini"),
        ("/v1beta/openai/models", {}, "openai_chat"),
        ("/v1/models", {}, "openai_chat"),
        ("/v1/models", {"anthropic-version": "2023-06-01"}, "anthropic"),
        ("/v1/models/qwen3", {"anthropic-version": "2023-06-01"}, "anthropic"),
    ],
)
def test_the_path_tells_and_for_models_a_header(
    path: str, headers: dict[str, str], name: str
) -> None:
    assert dialect_of(path, headers) is DIALECTS[name]


@pytest.mark.parametrize("path", ["/", "/v1/embeddings", "/api/chat"])
def test_other_routes_have_none(path: str) -> None:
    assert dialect_of(path, {}) is None
