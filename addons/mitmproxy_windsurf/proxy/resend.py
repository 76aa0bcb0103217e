"""Sending a request once more, with some layers or rules switched."""

from __future__ import annotations

from typing import Any

from mitmproxy import ctx, http

from mitmproxy_windsurf.debug.keys import CENSORED
from mitmproxy_windsurf.debug.switches import Switches
from mitmproxy_windsurf.proxy.command import CommandError
from mitmproxy_windsurf.proxy.reading import title
from mitmproxy_windsurf.proxy.record import KEY, recorded

_KEPT = ("destination", "prefix", "comment", "mark")
"""Of the account on the flow: what its route needs, and what the copy's own account replaces."""


def resend(flow: http.HTTPFlow, switches: Switches) -> str:
    """Put a copy in mitmproxy's queue and tell what was sent.

    The copy passes through all hooks like any request, and its metadata say what is switched. So it
    can be sent again in its turn, also in another session.

    Raises:
        CommandError: says why this cannot be sent.
    """
    record = recorded(flow)
    if flow.websocket:
        raise CommandError("a WebSocket cannot be sent again")
    if not record:
        raise CommandError("this flow did not go through windsurf: mitmproxy's replay.client does")
    untyped: Any = flow
    copy: http.HTTPFlow = untyped.copy()
    notes = _restore_body(copy, record)
    copy.response = copy.error = None
    copy.metadata[KEY] = {key: record[key] for key in _KEPT if key in record}
    copy.metadata[KEY]["switches"] = str(switches)
    commands: Any = ctx.master.commands
    commands.call("replay.client", [copy])
    how = f"with {switches}" if str(switches) else "with today's layers"
    return "\n".join([f"sent again {how}: {title(copy)}", *notes])


def _restore_body(copy: http.HTTPFlow, record: dict[str, Any]) -> list[str]:
    """Give the request the body that its client sent; returns what is to be known about it."""
    original = record.get("original_request")
    if isinstance(original, bytes):
        sent = copy.request.get_content(strict=False) or b""
        copy.request.headers.pop("content-encoding", None)
        copy.request.content = original
        if CENSORED.encode() in original and CENSORED.encode() not in sent:
            return [f"note: a key of its headers stood in the body too; there it is now {CENSORED}"]
        return []
    if copy.request.raw_content is None:
        raise CommandError("the request's body was not kept, so there is nothing to send")
    if record.get("request_bytes"):
        return ["note: the client's own body was not kept, this is the one that layer 1 had made"]
    return []
