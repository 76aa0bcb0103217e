"""Which proxy the environment names for a server: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY.

The names count in lower case first, then in upper case, as in curl and requests. NO_PROXY holds
domains, which stand for what is below them too, addresses, networks, each maybe with a port, or
`*`. This machine is never reached through a proxy.
"""

from __future__ import annotations

import base64
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast
from urllib.parse import unquote, urlsplit

from mitmproxy_windsurf.upstream.target import DEFAULT_PORTS, Target, is_loopback


@dataclass(frozen=True, slots=True)
class Proxy:
    """`authorization` is the value of Proxy-Authorization; empty where none is needed."""

    target: Target
    authorization: str = field(default="", repr=False)


def proxy_for(target: Target, environment: Mapping[str, str]) -> Proxy | None:
    """The proxy to use, or None.

    Raises:
        ValueError: a variable cannot be used; names it, and not its value, which may hold a
            password.
    """
    if is_loopback(target.host) or _excluded(target, _value(environment, "no_proxy")):
        return None
    for name in (f"{target.scheme}_proxy", "all_proxy"):
        if url := _value(environment, name):
            return _parse(name.upper(), url)
    return None


def _value(environment: Mapping[str, str], name: str) -> str:
    return (environment.get(name) or environment.get(name.upper()) or "").strip()


def _parse(name: str, url: str) -> Proxy:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        port = parts.port
    except ValueError:
        raise ValueError(f"{name} is not a URL") from None
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError(f"{name} is not the URL of an http or https proxy")
    scheme = cast(Literal["http", "https"], parts.scheme)
    target = Target(scheme, parts.hostname, port or DEFAULT_PORTS[scheme])
    if parts.username is None:
        return Proxy(target)
    user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return Proxy(target, f"Basic {base64.b64encode(user.encode()).decode()}")


def _excluded(target: Target, no_proxy: str) -> bool:
    return any(_matches(target, word) for word in no_proxy.replace(",", " ").lower().split())


def _matches(target: Target, word: str) -> bool:
    if word == "*":
        return True
    host = target.host.lower().rstrip(".")
    name, port = word, ""
    if word.startswith("["):
        name, _, port = word[1:].partition("]")
    elif word.count(":") == 1:
        name, _, port = word.partition(":")
    if port.strip(":") not in ("", str(target.port)):
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False)
    except ValueError:
        domain = name.removeprefix("*").strip(".")
        return bool(domain) and (host == domain or host.endswith(f".{domain}"))
