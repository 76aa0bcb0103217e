"""The addon: mitmproxy's hooks, each a few lines that hand over to who knows.

Nothing escapes a hook: whatever fails leaves the flow as it is, marks it, and says so in the log.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

from mitmproxy import ctx, exceptions, http
from mitmproxy.addonmanager import Loader
from mitmproxy.connection import Client
from mitmproxy.proxy.layer import NextLayer

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.proxy import (
    announcement,
    compat,
    exchange,
    metrics,
    routing,
    settings,
    sockets,
)
from mitmproxy_windsurf.proxy.bisect import BisectCommands
from mitmproxy_windsurf.proxy.commands import Commands
from mitmproxy_windsurf.proxy.content_views import register, unregister
from mitmproxy_windsurf.proxy.embedded import Server, Upstream
from mitmproxy_windsurf.proxy.exchange import Engine, Exchange
from mitmproxy_windsurf.proxy.logs import log, printable
from mitmproxy_windsurf.proxy.options import PREFIX
from mitmproxy_windsurf.proxy.settings import Settings
from mitmproxy_windsurf.proxy.views import VIEWS
from mitmproxy_windsurf.upstream.embedded import Backing, EmbeddedUpstream
from mitmproxy_windsurf.upstream.target import is_loopback

CANNOT_START = "the built-in upstream cannot start"


def _shielded(hook: Callable[..., None]) -> Callable[..., None]:
    """Keep an exception from mitmproxy, which would go on with half of the work done."""

    @functools.wraps(hook)
    def shielded(self: Windsurf, subject: Any) -> None:
        flow = subject if isinstance(subject, http.HTTPFlow) else None
        under_way = exchange.exchange_of(flow) if flow else None
        try:
            hook(self, subject)
        except Exception as error:
            self.counters.count("layer_errors", "hook")
            line = f"{hook.__name__} failed, the flow passes as it is: {printable(repr(error))}"
            if flow and under_way:
                under_way.warn(line)
                under_way.write(flow)
            else:
                log.warning(line)
            log.debug("in %s", hook.__name__, exc_info=True)

    return shielded


class Windsurf:
    """Rewrites what LLM clients and their upstream say to each other."""

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        embedded: Callable[[Backing], Server] = EmbeddedUpstream,
    ) -> None:
        self.settings = Settings()
        self.counters = Counters()
        self._engine = engine or Engine()
        self._upstream = Upstream(embedded)
        self._running = False
        self._configured = False
        self.addons = [
            Commands(self),
            BisectCommands(lambda: self.settings, lambda: self._upstream.target),
        ]

    # Lifecycle. All of it is synchronous: on a reload mitmproxy cannot wait for a coroutine.

    def load(self, loader: Loader) -> None:
        register(VIEWS)
        settings.declare(loader, os.environ)
        if missing := compat.install_layers():
            log.warning(
                "this mitmproxy has no %s: when an upstream breaks off, the last words are lost",
                missing,
            )

    def configure(self, updated: set[str]) -> None:
        if any(name.startswith(PREFIX) for name in updated):
            first, self._configured = not self._configured, True
            try:
                self.settings = settings.read(ctx.options)
            except exceptions.OptionsError as error:
                if not first:
                    raise  # whoever has changed the option is told, and it is changed back
                log.error("%s", error)  # ends the start, without the traceback of a raised one
            if self._running:
                try:
                    self._upstream.use(self.settings)
                except OSError as error:
                    raise compat.OptionsError(f"{CANNOT_START}: {error}") from error

    def running(self) -> None:
        self._running = True
        try:
            self._upstream.use(self.settings)
        except OSError as error:
            log.error("%s: %s", CANNOT_START, error)
        for line in settings.unknown_options(ctx.options):
            log.warning(line)
        listening = routing.Listening(compat.listening_addresses())
        announcement.announce(listening, self.settings, self._upstream)

    def done(self) -> None:
        self._running = False
        self._upstream.stop()
        unregister(VIEWS)

    # Connections

    def client_connected(self, client: Client) -> None:
        compat.lift_connection_limit(client.id)

    @_shielded
    def next_layer(self, next_layer: NextLayer) -> None:
        if self._upstream.target:
            routing.adopt(next_layer, self._upstream.target)

    # Flows

    @_shielded
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        if not flow.live or flow.response or flow.error:
            return  # loaded from a file, or answered by somebody else
        if self.settings.metrics and metrics.is_asked_for(flow):
            metrics.answer(flow, self.counters)
            return
        target = self._upstream.target
        destination = routing.destination(flow, target, self.settings.hosts)
        if destination is None:
            return
        is_base_url = routing.is_base_url(flow)
        prefix = ""
        if is_base_url and target:
            prefix = target.prefix
            routing.send_to(flow, target, keep_host=self._keeps_host)
        self.refresh_rules()
        under_way = Exchange(
            flow,
            self.settings,
            destination,
            prefix=prefix,
            engine=self._engine,
            counters=self.counters,
        )
        if destination == "listed" and under_way.route is None:
            return
        exchange.begin(flow, under_way)
        if is_base_url and not (self.settings.allow_remote or routing.is_local(flow)):
            under_way.refuse(flow)
        if under_way.route or flow.response:
            flow.request.stream = False  # stream_large_bodies must not take it past layer 1

    @_shielded
    def request(self, flow: http.HTTPFlow) -> None:
        if under_way := exchange.exchange_of(flow):
            under_way.rewrite_request(flow)

    @_shielded
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        if under_way := exchange.exchange_of(flow):
            under_way.begin_answer(flow, always_stream=bool(ctx.options.stream_large_bodies))

    @_shielded
    def response(self, flow: http.HTTPFlow) -> None:
        if flow.websocket:
            return  # its messages are yet to come
        if under_way := exchange.end(flow):
            under_way.finish(flow)

    @_shielded
    def websocket_start(self, flow: http.HTTPFlow) -> None:
        if (under_way := exchange.exchange_of(flow)) and under_way.route:
            sockets.begin(flow, under_way)

    @_shielded
    def websocket_message(self, flow: http.HTTPFlow) -> None:
        if socket := sockets.socket_of(flow):
            socket.message(flow)

    @_shielded
    def websocket_end(self, flow: http.HTTPFlow) -> None:
        if socket := sockets.end(flow):
            socket.close(flow)
        if under_way := exchange.end(flow):
            under_way.finish(flow)

    @_shielded
    def error(self, flow: http.HTTPFlow) -> None:
        if under_way := exchange.end(flow):
            under_way.finish(flow, flow.error.msg if flow.error else "unknown error")

    @property
    def upstream(self) -> str:
        """Where base-URL requests go."""
        return str(self._upstream)

    @property
    def listening(self) -> str:
        """What clients take for their base URL."""
        return routing.Listening(compat.listening_addresses()).url or "nothing listens"

    def refresh_rules(self) -> None:
        """Take up files of rules that were changed; a bad one is said once, its old rules stay."""
        if rules := self.settings.layers.rules:
            for problem in rules.refresh():
                log.warning(printable(problem, 300))

    @property
    def _keeps_host(self) -> bool:
        """A loopback handler gets the Host that the client sent: so it can tell when a web page has
        rebound its own name. Others need their own name, and the built-in one takes loopback only.
        """
        target = self._upstream.target
        takes_remote = self._upstream.is_embedded and self.settings.allow_remote
        return target is not None and is_loopback(target.host) and not takes_remote
