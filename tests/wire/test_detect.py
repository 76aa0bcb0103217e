"""Which requests are ours, and what they say about their answer."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import anthropic, detect, openai_chat
from mitmproxy_windsurf.wire.detect import Facts, Route

MESSAGES = Route("anthropic", "generate")
CHAT = Route("openai_chat", "generate")
TEXT = Route("openai_completions", "generate")
GEMINI = Route("gemini", "generate")
OLLAMA = Route("ollama", "generate")
RESPONSES = Route("openai_responses", "generate")
VERTEX = "/v1beta1/projects/p/locations/l/publishers/google/models"


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1/messages", MESSAGES),
        ("/v1/messages?beta=true", MESSAGES),
        ("/v1/messages/", MESSAGES),
        ("/api/v1/messages", MESSAGES),
        ("/v1/messages/count_tokens", Route("anthropic", "count")),
        ("/v1/messages/count_tokens?beta=true", Route("anthropic", "count")),
        ("/v1/messages/batches", Route("anthropic", "batch")),
        ("/v1/chat/completions", CHAT),
        ("/chat/completions", CHAT),
        ("/openai/deployments/d/chat/completions?api-version=1", CHAT),
        ("/models/chat/completions", CHAT),
        ("/openai/v1/chat/completions", CHAT),
        ("/api/paas/v4/chat/completions", CHAT),
        ("/beta/chat/completions", CHAT),
        ("/v1/messages/batches/b1/results", None),
        ("/v1/messages/b1", None),
        ("/v1/chat/completions/c1/messages", MESSAGES),
        ("/v1/completions", TEXT),
        ("/openai/deployments/d/completions?api-version=1", TEXT),
        ("/completion", TEXT),
        ("/v1beta/models/gemini-2.5-pro:generateContent", GEMINI),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", GEMINI),
        ("/v1beta/models/gemini-2.5-pro%3AstreamGenerateContent", GEMINI),
        ("/v1beta/tunedModels/t:generateContent", GEMINI),
        (f"{VERTEX}/gemini-2.5-pro:streamGenerateContent", GEMINI),
        ("/v1/projects/p/locations/l/endpoints/7:generateContent", GEMINI),
        ("/v1internal:streamGenerateContent?alt=sse", GEMINI),
        ("/v1internal:countTokens", Route("gemini", "count")),
        (f"{VERTEX}/gemini-2.5-pro:countTokens", Route("gemini", "count")),
        ("/v1beta/models/m:batchGenerateContent", Route("gemini", "batch")),
        ("/v1beta/cachedContents?key=k", Route("gemini", "cache")),
        ("/v1beta/cachedContents/c", None),
        ("/v1beta/models/m:embedContent", None),
        ("/:generateContent", None),
        ("/api/chat", OLLAMA),
        ("/api/generate", OLLAMA),
        ("/api/tags", None),
        ("/v1/responses", RESPONSES),
        ("/v1/responses/?api-version=1", RESPONSES),
        ("/backend-api/codex/responses", RESPONSES),
        ("/v1/responses/resp_1/cancel", RESPONSES),
        ("/v1/responses/compact", Route("openai_responses", "count")),
        ("/v1/responses/input_tokens", Route("openai_responses", "count")),
        ("/v1/responses/resp_1", None),
        ("/v1/embeddings", None),
        ("/v1/chat/completionsx", None),
        ("/v1/chat/completions\n", None),
        ("/?next=/v1/messages", None),
        ("/", None),
        ("", None),
    ],
)
def test_posts(path: str, route: Route | None) -> None:
    assert detect.detect("POST", path) == route
    assert detect.detect("PUT", path) is None
    if "/models/" not in path and "/responses/" not in path:  # where a GET asks for one of them
        assert detect.detect("GET", path) is None


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m", "/models/", "/v1/models?limit=1"])
def test_lists_of_models(path: str) -> None:
    assert detect.detect("GET", path) == Route("openai_chat", "models")
    assert detect.detect("POST", path) is None


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/v1/responses/resp_1", RESPONSES),
        ("/v1/responses/resp_1?stream=true&starting_after=7", RESPONSES),
        ("/v1/responses/resp_1/input_items", None),
        ("/v1/responses", None),
        ("/v1/responses/", None),
    ],
)
def test_stored_responses(path: str, route: Route | None) -> None:
    assert detect.detect("GET", path) == route
    assert detect.detect("DELETE", path) is None


def test_protocols_by_name() -> None:
    assert detect.protocol("anthropic") is anthropic
    assert detect.protocol("openai_chat") is openai_chat
    with pytest.raises(KeyError):
        detect.protocol("gopher")


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        ({}, Facts()),
        ({"model": "m", "stream": True}, Facts("m", stream=True)),
        ({"model": "  ", "stream": "yes"}, Facts()),
        ({"model": 7, "stream": 1}, Facts()),
        ({"reasoning_effort": "high"}, Facts(wants_thinking=True)),
        ({"response_format": {"type": "json_object"}}, Facts(wants_json=True)),
        ({"response_format": {"type": "json_schema"}}, Facts(wants_json=True)),
        ({"response_format": {"type": "text"}}, Facts()),
        ({"response_format": "json"}, Facts()),
        ({"output_config": {"format": {"type": "json_schema"}}}, Facts(wants_json=True)),
        ({"output_config": {"effort": "low"}}, Facts()),
        ({"output_format": {"type": "json_schema"}}, Facts(wants_json=True)),
        ([], Facts()),
        ("x", Facts()),
        (None, Facts()),
    ],
)
def test_facts(body: Any, facts: Facts) -> None:
    assert detect.facts("openai_chat", body) == facts


@pytest.mark.parametrize(
    ("path", "body", "facts"),
    [
        ("/v1beta/models/g:generateContent", {}, Facts("g")),
        ("/v1beta/models/g:streamGenerateContent", {}, Facts("g", stream=True)),
        ("/models/google/g%202:generateContent?alt=sse", {}, Facts("google/g 2")),
        (f"{VERTEX}/g%3AstreamGenerateContent", {"model": "h"}, Facts("g", stream=True)),
        ("/v1internal:streamGenerateContent", {"model": "g"}, Facts("g", stream=True)),
        ("/v1internal:generateContent", {"model": "models/g", "stream": True}, Facts("g")),
        ("", {"generationConfig": {"responseMimeType": "text/plain"}}, Facts()),
        (
            "",
            {"generationConfig": {"response_mime_type": "application/json"}},
            Facts(wants_json=True),
        ),
        (
            "",
            {"request": {"generation_config": {"responseSchema": {"a": 1}}}},
            Facts(wants_json=True),
        ),
        (
            "",
            {"generationConfig": {"thinkingConfig": {"include_thoughts": True}}},
            Facts(wants_thinking=True),
        ),
        ("", [], Facts()),
    ],
)
def test_facts_of_gemini(path: str, body: Any, facts: Facts) -> None:
    assert detect.facts("gemini", body, path) == facts


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        ({}, Facts(stream=True)),
        ({"model": "m", "stream": False}, Facts("m")),
        ({"stream": True, "format": "json"}, Facts(stream=True, wants_json=True)),
        ({"stream": False, "format": {"type": "object"}}, Facts(wants_json=True)),
        ({"stream": False, "format": ""}, Facts()),
        ({"stream": False, "think": "high"}, Facts(wants_thinking=True)),
    ],
)
def test_facts_of_ollama(body: Any, facts: Facts) -> None:
    assert detect.facts("ollama", body) == facts


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        ({"model": "m", "stream": True}, Facts("m", stream=True)),
        ({"reasoning": {"summary": "auto"}}, Facts(wants_thinking=True)),
        ({"reasoning": {"effort": "none"}}, Facts()),
        ({"text": {"format": {"type": "text"}, "verbosity": "low"}}, Facts()),
        ({"text": {"format": {"type": "json_schema"}}}, Facts(wants_json=True)),
        ({"text": {"format": {"type": "json_object"}}}, Facts(wants_json=True)),
        ({"text": {}}, Facts()),
        ({"text": "x"}, Facts()),
    ],
)
def test_facts_of_responses(body: Any, facts: Facts) -> None:
    assert detect.facts("openai_responses", body) == facts


@pytest.mark.parametrize(
    ("protocol", "body", "shape"),
    [
        ("openai_chat", {"input": "x", "messages": []}, "openai_chat"),
        ("openai_chat", {"input": "x"}, "openai_responses"),
        ("openai_chat", {}, "openai_chat"),
        ("openai_chat", [], "openai_chat"),
        ("anthropic", {"input": "x"}, "anthropic"),
    ],
)
def test_the_shape_of_a_body_is_that_of_its_route_or_of_the_responses_api(
    protocol: str, body: Any, shape: str
) -> None:
    assert detect.shape(protocol, body) == shape
