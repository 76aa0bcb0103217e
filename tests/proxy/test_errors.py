"""Answers of the proxy itself, in the shape of each protocol."""

import json

import pytest

from mitmproxy_windsurf.proxy.errors import refused, unreachable


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [
        ("anthropic", "permission_error"),
        ("openai_chat", "permission_error"),
        ("openai_responses", "permission_error"),
        ("gemini", "PERMISSION_DENIED"),
        ("ollama", None),
        ("", "permission_error"),
    ],
)
def test_a_refusal_has_the_clients_shape(protocol: str, kind: str | None) -> None:
    response = refused(protocol, "192.168.1.5")
    assert response.status_code == 403
    assert response.headers["content-type"] == "application/json"
    document = json.loads(response.content or b"")
    error = document["error"]
    if kind is None:
        message = error
    else:
        message = error["message"]
        assert kind in (error.get("type"), error.get("status"))
    assert document.get("type") == ("error" if protocol == "anthropic" else None)
    assert "192.168.1.5" in message
    assert "windsurf_allow_remote" in message


def test_an_upstream_that_is_down_is_named_with_the_cure() -> None:
    response = unreachable("gemini", "http://a.b:3003", "Connection refused", "Start it.")
    assert response.status_code == 502
    error = json.loads(response.content or b"")["error"]
    assert error["code"] == 502
    assert error["status"] == "UNAVAILABLE"
    assert error["message"].endswith(
        "http://a.b:3003 gave no answer (Connection refused). Start it."
    )
