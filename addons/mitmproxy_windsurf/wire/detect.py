"""Which protocol a request speaks, told by its path, and the facts in its body that the answer
depends on.

Paths are matched at their end, since vendors put the same routes below prefixes of their own.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Literal, NamedTuple, cast

from mitmproxy_windsurf.wire import anthropic, openai_chat
from mitmproxy_windsurf.wire.parts import Protocol
from mitmproxy_windsurf.wire.thinking import wants_thinking

Kind = Literal["generate", "count", "batch", "models"]


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


_MODULES: dict[str, ModuleType] = {"anthropic": anthropic, "openai_chat": openai_chat}

_POSTS: tuple[tuple[re.Pattern[str], Route], ...] = (
    (re.compile(r"/messages/?\Z"), Route("anthropic", "generate")),
    (re.compile(r"/messages/count_tokens/?\Z"), Route("anthropic", "count")),
    (re.compile(r"/messages/batches/?\Z"), Route("anthropic", "batch")),
    (re.compile(r"/chat/completions/?\Z"), Route("openai_chat", "generate")),
)
_MODELS = re.compile(r"/models(?:/[^/]+)?/?\Z")


def detect(method: str, path: str) -> Route | None:
    """The route of a request, or None for one that is none of ours. `path` may carry a query."""
    path = path.partition("?")[0]
    if method == "POST":
        return next((route for pattern, route in _POSTS if pattern.search(path)), None)
    if method == "GET" and _MODELS.search(path):
        return Route("openai_chat", "models")
    return None


def protocol(name: str) -> Protocol:
    """The module that knows the protocol of this name.

    Raises:
        KeyError: no such protocol.
    """
    return cast(Protocol, _MODULES[name])


def facts(protocol_name: str, body: Any) -> Facts:
    """What the parsed body of a request says about its answer."""
    if not isinstance(body, dict):
        return Facts()
    model = body.get("model")
    return Facts(
        model=model if isinstance(model, str) and model.strip() else None,
        stream=body.get("stream") is True,
        wants_thinking=wants_thinking(protocol_name, body),
        wants_json=_wants_json(body),
    )


def _wants_json(body: dict[str, Any]) -> bool:
    response_format = body.get("response_format") or body.get("output_format")
    output = body.get("output_config")
    if isinstance(output, dict) and output.get("format"):
        return True
    return isinstance(response_format, dict) and response_format.get("type") not in (None, "text")
