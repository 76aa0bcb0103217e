"""The content views: LLM shows what is said in a message, Windsurf changes what was changed in it.

mitmproxy shows bodies as they are, keys in them included. These views do better: what the headers
of the request name as a key is cut out, as it is in the originals that the changes are told from.
"""

from __future__ import annotations

from mitmproxy import http

from mitmproxy_windsurf.debug.changes import changes
from mitmproxy_windsurf.debug.conversation import READERS, is_readable, read_answer, read_request
from mitmproxy_windsurf.debug.conversation.text import render
from mitmproxy_windsurf.proxy.content_views import Message
from mitmproxy_windsurf.proxy.record import recorded
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.wire.detect import detect

LONGEST_RAW = 256 * 1024
"""Characters of a body that are shown when nothing in it is understood."""

_KINDS = ("generate", "count")
_CHOSEN, _NEVER_CHOSEN = 2.0, -1.0


class Conversation:
    """The conversation that a body carries; chosen on all flows to and from a model."""

    name = "LLM"

    def render(self, message: Message) -> str:
        secrets = Secrets(message.flow.request)
        body = secrets.cut_bytes(message.body)
        protocol, _ = _route(message.flow)
        read = read_request if message.side == "request" else read_answer
        conversation, notes = read(protocol, body)
        if conversation.empty:
            about = "in this body" if protocol else "here: the path is none of a model's"
            raw = body[:LONGEST_RAW].decode("utf-8", "replace")
            return secrets.cut(f"# No conversation was found {about}.\n\n{raw}")
        return secrets.cut(render(conversation, notes))

    def priority(self, message: Message) -> float:
        protocol, kind = _route(message.flow)
        known = protocol in READERS and kind in _KINDS and is_readable(message.body)
        event = message.in_socket and message.side == "response"  # a fragment: it is best seen raw
        return _CHOSEN if known and not event else _NEVER_CHOSEN


class Changes:
    """The changes in a body, as a diff; shown on request."""

    name = "Windsurf changes"

    def render(self, message: Message) -> str:
        record = recorded(message.flow)
        if not record:
            return "# This exchange was none of windsurf's: nothing was changed."
        if message.side == "response" and not record.get("outcome"):
            return "# The answer has not ended yet."
        cut = Secrets(message.flow.request).cut
        return changes(record, message.side, message.body, cut=cut)

    def priority(self, message: Message) -> float:
        return _NEVER_CHOSEN


VIEWS = (Conversation(), Changes())


def _route(flow: http.HTTPFlow) -> tuple[str, str]:
    """Protocol and kind of a flow, as they were recorded, or else as its path says."""
    record = recorded(flow)
    if record.get("protocol"):
        return str(record["protocol"]), str(record.get("kind"))
    return detect(flow.request.method, flow.request.path) or ("", "")
