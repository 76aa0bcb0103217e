"""The backend's models, as OpenAI describes them."""

from __future__ import annotations

import json
from urllib.parse import quote

from mitmproxy_windsurf.upstream.backend import Backend
from mitmproxy_windsurf.upstream.exchange import Headers
from mitmproxy_windsurf.upstream.translate.failures import broken, failure_of
from mitmproxy_windsurf.upstream.translate.model import Failure, Json

MAX_LIST = 16 * 1024 * 1024
"""Bytes of a list of models."""


async def models(backend: Backend, headers: Headers) -> list[Json] | Failure:
    """All that the backend lists."""
    document = await _get(backend, "/models", headers)
    if isinstance(document, Failure):
        return document
    listed = document.get("data")
    if not isinstance(listed, list):
        return broken("the backend's list of models is none")
    return [item for item in listed if isinstance(item, dict) and isinstance(item.get("id"), str)]


async def model(backend: Backend, headers: Headers, name: str) -> Json | Failure:
    """One model. Not every server can be asked for one, but all have a list."""
    described = await _get(backend, f"/models/{quote(name, safe='')}", headers)
    if not isinstance(described, Failure):
        return described
    listed = await models(backend, headers)
    if isinstance(listed, Failure):
        return described
    return next((item for item in listed if item["id"] == name), described)


async def _get(backend: Backend, path: str, headers: Headers) -> Json | Failure:
    async with backend.send("GET", path, headers=headers) as answer:
        body = await answer.read(MAX_LIST)
        if not 200 <= answer.status <= 299:
            return failure_of(answer.status, body)
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    return document if isinstance(document, dict) else broken("the backend sent no JSON object")
