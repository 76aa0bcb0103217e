"""Requests and answers of the protocols, as small as they can be."""

import json


def event(text: str) -> bytes:
    """One event of a streamed chat answer."""
    return (
        'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        f'[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]}}\n\n'
    ).encode()


def said(body: bytes) -> str:
    """The text of a streamed chat answer."""
    texts = []
    for line in body.decode().split("\n"):
        if line.startswith("data: {"):
            texts.append(json.loads(line[6:])["choices"][0]["delta"].get("content", ""))
    return "".join(texts)


DONE = b"data: [DONE]\n\n"

CHAT = "/v1/chat/completions"
MESSAGES = "/v1/messages"
TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."
NEUTRAL = "You are an AI coding assistant."
PRIVATE = "/tmp/windsurf-workspace/src/a.py"
MARKER = "<workspace>"


def chat_request(system: str = "Be brief.", *, stream: bool = True) -> bytes:
    flag = "true" if stream else "false"
    return (
        f'{{"model":"claude-opus-4-6","stream":{flag},"messages":['
        f'{{"role":"system","content":"{system}"}},{{"role":"user","content":"hi"}}]}}'
    ).encode()


def chat_answer(text: str) -> bytes:
    return (
        '{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,'
        f'"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}]}}'
    ).encode()
