"""How an answer is framed."""

import pytest

from mitmproxy_windsurf.wire.framers import framer_of
from mitmproxy_windsurf.wire.json_array import JSONArrayFramer
from mitmproxy_windsurf.wire.ndjson import NDJSONFramer
from mitmproxy_windsurf.wire.sse import SSEFramer

SSE = "text/event-stream; charset=utf-8"
JSON = "application/json"


@pytest.mark.parametrize(
    ("protocol", "content_type", "first", "framer"),
    [
        ("anthropic", SSE, b"e", SSEFramer),
        ("openai_chat", "", b"d", SSEFramer),
        ("openai_chat", JSON, b"d", SSEFramer),
        ("openai_chat", JSON, b"{", None),
        ("openai_chat", SSE, b"{", None),
        ("openai_chat", JSON, b"[", None),
        ("gemini", JSON, b"[", JSONArrayFramer),
        ("gemini", JSON, b"{", None),
        ("gemini", SSE, b"d", SSEFramer),
        ("gemini", SSE, b"{", SSEFramer),
        ("ollama", "application/x-ndjson", b"{", NDJSONFramer),
        ("ollama", "", b"{", NDJSONFramer),
        ("ollama", JSON, b"{", None),
    ],
)
def test_the_framing_of_an_answer(
    protocol: str, content_type: str, first: bytes, framer: object
) -> None:
    assert framer_of(protocol, content_type, first) is framer
