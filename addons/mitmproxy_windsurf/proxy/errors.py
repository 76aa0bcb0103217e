"""Answers of the proxy itself, in the shape that the client's protocol gives to errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from mitmproxy import http

Shape = Callable[[int, str], dict[str, Any]]

_ANTHROPIC = {403: "permission_error", 502: "api_error"}
_OPENAI = {403: "permission_error", 502: "server_error"}
_GOOGLE = {403: "PERMISSION_DENIED", 502: "UNAVAILABLE"}


def _anthropic(status: int, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _ANTHROPIC[status], "message": message}}


def _openai(status: int, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": _OPENAI[status], "param": None, "code": None}}


def _gemini(status: int, message: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": _GOOGLE[status]}}


def _ollama(_status: int, message: str) -> dict[str, Any]:
    return {"error": message}


_SHAPES: dict[str, Shape] = {"anthropic": _anthropic, "gemini": _gemini, "ollama": _ollama}


def error_response(protocol: str, status: int, message: str) -> http.Response:
    """An error for a client of this protocol; OpenAI's shape is what everybody else copies.

    The connection is closed behind it: mitmproxy would remember a failed upstream for as long as
    the client's connection lives, and a refused peer has nothing more to say.
    """
    body = _SHAPES.get(protocol, _openai)(status, message)
    return http.Response.make(
        status,
        json.dumps(body).encode("ascii"),
        {"content-type": "application/json", "connection": "close"},
    )


def refused(protocol: str, peer: str) -> http.Response:
    return error_response(
        protocol,
        403,
        f"This proxy takes base-URL requests from its own machine only, and {peer} is another one. "
        "To take them from everywhere, start it with --set windsurf_allow_remote=true.",
    )


def unreachable(protocol: str, address: str, reason: str, cure: str) -> http.Response:
    return error_response(
        protocol, 502, f"The upstream handler at {address} gave no answer ({reason}). {cure}"
    )
