"""Content views for both generations of mitmproxy: since 12 they are asked by other methods and
kept in a registry, before they were called and kept in a list.

Neither needs a base class, and the same object serves both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from mitmproxy import contentviews, http

from mitmproxy_windsurf.debug.changes import Side
from mitmproxy_windsurf.proxy.logs import log, printable

Line = list[tuple[str, str]]
"""A line for mitmproxy 11: its pieces, each with the name of a style."""

_STYLES = {"+": "Token_Name_Tag", "-": "Token_Literal_String", "@": "highlight", "#": "offset"}


class Message(NamedTuple):
    """What a view is to show: a decoded body, and where it stands."""

    body: bytes
    flow: http.HTTPFlow
    side: Side
    in_socket: bool = False
    """It is one of many messages in a WebSocket."""


class View(Protocol):
    """One view, whatever the version."""

    name: str

    def render(self, message: Message) -> str:
        """The text that is shown."""
        ...

    def priority(self, message: Message) -> float:
        """Above 1 to be chosen when the user has chosen none, below 0 never to be."""
        ...


class ContentView:
    """What mitmproxy knows of a view. Nothing that a view raises gets any further."""

    syntax_highlight = "yaml"

    def __init__(self, view: View) -> None:
        self.name = view.name
        self._view = view

    def prettify(self, data: bytes, metadata: Any) -> str:
        return self._render(_message(data, vars(metadata)))

    def __call__(self, data: bytes, **metadata: Any) -> tuple[str, Iterator[Line]]:
        text = self._render(_message(data, metadata))
        return self.name, (_styled(line) for line in text.split("\n"))

    def render_priority(self, data: bytes, metadata: Any = None, **known: Any) -> float:
        message = _message(data, vars(metadata) if metadata else known)
        try:
            return self._view.priority(message) if message and data else -1
        except Exception:
            log.debug("in the view %s", self.name, exc_info=True)
            return -1

    def __lt__(self, other: Any) -> bool:
        return self.name < str(other.name)

    def _render(self, message: Message | None) -> str:
        if message is None:
            return "# This is no message of an HTTP exchange."
        try:
            return self._view.render(message)
        except Exception as error:
            log.debug("in the view %s", self.name, exc_info=True)
            return f"# This cannot be shown: {printable(repr(error))}"


def register(views: Sequence[View]) -> None:
    """Offer these views; those of the same names, left by another script, make room."""
    unregister(views)
    untyped: Any = contentviews
    for view in views:
        untyped.add(ContentView(view))


def unregister(views: Sequence[View]) -> None:
    """Offer these views no longer. mitmproxy 12 has no public way to take one back."""
    untyped: Any = contentviews
    for view in views:
        if hasattr(untyped, "registry"):
            getattr(untyped.registry, "_by_name", {}).pop(view.name.lower(), None)
        elif known := untyped.get(view.name):
            untyped.remove(known)


def _message(data: bytes, metadata: dict[str, Any]) -> Message | None:
    flow = metadata.get("flow")
    if not isinstance(flow, http.HTTPFlow):
        return None
    in_socket = metadata.get("websocket_message")
    if in_socket is not None:
        return Message(data, flow, "request" if in_socket.from_client else "response", True)
    from_client = metadata.get("http_message") is flow.request
    return Message(data, flow, "request" if from_client else "response")


def _styled(line: str) -> Line:
    style = _STYLES.get(line[:1], "text")
    key, colon, value = line.partition(":")
    if style == "text" and colon and key and not key.startswith(" "):
        return [("header", key + colon), ("text", value)]
    return [(style, line or " ")]  # mitmweb gives an empty line no height
