"""Which protocol a request speaks, told by its path, and what it says about its answer.

Paths are matched at their end, since vendors put the same routes below prefixes of their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import unquote

from mitmproxy_windsurf.wire import (
    anthropic,
    gemini,
    ollama,
    openai_chat,
    openai_completions,
    openai_responses,
)
from mitmproxy_windsurf.wire.gemini_members import members
from mitmproxy_windsurf.wire.parts import Json, Protocol
from mitmproxy_windsurf.wire.thinking import wants_thinking
from mitmproxy_windsurf.wire.walk import at

Kind = Literal["generate", "count", "batch", "cache", "models"]


class Route(NamedTuple):
    """The protocol of a request and what it is for; only `generate` is answered by a model."""

    protocol: str
    kind: Kind


class Facts(NamedTuple):
    """What a request says about its answer."""

    model: str | None = None
    stream: bool = False
    wants_thinking: bool = False
    wants_json: bool = False
    workspace: str | None = None
    """The client's working directory, if it was asked for."""


_MODULES: dict[str, ModuleType] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "ollama": ollama,
    "openai_chat": openai_chat,
    "openai_completions": openai_completions,
    "openai_responses": openai_responses,
}

_POSTS: tuple[tuple[re.Pattern[str], Route], ...] = (
    (re.compile(r"/messages/?\Z"), Route("anthropic", "generate")),
    (re.compile(r"/messages/count_tokens/?\Z"), Route("anthropic", "count")),
    (re.compile(r"/messages/batches/?\Z"), Route("anthropic", "batch")),
    (re.compile(r"/chat/completions/?\Z"), Route("openai_chat", "generate")),
    (re.compile(r"/completions?/?\Z"), Route("openai_completions", "generate")),
    (re.compile(r"/responses/?\Z"), Route("openai_responses", "generate")),
    (re.compile(r"/responses/[^/]+/cancel/?\Z"), Route("openai_responses", "generate")),
    # What a compacted conversation holds was said by the user, or is sealed.
    (re.compile(r"/responses/(?:input_tokens|compact)/?\Z"), Route("openai_responses", "count")),
    # The name of a model, or `v1internal`, stands before the colon.
    (re.compile(r"[^/](?::|%3A)(?:g|streamG)enerateContent\Z"), Route("gemini", "generate")),
    (re.compile(r"[^/](?::|%3A)countTokens\Z"), Route("gemini", "count")),
    (re.compile(r"[^/](?::|%3A)batchGenerateContent\Z"), Route("gemini", "batch")),
    (re.compile(r"/cachedContents/?\Z"), Route("gemini", "cache")),
    (re.compile(r"/api/(?:chat|generate)/?\Z"), Route("ollama", "generate")),
)
_GETS: tuple[tuple[re.Pattern[str], Route], ...] = (
    (re.compile(r"/models(?:/[^/]+)?/?\Z"), Route("openai_chat", "models")),
    # A stored response, or the stream of one that runs in the background.
    (re.compile(r"/responses/[^/]+/?\Z"), Route("openai_responses", "generate")),
)
_ROUTES = {"GET": _GETS, "POST": _POSTS}


def detect(method: str, path: str) -> Route | None:
    """The route of a request, or None for one that is none of ours. `path` may carry a query."""
    path = path.partition("?")[0]
    routes = _ROUTES.get(method, ())
    return next((route for pattern, route in routes if pattern.search(path)), None)


def protocol(name: str) -> Protocol:
    """The module that knows the protocol of this name.

    Raises:
        KeyError: no such protocol.
    """
    return cast(Protocol, _MODULES[name])


def shape(protocol_name: str, body: Any) -> str:
    """The protocol that the parsed body of a request speaks, which may be another than that of its
    route: Cursor posts bodies of the Responses API to `chat/completions`."""
    looks, other = _SHAPES.get(protocol_name, (None, ""))
    if looks and other in _MODULES and isinstance(body, dict) and looks(body):
        return other
    return protocol_name


def _is_responses(body: Json) -> bool:
    return "input" in body and "messages" not in body


_SHAPES: dict[str, tuple[Callable[[Json], bool], str]] = {
    "openai_chat": (_is_responses, "openai_responses"),
}


def facts(protocol_name: str, body: Any, path: str = "") -> Facts:
    """What a request says about its answer: its parsed body and, for Gemini, its path."""
    if not isinstance(body, dict):
        return Facts()
    model = _model_in(path) if protocol_name == "gemini" else None
    return Facts(
        model=model or _model(body.get("model")),
        stream=_STREAMS.get(protocol_name, _asks_for_stream)(body, path),
        wants_thinking=wants_thinking(protocol_name, body),
        wants_json=_WANTS_JSON.get(protocol_name, _has_format)(body),
    )


_MODEL = re.compile(r"/(?:models|tunedModels)/([^?]+?)(?::|%3A)\w+(?:\?|\Z)")


def _model_in(path: str) -> str | None:
    match = _MODEL.search(path)
    return _model(unquote(match[1])) if match else None


def _model(name: Any) -> str | None:
    """A name that says something; resources of Google are called `models/NAME`."""
    return (name.removeprefix("models/") if isinstance(name, str) and name.strip() else "") or None


def _asks_for_stream(body: Json, path: str) -> bool:
    return body.get("stream") is True


_STREAMS: dict[str, Callable[[Json, str], bool]] = {
    "gemini": lambda body, path: "streamGenerateContent" in path,
    "ollama": lambda body, path: body.get("stream") is not False,
}


def _has_format(body: Json) -> bool:
    response_format = body.get("response_format") or body.get("output_format")
    output = body.get("output_config")
    if isinstance(output, dict) and output.get("format"):
        return True
    return isinstance(response_format, dict) and response_format.get("type") not in (None, "text")


def _has_schema(body: Json) -> bool:
    inner = members(body)["request"].value  # Code Assist
    generation = members(members(inner or body)["generationconfig"].value)
    mime_type = generation["responsemimetype"].value
    return mime_type not in (None, "text/plain") or any(
        generation[name].value for name in ("responseschema", "responsejsonschema")
    )


_WANTS_JSON: dict[str, Callable[[Json], bool]] = {
    "gemini": _has_schema,
    "ollama": lambda body: bool(body.get("format")),
    "openai_responses": lambda body: at(body, ("text", "format", "type")) not in (None, "text"),
}
