"""A Responses request as a chat request: https://platform.openai.com/docs/api-reference/responses

Nothing is kept from one request to the next, so a client has to send its conversation whole, as
those do that say `store: false`.
"""

from __future__ import annotations

from mitmproxy_windsurf.upstream.translate.chat_members import (
    STREAMED,
    WISHES,
    effort,
    json_format,
)
from mitmproxy_windsurf.upstream.translate.checks import record, text
from mitmproxy_windsurf.upstream.translate.model import ChatRequest, Json, Refused
from mitmproxy_windsurf.upstream.translate.openai_responses_input import messages
from mitmproxy_windsurf.upstream.translate.openai_responses_tools import tool_choice, tools_of

_SAME = {
    "max_output_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "user": "user",
}
_READ = {
    *_SAME,
    *("model", "instructions", "input", "tools", "tool_choice", "parallel_tool_calls", "stream"),
    *("reasoning", "text"),
}
_NEEDLESS = {
    *("store", "include", "metadata", "client_metadata", "stream_options", "service_tier"),
    *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "safety_identifier"),
}
"""What is only of use to OpenAI."""

_REFUSED = {
    "previous_response_id": "no responses are kept here; send the whole conversation as input",
    "conversation": "no conversations are kept here; send the whole of it as input",
    "prompt": "no prompts are kept here; send it as instructions",
    "background": "responses cannot run in the background here",
}


def chat_request(body: Json) -> ChatRequest:
    """What to ask the backend.

    Raises:
        Refused: what is asked for cannot be said in chat, or has the wrong shape.
    """
    for name, reason in _REFUSED.items():
        if body.get(name):
            raise Refused(name, reason)
    stream = body.get("stream") is True
    tools = tools_of(body)
    said, ignored = messages(body, tools)
    chat: Json = {"model": text(body, "model", ""), "messages": said}
    chat |= tool_choice(body, tools)
    chat |= {name: body[own] for own, name in _SAME.items() if body.get(own) is not None}
    chat |= _reasoning(body) | _text(body)
    if stream:
        chat |= STREAMED
    others = [
        name
        for name in body
        if name not in _READ | _NEEDLESS and name not in _REFUSED and body[name] is not None
    ]
    return ChatRequest(
        chat,
        stream=stream,
        ignored=(*others, *tools.ignored, *ignored),
        wishes=(*WISHES, "verbosity"),
    )


def _reasoning(body: Json) -> Json:
    named = record(body.get("reasoning"), "reasoning").get("effort")
    return effort(named) if isinstance(named, str) else {}


def _text(body: Json) -> Json:
    """What the answer looks like."""
    config = record(body.get("text"), "text")
    members: Json = {}
    if isinstance(config.get("verbosity"), str):
        members["verbosity"] = config["verbosity"]
    form = record(config.get("format"), "text.format")
    match form.get("type", "text"):
        case "text":
            pass
        case "json_object":
            members["response_format"] = {"type": "json_object"}
        case "json_schema":
            schema = record(form.get("schema"), "text.format.schema")
            strict = form.get("strict") is True
            members |= json_format(schema, text(form, "name", "text.format"), strict=strict)
            if isinstance(form.get("description"), str):
                members["response_format"]["json_schema"]["description"] = form["description"]
        case kind:
            raise Refused("text.format.type", f"{kind!r} is no format that the backend knows")
    return members
