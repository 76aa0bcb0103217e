"""An exchange as it was recorded, and what today's layers make of it.

The account that the proxy has written on a flow, and the bodies as they were sent, in plain data:
nothing in this room knows mitmproxy.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.rewriter.signatures import Signatures, SignedThinking
from mitmproxy_windsurf.text.edits import Edit


@dataclass(frozen=True)
class Recorded:
    """One request and its answer. Bodies are decoded; None is one that was not kept.

    `protocol` may be empty: a request that no layer can read. `record` is empty if the flow did not
    go through this addon: then nothing was changed.
    """

    protocol: str
    request: bytes | None
    response: bytes | None = None
    status: int = 200
    content_type: str = ""
    path: str = ""
    """Of the request, without its query: Gemini's names the model."""
    record: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    client: str = ""
    keep_visible: bool = False
    broken: bool = False
    """The answer has no end."""
    time: float = 0.0

    @property
    def shadow(self) -> bool:
        return bool(self.record.get("shadow"))

    @property
    def edits(self) -> list[Mapping[str, Any]]:
        """The entries of the account."""
        return list(self.record.get("edits") or ())

    @property
    def client_request(self) -> bytes | None:
        """The request as the client sent it, if that is known."""
        return self._before("request", self.request)

    @property
    def upstream_response(self) -> bytes | None:
        """The answer as the upstream sent it, if that is known."""
        return self._before("response", self.response)

    def _before(self, side: str, sent: bytes | None) -> bytes | None:
        original = self.record.get(f"original_{side}")
        if isinstance(original, bytes):
            return original
        return None if self.record.get(f"{side}_bytes") else sent


@dataclass(frozen=True)
class Rerun:
    """What the layers have made of a request and its answer."""

    request: bytes
    response: bytes | None
    request_edits: tuple[Edit, ...]
    response_edits: tuple[Edit, ...]


def rerun(
    exchange: Recorded,
    layers: Layers,
    *,
    request: bytes,
    response: Iterable[bytes] | None = None,
    signed_thinking: SignedThinking = "auto",
) -> Rerun:
    """Run the layers over a request as its client sent it, and an answer as its upstream did.

    Nothing is known of the upstream's signatures, as at the first request to it.

    Raises:
        KeyError: no such protocol.
    """
    signatures = Signatures(signed_thinking)
    asked = RequestRewriter(exchange.protocol, layers, signatures=signatures, path=exchange.path)
    new_request = asked.rewrite(request)
    if response is None:
        return Rerun(new_request, None, tuple(asked.edits), ())
    answered = ResponseRewriter(
        exchange.protocol,
        replace(layers, workspace=asked.facts.workspace),
        model=asked.facts.model,
        want_thinking=asked.facts.wants_thinking,
        want_json=asked.facts.wants_json,
        status=exchange.status,
        content_type=exchange.content_type,
        keep_visible=exchange.keep_visible,
        signatures=signatures,
        echoes=asked.echoes,
    )
    out = [piece for chunk in response for piece in answered.feed(chunk)]
    out += answered.abort() if exchange.broken else answered.flush()
    return Rerun(new_request, b"".join(out), tuple(asked.edits), tuple(answered.edits))
