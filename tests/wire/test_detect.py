"""Which requests are ours, and what they say about their answer."""

from typing import Any

import pytest

from mitmproxy_windsurf.wire import anthropic, detect, openai_chat
from mitmproxy_windsurf.wire.detect import Facts, Route

MESSAGES = Route("anthropic", "generate")
CHAT = Route("openai_chat", "generate")


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
        ("/v1/completions", None),
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
    assert detect.detect("GET", path) is None


@pytest.mark.parametrize("path", ["/v1/models", "/v1/models/m", "/models/", "/v1/models?limit=1"])
def test_lists_of_models(path: str) -> None:
    assert detect.detect("GET", path) == Route("openai_chat", "models")
    assert detect.detect("POST", path) is None


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
