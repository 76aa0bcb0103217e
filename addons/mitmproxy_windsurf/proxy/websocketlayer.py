"""What mitmproxy's WebSocket hooks cannot do: send several messages for one, and some at the end.

mitmproxy cuts a changed message into pieces of 4,000 bytes, in the middle of characters, which then
are no text any more. What is ours goes out whole. For the flows of others nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mitmproxy.proxy import commands, events
from mitmproxy.proxy.layer import CommandGenerator
from mitmproxy.proxy.layers.websocket import Fragmentizer, WebsocketLayer
from mitmproxy.websocket import WebSocketMessage
from wsproto.events import Message, TextMessage
from wsproto.frame_protocol import Opcode

from mitmproxy_windsurf.proxy import sockets


class WholeMessages(Fragmentizer):
    """Sends our messages one by one, each in one frame."""

    def __call__(self, content: bytes) -> Iterator[Message[Any]]:
        if not isinstance(content, sockets.Messages):
            yield from super().__call__(content)
            return
        for part in content.parts:
            yield self.msg(part, True)


class ReleasingWebsocketLayer(WebsocketLayer):
    """Lets the client have what is held before it learns that the server has closed."""

    def relay_messages(self, event: events.Event) -> CommandGenerator[None]:
        relaying = super().relay_messages(event)
        answer = None
        while True:
            try:
                command = relaying.send(answer)
            except StopIteration:
                return
            # The server's side is closed first.
            if isinstance(command, commands.CloseConnection) and (
                command.connection is self.server_ws.conn
            ):
                yield from self._send_held()
            answer = yield command

    def _send_held(self) -> CommandGenerator[None]:
        socket = sockets.socket_of(self.flow)
        if socket is None or self.flow.websocket is None or self.flow.websocket.closed_by_client:
            return
        for text in socket.release(self.flow):
            message = WebSocketMessage(Opcode.TEXT, False, text.encode("utf-8", "replace"))
            self.flow.websocket.messages.append(message)
            yield self.client_ws.send2(TextMessage(data=text))
