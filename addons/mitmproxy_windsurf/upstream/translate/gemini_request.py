"""A Gemini request as a chat request: https://ai.google.dev/api/generate-content

The model stands in the path; Code Assist has it in the body, and the request one level down.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import parse_qs

from mitmproxy_windsurf.upstream.translate.chat_members import (
    STREAMED,
    WISHES,
    effort,
    effort_for,
    json_format,
)
from mitmproxy_windsurf.upstream.translate.gemini_contents import messages
from mitmproxy_windsurf.upstream.translate.gemini_schema import json_schema
from mitmproxy_windsurf.upstream.translate.gemini_tools import tool_choice, tools
from mitmproxy_windsurf.upstream.translate.model import Asked, ChatRequest, Json, Refused
from mitmproxy_windsurf.wire.detect import facts
from mitmproxy_windsurf.wire.gemini_members import Members, members

_SAME = {
    "temperature": "temperature",
    "topp": "top_p",
    "topk": "top_k",
    "maxoutputtokens": "max_tokens",
    "seed": "seed",
    "presencepenalty": "presence_penalty",
    "frequencypenalty": "frequency_penalty",
}
_READ = {
    *_SAME,
    *("stopsequences", "candidatecount", "responsemimetype", "responseschema"),
    *("responsejsonschema", "responsemodalities", "thinkingconfig"),
}
_READ_OUTSIDE = {
    *("contents", "systeminstruction", "tools", "toolconfig", "generationconfig"),
    *("model", "safetysettings", "labels", "sessionid"),
}
_JSON, _PLAIN = "application/json", "text/plain"
_LEVELS = ("MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH")


class Wanted(NamedTuple):
    """How the answer is to be given."""

    model: str
    stream: bool
    sse: bool
    thoughts: bool
    """With the reasoning in it."""
    nested: bool
    """One level down, as Code Assist has it."""


def wanted(asked: Asked) -> Wanted:
    """What a request says about its answer."""
    told = facts("gemini", asked.body, asked.path)
    inner = _inner(asked.body)["model"].value
    return Wanted(
        model=told.model or str(inner or "").removeprefix("models/"),
        stream=told.stream,
        sse=parse_qs(asked.query).get("alt") == ["sse"],
        thoughts=told.wants_thinking,
        nested="request" in members(asked.body),
    )


def chat_request(asked: Asked) -> ChatRequest:
    """What to ask the backend.

    Raises:
        Refused: what is asked for cannot be said in chat, or has the wrong shape.
    """
    told = wanted(asked)
    body = _inner(asked.body)
    if not told.model:
        raise Refused("model", "the path has to name a model")
    if body["cachedcontent"].value:
        raise Refused(body["cachedcontent"].name, "no contents are kept here; send them all")
    functions, ignored = tools(body)
    config = members(body["generationconfig"].value)
    chat: Json = {"model": told.model, "messages": messages(body)}
    chat |= tool_choice(body, functions)
    chat |= {
        name: config[own].value for own, name in _SAME.items() if config[own].value is not None
    }
    chat |= _limits(config) | _format(config) | _thinking(config)
    if told.stream:
        chat |= STREAMED
    ignored += [
        f"{place}{member.name}"
        for found, read, place in (
            (body, _READ_OUTSIDE, ""),
            (config, _READ, "generationConfig."),
        )
        for name, member in found.items()
        if name not in read and member.value is not None
    ]
    return ChatRequest(chat, stream=told.stream, ignored=tuple(ignored), wishes=WISHES)


def _inner(body: Json) -> Members:
    """The request itself: Code Assist and `countTokens` put it one level down."""
    outer = members(body)
    for name in ("request", "generatecontentrequest"):
        if isinstance(outer[name].value, dict):
            return members(outer[name].value)
    return outer


def _limits(config: Members) -> Json:
    found: Json = {}
    if stops := config["stopsequences"].value:
        found["stop"] = stops
    count = config["candidatecount"].value
    if isinstance(count, int) and count > 1:
        found["n"] = count
    for kind in _listed(config["responsemodalities"].value):
        if str(kind).upper() not in ("TEXT", "MODALITY_UNSPECIFIED"):
            raise Refused("generationConfig.responseModalities", f"the backend has no {kind}")
    return found


def _format(config: Members) -> Json:
    kind = config["responsemimetype"].value
    for name in ("responsejsonschema", "responseschema"):
        schema = config[name]
        if schema.value is not None:
            place = f"generationConfig.{schema.name}"
            return json_format(json_schema(schema.value, place), strict=False)
    if kind == _JSON:
        return {"response_format": {"type": "json_object"}}
    if kind not in (None, "", _PLAIN):
        raise Refused("generationConfig.responseMimeType", f"{kind!r} cannot be asked for")
    return {}


def _thinking(config: Members) -> Json:
    """How much to think; a level counts more than a budget, and -1 is as the model likes."""
    thinking = members(config["thinkingconfig"].value)
    level, budget = thinking["thinkinglevel"].value, thinking["thinkingbudget"].value
    if isinstance(level, str) and level.upper() in _LEVELS:
        return effort(level.lower())
    if not isinstance(budget, int) or budget < 0:
        return {}
    return effort_for(budget) if budget else effort("none")


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
