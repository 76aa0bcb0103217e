"""Reads answers with the official SDKs, in an interpreter that has them.

Takes JSON lines `{"protocol", "streamed", "data"}` on stdin, `data` in base64, and prints for each
what the SDK made of it: the texts by name, or the name of the exception.
"""

import base64
import json
import sys
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anthropic
import openai

Texts = dict[str, str]


class Server(HTTPServer):
    """Gives the same answer to every request."""

    data = b""
    streamed = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        kind = "text/event-stream" if self.server.streamed else "application/json"
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(self.server.data)

    def log_message(self, *_: object) -> None:
        pass


def plain(content: str | list[dict[str, Any]]) -> str:
    """Content as a string, of an array its texts, without the thinking."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def read_chat(url: str, streamed: bool) -> Texts:
    client = openai.OpenAI(api_key="none", base_url=url, max_retries=0)
    asked: Any = client.chat.completions.create(model="m", messages=[], stream=streamed)
    texts: Texts = defaultdict(str)
    for chunk in asked if streamed else [asked]:
        for choice in chunk.model_dump(warnings=False)["choices"] or ():
            said = choice.get("delta" if streamed else "message") or {}
            for name in ("content", "refusal", "reasoning_content", "reasoning"):
                if said.get(name) is not None:
                    texts[f"{name}[{choice['index']}]"] += plain(said[name])
            for index, call in enumerate(said.get("tool_calls") or ()):
                name = f"arguments[{choice['index']}][{call.get('index', index)}]"
                texts[name] += (call.get("function") or {}).get("arguments") or ""
    return texts


def read_messages(url: str, streamed: bool) -> Texts:
    client = anthropic.Anthropic(api_key="none", base_url=url, max_retries=0)
    asked: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": []}
    if streamed:
        with client.messages.stream(**asked) as stream:
            message = stream.get_final_message()
    else:
        message = client.messages.create(**asked)
    texts: Texts = {}
    for index, block in enumerate(message.model_dump(warnings=False)["content"]):
        for name in ("text", "thinking"):
            if block["type"] == name:
                texts[f"{name}[{index}]"] = block[name]
        if "input" in block:
            texts[f"input[{index}]"] = json.dumps(block["input"])
    return texts


def main() -> None:
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        asked = json.loads(line)
        server.data, server.streamed = base64.b64decode(asked["data"]), asked["streamed"]
        read = read_messages if asked["protocol"] == "anthropic" else read_chat
        try:
            found: Any = read(server.url, server.streamed)
        except Exception as error:
            found = type(error).__name__
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
