"""Which client protocols can be translated."""

from __future__ import annotations

from collections.abc import Mapping

from mitmproxy_windsurf.upstream.translate.anthropic import AnthropicDialect
from mitmproxy_windsurf.upstream.translate.gemini import GeminiDialect
from mitmproxy_windsurf.upstream.translate.model import Dialect
from mitmproxy_windsurf.upstream.translate.openai_chat import OpenAIChatDialect
from mitmproxy_windsurf.upstream.translate.openai_responses import OpenAIResponsesDialect
from mitmproxy_windsurf.wire.detect import detect

DIALECTS: dict[str, Dialect] = {
    "anthropic": AnthropicDialect(),
    "gemini": GeminiDialect(),
    "openai_chat": OpenAIChatDialect(),
    "openai_responses": OpenAIResponsesDialect(),
}
"""By the names that wire.detect gives the protocols."""

_HEADERS = {
    "anthropic-version": "anthropic",
    "x-goog-api-key": "gemini",
    "x-goog-api-client": "gemini",
}
"""Models are asked for at one path by all; these headers are sent by one only."""

_GEMINI_MODELS = "/v1beta/models"


def dialect_of(path: str, headers: Mapping[str, str]) -> Dialect | None:
    """The dialect of a request; None for a route that is none of ours. Header names are in lower
    case."""
    route = detect("POST", path) or detect("GET", path)
    if route is None:
        return None
    names = [name for header, name in _HEADERS.items() if header in headers]
    if route.kind != "models" or not names:
        names = ["gemini" if path.startswith(_GEMINI_MODELS) else route.protocol]
    return DIALECTS.get(names[0])
