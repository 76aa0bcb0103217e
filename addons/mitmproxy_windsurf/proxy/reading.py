"""A flow as plain data: this session's, or one from a file of another session."""

from __future__ import annotations

from dataclasses import replace

from mitmproxy import http

from mitmproxy_windsurf.debug import switches
from mitmproxy_windsurf.debug.recorded import Recorded
from mitmproxy_windsurf.proxy import clients
from mitmproxy_windsurf.proxy.logs import path_of, printable
from mitmproxy_windsurf.proxy.record import recorded
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.proxy.settings import Settings
from mitmproxy_windsurf.proxy.streaming import SHOWN
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.wire.detect import detect


def read(flow: http.HTTPFlow, settings: Settings) -> Recorded:
    """What was recorded, without the keys of its headers."""
    record = recorded(flow)
    request, response = flow.request, flow.response
    secrets = Secrets(request)
    route = detect(request.method, request.path)
    sent = None if flow.websocket else request.get_content(strict=False)
    answer = response.get_content(strict=False) if response and not flow.websocket else None
    if answer is not None and (flow.live or not _is_whole(answer, record.get("response_bytes"))):
        answer = None
    kind = record.get("kind") or (route.kind if route else "")
    if response and response.status_code < 400 and kind != "generate":
        answer = None  # none of a model
    return Recorded(
        protocol=str(record.get("protocol") or (route.protocol if route else "")),
        request=secrets.cut_bytes(sent) if sent else None,
        response=None if answer is None else secrets.cut_bytes(answer),
        status=response.status_code if response else 0,
        content_type=response.headers.get("content-type", "") if response else "",
        path=path_of(request.path),
        record=record,
        title=title(flow),
        keep_visible=clients.is_one_of(request, settings.visible_answer_clients),
        broken=record.get("outcome", "complete") != "complete" or flow.error is not None,
        time=request.timestamp_start,
    )


def title(flow: http.HTTPFlow) -> str:
    """What a flow is called in lists: `@` and its id is what commands take."""
    return f"{printable(flow.request.method)} {path_of(flow.request.path)} @{flow.id}"


def switches_of(flow: http.HTTPFlow) -> switches.Switches:
    """What was switched for this flow alone (`windsurf.resend`)."""
    if flow.is_replay != "request":
        return switches.Switches()
    try:
        return switches.parse(str(recorded(flow).get("switches") or ""))
    except ValueError:  # somebody else has written there
        return switches.Switches()


def layers_for(flow: http.HTTPFlow, settings: Settings) -> Layers:
    """The layers that a request would get today."""
    layers = switches_of(flow).applied(settings.layers)
    hosts = flow.request.host, flow.request.pretty_host
    if any(clients.is_own_vendor(flow.request, host) for host in hosts):
        layers = replace(layers, neutralize=False)
    return layers


def _is_whole(answer: bytes, sizes: object) -> bool:
    """Whether more than the beginning of a long answer was kept."""
    whole = sizes[1] if isinstance(sizes, list) and len(sizes) == 2 else None
    return len(answer) != SHOWN or whole == SHOWN
