"""One request and its answer on their way through the proxy: what is decided once and needed later.

What cannot be read or rewritten passes on as it came, with a warning on the flow and in the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from mitmproxy import http

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.debug.verdict import verdict
from mitmproxy_windsurf.proxy import clients, compat, errors
from mitmproxy_windsurf.proxy.answer import Answer
from mitmproxy_windsurf.proxy.logs import log, path_of, printable
from mitmproxy_windsurf.proxy.outcome import outcome
from mitmproxy_windsurf.proxy.reading import layers_for, switches_of
from mitmproxy_windsurf.proxy.record import Record
from mitmproxy_windsurf.proxy.routing import Destination
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.proxy.settings import Settings, layers_on
from mitmproxy_windsurf.proxy.streaming import DIGEST_HEADERS, has_body, is_streamed
from mitmproxy_windsurf.rewriter import RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.rewriter.echoes import Echoes
from mitmproxy_windsurf.rewriter.signatures import signatures_of
from mitmproxy_windsurf.rewriter.socket import SocketRewriter
from mitmproxy_windsurf.wire import decoders
from mitmproxy_windsurf.wire.detect import Facts, detect

LONGEST_MODEL = 128
VERDICT_READS = 64 * 1024

_CURES: dict[Destination, str] = {
    "upstream": "Start it, or set windsurf_upstream to one that runs; empty starts the demo.",
    "reverse": "Start it, or give --mode reverse: another address.",
    "listed": "Check the address and the network.",
}


@dataclass(frozen=True)
class Engine:
    """The rewriters; tests put failing ones in their place."""

    request: Callable[..., RequestRewriter] = RequestRewriter
    response: Callable[..., ResponseRewriter] = ResponseRewriter


class Exchange:
    """Begins when the headers of a request are there and its destination is settled."""

    def __init__(
        self,
        flow: http.HTTPFlow,
        settings: Settings,
        destination: Destination,
        *,
        prefix: str = "",
        engine: Engine,
        counters: Counters | None = None,
    ) -> None:
        request = flow.request
        layers = layers_for(flow, settings)
        # A socket is opened by a GET, and asks what a POST would ask.
        upgrades = request.headers.get("upgrade", "").lower() == "websocket"
        self.route = detect("POST" if upgrades else request.method, request.path)
        self._protocol = self.route.protocol if self.route else ""
        self._settings = settings
        self._layers = layers
        self._engine = engine
        self._destination = destination
        self._secrets = Secrets(request)
        self._title = f"{printable(request.method)} {path_of(request.path)}"
        self._signatures = signatures_of(settings.signed_thinking, request.host, request.port)
        self._keep_visible = clients.is_one_of(request, settings.visible_answer_clients)
        self._facts = Facts()
        self._echoes = Echoes()
        self._answer: Answer | None = None
        self._own_answer = ""
        self._counters = counters or Counters()
        self._record = Record(
            protocol=self._protocol,
            kind=self.route.kind if self.route else "",
            client=self._secrets.cut(clients.client_name(request)),
            destination=destination,
            prefix=prefix,
            layers=layers_on(layers),
            shadow=layers.shadow,
            switches=str(switches_of(flow)),
        )

    def refuse(self, flow: http.HTTPFlow) -> None:
        """Answer a client that may not use the upstream."""
        peer = flow.client_conn.peername[0]
        flow.response = errors.refused(self._protocol, peer)
        self._own_answer = "refused"
        self.warn(f"refused, {peer} is another machine (windsurf_allow_remote)")

    def rewrite_request(self, flow: http.HTTPFlow) -> None:
        """The request is complete: layer 1."""
        request = flow.request
        if self.route is None or self._own_answer:
            return
        if self._layers.paths or self._layers.identity or self._layers.dedup:
            request.headers["accept-encoding"] = "identity"
        if request.raw_content is None:
            self.warn("the request passes unread, stream_large_bodies is smaller than it")
        elif request.raw_content:
            self._rewrite_body(request, request.raw_content)
        self.write(flow)

    def _rewrite_body(self, request: http.Request, raw: bytes) -> None:
        try:
            body = decoders.decode(raw, request.headers.get("content-encoding", ""))
        except ValueError as error:
            self.warn(f"the request passes unread: {error}")
            return
        rewriter = self._engine.request(
            self._protocol, self._layers, signatures=self._signatures, path=request.path
        )
        new = rewriter.rewrite(body)
        self._facts = rewriter.facts
        self._echoes = rewriter.echoes
        self._note_model(rewriter.facts)
        self._record.add_edits("request", rewriter.edits, self._secrets)
        self._counters.count_edits(rewriter.edits, answer=False)
        self._counters.count("layer_errors", "request", by=rewriter.failures)
        for warning in rewriter.warnings:
            self.warn(warning)
        if new != body:
            request.content = new
            for name in DIGEST_HEADERS:
                request.headers.pop(name, None)
            self._record.request_bytes = [len(body), len(new)]
            self._record.original_request = self._original(body)

    def _note_model(self, facts: Facts) -> None:
        if facts.model:
            self._record.model = printable(self._secrets.cut(facts.model), LONGEST_MODEL)

    def begin_answer(self, flow: http.HTTPFlow, *, always_stream: bool = False) -> None:
        """The headers of the answer are there; one that comes bit by bit is streamed."""
        request, response = flow.request, flow.response
        if response is None or not self._is_changed(request, response):
            return
        self._answer = Answer(
            self._engine.response(
                self._protocol,
                replace(self._layers, workspace=self._facts.workspace),
                model=self._facts.model,
                want_thinking=self._facts.wants_thinking,
                want_json=self._facts.wants_json,
                status=response.status_code,
                content_type=response.headers.get("content-type", ""),
                keep_visible=self._keep_visible,
                signatures=self._signatures,
                echoes=self._echoes,
            ),
            self.warn,
            keep=self._settings.keep_originals,
            counters=self._counters,
        )
        in_pieces = response.raw_content is None  # other addons give complete ones
        if in_pieces and (always_stream or is_streamed(response, self._facts.stream)):
            self._answer.open(request, response)

    def finish(self, flow: http.HTTPFlow, error: str | None = None) -> None:
        """The answer has passed, or there will be none: write the account."""
        response = flow.response
        answer = None if self._own_answer else self._answer
        streamed = answer is not None and answer.streamed
        if response and answer:
            if streamed:
                answer.close(response)
            elif not error:
                answer.rewrite(response)
            if answer.damaged and not error and flow.killable:
                error = "the answer could not be decoded to its end"
                compat.kill(flow)  # lets the client see that its answer is not complete
            self._account_for(answer)
        if response and self.route and not self._own_answer and not error:
            body = b""
            if streamed or response.status_code >= 400:
                body = (response.get_content(strict=False) or b"")[:VERDICT_READS]
            self._record.blocked = verdict(response.status_code, body, streamed=streamed)
        self._record.outcome = printable(error) if error else "complete"
        self._answer = None
        self._count(streamed, self._own_answer or outcome(response, error, self._record.blocked))
        if self.route or self._own_answer:
            self.write(flow)
            if comment := self._record.comment():
                model = f" {self._record.model}" if self._record.model else ""
                log.info("%s%s: %s", self._title, model, comment)

    def open_socket(self) -> SocketRewriter:
        """The rewriter for the messages of a WebSocket."""
        return SocketRewriter(
            self._protocol,
            self._layers,
            keep_visible=self._keep_visible,
            signatures=self._signatures,
        )

    def tell(self, flow: http.HTTPFlow, socket: SocketRewriter) -> None:
        """Add what is new on a socket to the account."""
        if news := socket.take_news():
            self._note_model(socket.facts)
            self._record.add_edits("request", news.request_edits, self._secrets)
            self._counters.count_edits(news.request_edits, answer=False)
            self._counters.count_edits(news.response_edits, answer=True)
            self._record.add_edits("response", news.response_edits, self._secrets)
            self._record.add_dedup(news.response_edits, news.kept_visible)
            for warning in news.warnings:
                self.warn(warning)
            self.write(flow)

    def unreachable(self, request: http.Request, reason: str) -> http.Response:
        """What the client gets when the upstream cannot be reached, or closes without an answer."""
        host = f"[{request.host}]" if ":" in request.host else request.host
        address = f"{request.scheme}://{host}:{request.port}"
        cure = _CURES[self._destination]
        if "certificate" in reason.lower():
            cure = "To trust its certificate: --set ssl_verify_upstream_trusted_ca=FILE."
        self._own_answer = "unreachable"
        reason = re.sub(r": b['\"].*", "", reason, flags=re.DOTALL)  # what came instead of HTTP
        self.warn(f"no answer from {address}: {reason}")
        return errors.unreachable(self._protocol, address, printable(reason), cure)

    def write(self, flow: http.HTTPFlow) -> None:
        """Put the account so far on the flow."""
        self._record.write(flow)

    def warn(self, text: str) -> None:
        """One warning, on the flow and in the log."""
        if self._record.add_warning(text, self._secrets):
            log.warning("%s: %s", self._title, self._record.warnings[-1])

    def _account_for(self, answer: Answer) -> None:
        rewriter = answer.rewriter
        self._record.add_edits("response", rewriter.edits, self._secrets)
        self._counters.count_edits(rewriter.edits, answer=True)
        self._counters.count("layer_errors", "answer", by=answer.failures)
        self._record.response_bytes = answer.sizes
        self._record.add_dedup(rewriter.edits, rewriter.kept_visible)
        if answer.original is not None:
            self._record.original_response = self._original(answer.original)
        for warning in rewriter.warnings:
            self.warn(warning)

    def _count(self, streamed: bool, ended: str) -> None:
        protocol = self._protocol or "none"
        self._counters.count("requests", protocol, ended)
        if streamed:
            self._counters.count("streams", protocol, ended)
        if blocked := self._record.blocked:
            self._counters.count("blocked", protocol, blocked)

    def _is_changed(self, request: http.Request, response: http.Response) -> bool:
        """Whether the layers have to see an answer: one of a model, or an error."""
        layers = self._layers
        return (
            self.route is not None
            and not self._own_answer
            and (layers.paths or layers.identity or layers.dedup)
            and has_body(request, response)
            and (self.route.kind == "generate" or response.status_code >= 400)
        )

    def _original(self, body: bytes) -> bytes | None:
        return self._secrets.cut_bytes(body) if len(body) <= self._settings.keep_originals else None


_exchanges: WeakKeyDictionary[http.HTTPFlow, Exchange] = WeakKeyDictionary()
# Not in an instance, since what is under way outlives a reloaded script.


def begin(flow: http.HTTPFlow, exchange: Exchange) -> None:
    _exchanges[flow] = exchange


def exchange_of(flow: http.HTTPFlow) -> Exchange | None:
    """The exchange of a flow that is ours and under way."""
    return _exchanges.get(flow)


def end(flow: http.HTTPFlow) -> Exchange | None:
    """The exchange of a flow that is ours and under way, which it is no more."""
    return _exchanges.pop(flow, None)
