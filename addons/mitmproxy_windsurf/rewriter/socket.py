"""A WebSocket on which requests go up and the events of their answers come down, one JSON document
per message.

Several answers may come at once, in lanes that their `stream_id` tells apart; within a lane they
follow one another. A request may leave out what an earlier one on the same socket has said.

https://platform.openai.com/docs/guides/websocket-mode
"""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

from mitmproxy_windsurf.rewriter.bodies import EventStream
from mitmproxy_windsurf.rewriter.documents import DocumentRewriter
from mitmproxy_windsurf.rewriter.echoes import Echoes
from mitmproxy_windsurf.rewriter.layers import Layers
from mitmproxy_windsurf.rewriter.requests import RequestRewriter
from mitmproxy_windsurf.rewriter.signatures import Signatures
from mitmproxy_windsurf.rewriter.texts import Texts
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire import detect
from mitmproxy_windsurf.wire.messages import MessageFramer

MAX_LANES = 64
"""Lanes that are open at once; the one that was opened first is let go before one more is."""

_ASKS = ("response.create",)
_BEGINS = ("response.created", "response.queued")
_ENDS = ("response.completed", "response.incomplete", "response.failed")
_NOTABLE = re.compile(
    '"stream_id"|' + "|".join(re.escape(f'"{kind}"') for kind in (*_BEGINS, *_ENDS))
)


class News(NamedTuple):
    """What happened on a socket."""

    request_edits: list[Edit]
    response_edits: list[Edit]
    warnings: list[str]
    kept_visible: int


class SocketRewriter:
    """Both directions of one socket of `protocol`; `facts` are those of the latest request."""

    def __init__(
        self,
        protocol: str,
        layers: Layers,
        *,
        keep_visible: bool = False,
        signatures: Signatures | None = None,
    ) -> None:
        self._protocol = protocol
        self._layers = layers
        self._keep_visible = keep_visible
        self._signatures = signatures or Signatures()
        self._echoes = Echoes()
        self._asked: dict[str, deque[detect.Facts]] = {}
        self._lanes: dict[str, _Lane] = {}
        self._news = News([], [], [], 0)
        self.facts = detect.Facts()

    def from_client(self, message: str) -> str:
        """A message on its way up."""
        data = message.encode("utf-8", "surrogatepass")
        rewriter = RequestRewriter(self._protocol, self._layers, signatures=self._signatures)
        new = rewriter.rewrite(data)
        self._news.request_edits.extend(rewriter.edits)
        self._news.warnings.extend(rewriter.warnings)
        self._echoes.learn(rewriter.echoes)
        document = _parsed(message)
        if document.get("type") in _ASKS:
            facts = rewriter.facts
            self.facts = facts._replace(
                model=facts.model or self.facts.model,
                workspace=facts.workspace or self.facts.workspace,
            )
            self._asked.setdefault(_lane_of(document), deque(maxlen=MAX_LANES)).append(self.facts)
        return message if new is data else new.decode("utf-8", "surrogatepass")

    def from_server(self, message: str) -> list[str]:
        """A message on its way down; returns the messages to send in its place, maybe none yet."""
        name, kind = "", ""
        if _NOTABLE.search(message):
            document = _parsed(message)
            name, kind = _lane_of(document), str(document.get("type"))
        out: list[str] = []
        if kind in _BEGINS and self._asked.get(name):
            out += self._close(name)
        lane = self._lanes.get(name)
        if lane is None:
            if len(self._lanes) >= MAX_LANES:
                out += self._close(next(iter(self._lanes)))
            lane = self._lanes[name] = self._open(name, begins=kind in _BEGINS)
        out += _texts(lane.stream.events(message.encode("utf-8", "surrogatepass")))
        if kind in _ENDS:
            out += self._close(name)
        return [message] if self._layers.shadow or not message else out

    def release(self) -> list[str]:
        """The socket is about to close: what is held."""
        held = [text for name in list(self._lanes) for text in self._close(name)]
        return [] if self._layers.shadow else held

    def take_news(self) -> News | None:
        """What is to be told of requests and of answers that have ended since the last call."""
        news, self._news = self._news, News([], [], [], 0)
        return news if any(news) else None

    def _open(self, name: str, *, begins: bool) -> _Lane:
        asked = self._asked.get(name)
        facts = asked.popleft() if begins and asked else self.facts
        return _Lane(
            self._protocol,
            replace(self._layers, workspace=facts.workspace),
            facts,
            self._echoes,
            keep_visible=self._keep_visible,
            signatures=self._signatures,
        )

    def _close(self, name: str) -> list[str]:
        lane = self._lanes.pop(name, None)
        if lane is None:
            return []
        held = _texts(lane.stream.release())
        self._news = News(
            self._news.request_edits,
            self._news.response_edits + lane.texts.edits,
            self._news.warnings + lane.warnings,
            self._news.kept_visible + lane.texts.kept_visible,
        )
        return held


class _Lane:
    """The answer that comes on one lane."""

    def __init__(
        self,
        protocol: str,
        layers: Layers,
        facts: detect.Facts,
        echoes: Echoes,
        *,
        keep_visible: bool,
        signatures: Signatures,
    ) -> None:
        self.texts = Texts(
            layers,
            model=facts.model,
            want_thinking=facts.wants_thinking,
            want_json=facts.wants_json,
            keep_visible=keep_visible,
            signatures=signatures,
        )
        documents = DocumentRewriter(detect.protocol(protocol), self.texts, echoes)
        self.stream = EventStream(documents, MessageFramer(limit=layers.max_frame))

    @property
    def warnings(self) -> list[str]:
        failed = [
            f"a layer failed, its text passed on unchanged: {error!r}"
            for error in self.texts.failures[:1]
        ]
        return [*self.stream.warnings, *failed]


def _parsed(message: str) -> dict[str, Any]:
    try:
        document = json.loads(message)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _lane_of(document: dict[str, Any]) -> str:
    return str(document.get("stream_id") or "")


def _texts(messages: list[bytes]) -> list[str]:
    return [message.decode("utf-8", "surrogatepass") for message in messages if message]
