"""`GET /_windsurf/metrics` on the proxy's own port, for whoever is on this machine."""

from __future__ import annotations

from mitmproxy import http

from mitmproxy_windsurf.debug.counters import Counters
from mitmproxy_windsurf.debug.metrics import CONTENT_TYPE, prometheus
from mitmproxy_windsurf.proxy import routing
from mitmproxy_windsurf.upstream.target import is_loopback

PATH = "/_windsurf/metrics"
REFUSED = b"The metrics of this proxy are for its own machine only.\n"


def is_asked_for(flow: http.HTTPFlow) -> bool:
    """Whether this is the request of a scraper that takes us for the server."""
    request = flow.request
    path = request.path.partition("?")[0]
    return path == PATH and request.method == "GET" and routing.is_base_url(flow)


def answer(flow: http.HTTPFlow, counters: Counters) -> None:
    """Answer with the metrics, or refuse.

    The Host header has to name this machine too: a web page can rebind a name of its own to it.
    """
    if routing.is_local(flow) and is_loopback(flow.request.pretty_host):
        body = prometheus(counters).encode()
        flow.response = http.Response.make(200, body, {"content-type": CONTENT_TYPE})
    else:
        flow.response = http.Response.make(403, REFUSED, {"content-type": "text/plain"})
