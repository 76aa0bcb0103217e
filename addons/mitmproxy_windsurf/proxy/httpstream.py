"""What mitmproxy's hooks cannot do: send something at the moment when an upstream fails.

When an upstream breaks off in mid-body there is no last call of the stream callable, and when it
cannot be reached at all the client gets an HTML page. This subclass of mitmproxy's HttpStream sends
what is held before the abort goes on, and an answer in the client's own protocol. It is installed
by `compat.install_layers`, which looks first whether this mitmproxy has all that is used here.
"""

from __future__ import annotations

import time

from mitmproxy import http
from mitmproxy.proxy.layer import CommandGenerator
from mitmproxy.proxy.layers.http import HttpLayer, HttpStream, SendHttp
from mitmproxy.proxy.layers.http._events import (
    RequestProtocolError,
    ResponseData,
    ResponseProtocolError,
)
from mitmproxy.proxy.layers.http._hooks import HttpResponseHeadersHook

from mitmproxy_windsurf.proxy.exchange import exchange_of
from mitmproxy_windsurf.proxy.streaming import BodyStream


class ReleasingHttpStream(HttpStream):
    """For flows that are not ours it does what its parent does."""

    def handle_protocol_error(
        self, event: RequestProtocolError | ResponseProtocolError
    ) -> CommandGenerator[None]:
        if isinstance(event, ResponseProtocolError) and self.client_state != self.state_errored:
            nothing_sent = (
                self.flow.response is None or self.server_state == self.state_consume_response_body
            )
            if self.server_state == self.state_stream_response_body:
                yield from self._send_held()
            elif nothing_sent and (exchange := exchange_of(self.flow)):
                yield from self._answer(exchange.unreachable(self.flow.request, event.message))
                return
        yield from super().handle_protocol_error(event)

    def _send_held(self) -> CommandGenerator[None]:
        stream = self.flow.response.stream if self.flow.response else None
        if isinstance(stream, BodyStream):
            for chunk in stream.release():
                yield SendHttp(ResponseData(self.stream_id, chunk), self.context.client)

    def check_body_size(self, request: bool) -> CommandGenerator[bool]:
        """With stream_large_bodies, a body that layer 1 has to read is not streamed, nor is one
        whose request is refused: mitmproxy cannot answer while it streams."""
        if request and (exchange := exchange_of(self.flow)):
            to_be_read = exchange.route and not self.context.options.body_size_limit
            if to_be_read or self.flow.response:
                return False
        return (yield from super().check_body_size(request))

    def _answer(self, response: http.Response) -> CommandGenerator[None]:
        response.timestamp_start = time.time()
        self.flow.response = response
        self._forget_failures()
        self.client_state = self.state_done  # what is still to come of the request is not read
        yield HttpResponseHeadersHook(self.flow)
        yield from self.send_response()

    def _forget_failures(self) -> None:
        """Or an HTTP/2 client, which stays connected, would get the same error for ever."""
        for layer in self.context.layers:
            if isinstance(layer, HttpLayer):
                for connection in list(layer.connections):
                    never_open = getattr(connection, "timestamp_tcp_setup", 0) is None
                    if connection.error and never_open:
                        del layer.connections[connection]
