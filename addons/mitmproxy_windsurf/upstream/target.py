"""The base URL of the upstream handler, and what counts as this machine."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal, cast
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
EXAMPLE = "write for example http://127.0.0.1:3003"


@dataclass(frozen=True, slots=True)
class Target:
    """Where requests go: an origin, and a prefix for their paths."""

    scheme: Literal["http", "https"]
    host: str
    port: int
    prefix: str = ""

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.prefix}"

    @property
    def address(self) -> tuple[str, int]:
        return self.host, self.port


def parse_target(url: str, example: str = EXAMPLE) -> Target | None:
    """Read a base URL; an empty one is None.

    Raises:
        ValueError: with words that follow the URL in a sentence, and the `example`.
    """
    url = url.strip()
    if not url:
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"is not a URL ({error}): {example}") from error
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError(f"is not an http or https URL: {example}")
    if parts.username is not None or parts.password is not None:
        raise ValueError(f"must not hold a password; clients send their own key: {example}")
    if parts.query or parts.fragment:
        raise ValueError(f"must end with the path, without ? and #: {example}")
    scheme = cast(Literal["http", "https"], parts.scheme)
    return Target(scheme, parts.hostname, port or DEFAULT_PORTS[scheme], parts.path.rstrip("/"))


def is_loopback(host: str) -> bool:
    """Whether a name or an address stands for this machine's loopback interface."""
    host = host.strip("[]").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def is_unspecified(host: str) -> bool:
    """Whether a listening address stands for all of this machine's addresses."""
    try:
        return not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
