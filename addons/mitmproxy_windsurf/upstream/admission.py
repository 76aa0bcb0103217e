"""Which requests a handler gets to see: limits, loopback names, and the shape of a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass

import h11

from mitmproxy_windsurf.upstream.exchange import Request, error_json, joined, json_bytes

LOOPBACK_HOST = re.compile(rb"(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?", re.IGNORECASE)
"""A page that rebinds its own name to 127.0.0.1 still sends that name as Host."""

MAX_BODY = 64 * 1024 * 1024
"""Bytes of a request's body, as it comes and once it is decompressed."""

ERROR_KINDS = {403: "permission_error", 408: "timeout_error", 413: "request_too_large"}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may take: bytes of a head, of a body, and of requests sent ahead; seconds of
    silence while a request is awaited; seconds until a refused client is cut off. `any_host`: it
    may call this machine by any name, not by those of loopback only."""

    head: int = 64 * 1024
    body: int = MAX_BODY
    ahead: int = 64 * 1024
    idle: float = 120.0
    linger: float = 2.0
    any_host: bool = False


class Refused(Exception):
    """A request that no handler gets to see."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Admission:
    """Collects one request and refuses it as early as possible."""

    def __init__(self, head: h11.Request, limits: Limits) -> None:
        self._head = head
        self._limit = limits.body
        self._size = 0
        self._body: list[bytes] = []
        headers = dict(head.headers)
        if not head.target.startswith(b"/"):
            raise Refused(400, "The request target must be a path.")
        if not (limits.any_host or LOOPBACK_HOST.fullmatch(headers.get(b"host", b""))):
            raise Refused(403, "This server answers to loopback names only.")
        self._check(int(headers.get(b"content-length", b"0")))

    def collect(self, data: bytes) -> None:
        self._size += len(data)
        self._check(self._size)
        self._body.append(bytes(data))

    def request(self) -> Request:
        path, _, query = self._head.target.decode("ascii").partition("?")
        method, headers = self._head.method.decode("ascii"), joined(self._head.headers)
        return Request(method, path, query, headers, b"".join(self._body))

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise Refused(413, f"The body is larger than {self._limit} bytes.")


def refusal(status: int, message: str) -> tuple[h11.Response, h11.Data]:
    """The answer to a client that is refused; it closes the connection."""
    body = json_bytes(error_json(ERROR_KINDS.get(status, "invalid_request_error"), message))
    headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
    return with_close(h11.Response(status_code=status, headers=headers)), h11.Data(data=body)


def with_close(response: h11.Response) -> h11.Response:
    headers = [*response.headers, (b"connection", b"close")]
    return h11.Response(status_code=response.status_code, headers=headers)
