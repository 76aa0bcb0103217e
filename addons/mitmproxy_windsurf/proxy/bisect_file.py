"""A search for a trigger without a running mitmproxy: on a file of flows, or on a body.

A body has no headers, so its key comes from an environment variable.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mitmproxy import exceptions, http, io

from mitmproxy_windsurf.debug.bisect import Bisection, Result
from mitmproxy_windsurf.debug.keys import CENSORED, censor
from mitmproxy_windsurf.debug.verdict import verdict
from mitmproxy_windsurf.proxy import values
from mitmproxy_windsurf.proxy.bisect_request import Captured, captured, is_streamed
from mitmproxy_windsurf.proxy.bisect_sender import HTTPSender, search
from mitmproxy_windsurf.proxy.exchange import VERDICT_READS
from mitmproxy_windsurf.proxy.record import recorded
from mitmproxy_windsurf.proxy.secrets import Secrets
from mitmproxy_windsurf.upstream.target import parse_target
from mitmproxy_windsurf.wire.detect import Route, detect

LARGEST = 64 * 2**20
"""Bytes of a body."""

PATHS = {
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/{model}:generateContent",
    "ollama": "/api/chat",
    "openai_chat": "/v1/chat/completions",
    "openai_completions": "/v1/completions",
    "openai_responses": "/v1/responses",
}
_KEY_HEADERS = {"anthropic": "x-api-key", "gemini": "x-goog-api-key"}
_ALWAYS = {"anthropic": [("anthropic-version", "2023-06-01")]}


@dataclass(frozen=True)
class Wishes:
    """What the command line says; all but the file may be left out."""

    file: Path
    url: str = ""
    protocol: str = ""
    requests: str = "60"
    pause: str = "0.5"
    pattern: str = ""
    key_variable: str = ""


def bisect_file(
    wishes: Wishes, tell: Callable[[str], None], environment: Mapping[str, str] = os.environ
) -> Result:
    """Search; each step is told.

    Raises:
        ValueError: says what of the file or the wishes cannot be used.
    """
    requests = _read("--requests", values.count, wishes.requests)
    pause = _read("--pause", values.seconds, wishes.pause)
    pattern = _read("--pattern", values.pattern, wishes.pattern)
    key = _key(wishes.key_variable, environment)
    data = _contents(wishes.file)
    if data.lstrip()[:1] == b"{":
        request, cut = _from_body(data, wishes), censor
    else:
        flow = _chosen(wishes.file)
        request, cut = _from_flow(flow, wishes), Secrets(flow.request).cut
    if key:
        request = replace(request, headers=_with_key(request, key))
    bisection = Bisection(
        request.protocol,
        request.body,
        requests=requests,
        secrets=lambda text: cut(text.replace(key, CENSORED) if key else text),
    )
    tell(f"searching {len(request.body):,} bytes for {request.url.partition('?')[0]}")
    sender = HTTPSender(request.url, request.headers, request.streamed, pattern)

    async def run() -> Result:
        try:
            return await search(bisection, sender, pause=pause, tell=tell)
        finally:
            sender.close()

    try:
        return asyncio.run(run())
    except KeyboardInterrupt:
        return bisection.stop("it was stopped")


def _from_flow(flow: http.HTTPFlow, wishes: Wishes) -> Captured:
    request = captured(flow, None)
    if wishes.url:
        prefix = str(recorded(flow).get("prefix", ""))
        path = flow.request.path.removeprefix(prefix)
        request = replace(request, url=_url(wishes.url, path))
    return request


def _from_body(body: bytes, wishes: Wishes) -> Captured:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{wishes.file} is no JSON: {error}") from error
    if not wishes.url:
        raise ValueError("a body does not say where to send it: give --url")
    found = detect("POST", wishes.url)
    protocol = wishes.protocol or (found.protocol if found else _guess(document))
    if protocol not in PATHS:
        raise ValueError(f"--protocol: {protocol!r} is none of {', '.join(PATHS)}")
    path = PATHS[protocol]
    if "{model}" in path:
        model = document.get("model")
        if not found and not isinstance(model, str):
            raise ValueError("the body names no model: give --url with the whole path")
        path = path.format(model=str(model).removeprefix("models/"))
    url = _url(wishes.url, path)
    streamed = is_streamed(Route(protocol, "generate"), url, body)
    headers = [("content-type", "application/json"), *_ALWAYS.get(protocol, ())]
    return Captured(protocol, url, tuple(headers), body, streamed)


def _url(url: str, path: str) -> str:
    """The URL with a path, unless it has the path of a request already."""
    if detect("POST", url):
        return url
    try:
        target = parse_target(url)
    except ValueError as error:
        raise ValueError(f"--url {error}") from error
    prefix, step = str(target), path.split("/")[1]
    return prefix.removesuffix(f"/{step}") + path


def _guess(document: dict[str, Any]) -> str:
    """The protocol by the members that only it has."""
    if "contents" in document or "contents" in (document.get("request") or {}):
        return "gemini"
    if "input" in document:
        return "openai_responses"
    if "messages" not in document:
        return "openai_completions" if "max_tokens" in document else "ollama"
    tools = document.get("tools")
    schemas = isinstance(tools, list) and any("input_schema" in str(tool) for tool in tools)
    if "system" in document or schemas:
        return "anthropic"
    return "ollama" if "options" in document else "openai_chat"


def _chosen(path: Path) -> http.HTTPFlow:
    """The last flow that was blocked, else the last one that asks a model."""
    flows = [flow for flow in _flows(path) if _asks(flow)]
    if not flows:
        raise ValueError(f"{path} has no request for an answer of a model")
    return next((flow for flow in reversed(flows) if _was_blocked(flow)), flows[-1])


def _flows(path: Path) -> list[http.HTTPFlow]:
    reader: Any = io
    try:
        with path.open("rb") as file:
            found = list(reader.FlowReader(file).stream())
    except exceptions.FlowReadException as error:
        raise ValueError(f"{path} is neither a file of flows nor JSON: {error}") from error
    return [flow for flow in found if isinstance(flow, http.HTTPFlow)]


def _asks(flow: http.HTTPFlow) -> bool:
    route = detect(flow.request.method, flow.request.path)
    return route is not None and route.kind == "generate" and flow.websocket is None


def _was_blocked(flow: http.HTTPFlow) -> bool:
    if recorded(flow).get("blocked"):
        return True
    body = (flow.response.get_content(strict=False) or b"") if flow.response else b""
    return bool(flow.response and verdict(flow.response.status_code, body[:VERDICT_READS]))


def _with_key(request: Captured, key: str) -> tuple[tuple[str, str], ...]:
    given = {name.lower() for name, _ in request.headers}
    name = _KEY_HEADERS.get(request.protocol, "authorization")
    if "authorization" in given:
        name = "authorization"
    value = f"Bearer {key}" if name == "authorization" else key
    kept = [(other, old) for other, old in request.headers if other.lower() != name]
    return (*kept, (name, value))


def _key(variable: str, environment: Mapping[str, str]) -> str:
    if variable and not environment.get(variable):
        raise ValueError(f"--key-variable: {variable} is not set")
    return environment.get(variable, "").strip() if variable else ""


def _contents(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(LARGEST)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(option: str, parse: Callable[[str], Any], text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        raise ValueError(f"{option}: {text!r} {error}") from error
