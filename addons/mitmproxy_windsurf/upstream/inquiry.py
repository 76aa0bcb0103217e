"""A client's request to the handler, read: which protocol, what for, and its body."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mitmproxy_windsurf.upstream.admission import MAX_BODY
from mitmproxy_windsurf.upstream.exchange import Request
from mitmproxy_windsurf.upstream.translate.dialects import DIALECTS, dialect_of
from mitmproxy_windsurf.upstream.translate.model import Asked, Dialect, Json, Refused
from mitmproxy_windsurf.wire.decoders import TooLarge, decode, decoder, is_identity
from mitmproxy_windsurf.wire.detect import detect, shape

_FALLBACK = "openai_chat"
"""Everybody can read OpenAI's errors."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """`protocol` is that of the dialect; `kind` is as in wire.detect, or "other"."""

    request: Request
    dialect: Dialect
    protocol: str
    kind: str

    def asked(self) -> Asked:
        """The request with its body.

        Raises:
            Refused: it has none that can be read.
        """
        return _asked(self.request, _body(self.request))


def inquiry(request: Request) -> Inquiry:
    """What a request is for, by its path and headers alone."""
    method = "GET" if request.method == "HEAD" else request.method
    dialect = dialect_of(request.path, request.headers)
    route = detect(method, request.path)
    if dialect is None:
        is_anthropic = "/messages" in request.path or "anthropic-version" in request.headers
        dialect = DIALECTS["anthropic" if is_anthropic else _FALLBACK]
        route = None
    kind = "other" if route is None else route.kind
    if kind == "generate" and method != "POST":
        kind = "other"
    if kind == "count" and request.path.rstrip("/").endswith("/compact"):
        kind = "generate"  # a model does that, the same dialect speaks of it
    names = (name for name, known in DIALECTS.items() if known is dialect)
    return Inquiry(request, dialect, next(names, _FALLBACK), kind)


def reshaped(inquiry: Inquiry, asked: Asked) -> Inquiry:
    """The inquiry in the protocol that its body speaks: Cursor sends Responses to Chat's path."""
    protocol = shape(inquiry.protocol, asked.body)
    if protocol == inquiry.protocol or protocol not in DIALECTS:
        return inquiry
    return Inquiry(inquiry.request, DIALECTS[protocol], protocol, inquiry.kind)


def _asked(request: Request, body: Json) -> Asked:
    return Asked(body, request.path, request.query, [*request.headers.items()])


def _body(request: Request) -> Json:
    encoding = request.headers.get("content-encoding", "")
    if not is_identity(encoding) and decoder(encoding) is None:
        raise Refused("content-encoding", f"{encoding[:40]} is not known", status=415)
    try:
        body = json.loads(decode(request.body, encoding, limit=MAX_BODY))
    except TooLarge as error:
        raise Refused("", str(error), status=413) from error
    except (ValueError, RecursionError) as error:
        raise Refused("", "the body is not JSON", status=400) from error
    if not isinstance(body, dict):
        raise Refused("", "the body is not a JSON object")
    return body
