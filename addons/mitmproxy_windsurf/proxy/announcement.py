"""What is said at the start: where to point clients, where that leads, who else can reach it."""

from __future__ import annotations

from mitmproxy_windsurf.proxy.embedded import Upstream
from mitmproxy_windsurf.proxy.logs import log
from mitmproxy_windsurf.proxy.routing import Listening
from mitmproxy_windsurf.proxy.settings import Settings, layers_on
from mitmproxy_windsurf.upstream.target import Target


def announce(listening: Listening, settings: Settings, upstream: Upstream) -> None:
    target = upstream.target
    if listening.url is None or target is None:
        log.warning("mitmproxy does not listen, so there is nothing to point clients at")
        return
    layers = ", ".join(layers_on(settings.layers)) or "none"
    shadow = " (shadow: nothing is changed)" if settings.layers.shadow else ""
    log.info(
        "point clients at %s; upstream: %s; layers: %s%s", listening.url, upstream, layers, shadow
    )
    if listening.includes(target):
        log.error("windsurf_upstream is this proxy itself (%s): give it another address", target)
    if target.prefix.endswith("/v1"):
        log.warning("windsurf_upstream ends in /v1, which is part of the clients' paths already")
    if settings.backend is not None:
        _announce_backend(settings.backend, listening, upstream)
    if listening.is_open:
        who = "from everywhere" if settings.allow_remote else "from this machine only"
        log.warning(
            "mitmproxy listens on more than this machine, and base-URL requests are taken %s; "
            "--listen-host 127.0.0.1 narrows it",
            who,
        )


def _announce_backend(backend: Target, listening: Listening, upstream: Upstream) -> None:
    if not upstream.is_embedded:
        log.warning("windsurf_backend is not used, because windsurf_upstream is set")
    elif listening.includes(backend):
        log.error("windsurf_backend is this proxy itself (%s): give it another address", backend)
    elif not backend.prefix:
        log.warning("windsurf_backend has no path; most servers want /v1 at its end")
