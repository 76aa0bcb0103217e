"""Reads answers with the official SDKs, in an interpreter that has them.

Takes JSON lines `{"protocol", "streamed", "data"}` on stdin, `data` in base64, and prints for each
what the SDK made of it: the texts by name, or the name of the exception.
"""

import base64
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anthropic
import openai
from google import genai

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


@cache  # to make one takes longer than to read an answer
def anthropic_client(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(api_key="none", base_url=url, max_retries=0)


@cache
def genai_client(url: str) -> genai.Client:
    return genai.Client(api_key="none", http_options={"base_url": url})


@cache
def openai_client(url: str) -> openai.OpenAI:
    return openai.OpenAI(api_key="none", base_url=url, max_retries=0)


def plain(content: str | list[dict[str, Any]]) -> str:
    """Content as a string, of an array its texts, without the thinking."""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part["type"] == "text")


def read_chat(url: str, streamed: bool) -> Texts:
    client = openai_client(url)
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
    client = anthropic_client(url)
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


PARTS = {
    "output_text": ("output_text", "text"),
    "refusal": ("refusal", "refusal"),
    "reasoning_text": ("reasoning_text", "text"),
    "summary_text": ("reasoning_summary_text", "text"),
}
CALLS = {
    "function_call": ("function_call_arguments", "arguments"),
    "mcp_call": ("mcp_call_arguments", "arguments"),
    "custom_tool_call": ("custom_tool_call_input", "input"),
    "code_interpreter_call": ("code_interpreter_call_code", "code"),
}


def read_responses(url: str, streamed: bool) -> Texts:
    """As some clients take it from deltas, others from the items, or from the whole response."""
    client = openai_client(url)
    asked: Any = client.responses.create(model="m", input="", stream=streamed)
    texts: Texts = defaultdict(str)
    for event in asked if streamed else ():
        said = event.model_dump(warnings=False)
        kind = said["type"].removeprefix("response.")
        output = first_of(said, "output_index", "item_id")
        if kind.endswith(".delta") and isinstance(said["delta"], str):
            index = first_of(said, "content_index", "summary_index", "command_index")
            texts[f"{kind.removesuffix('.delta')}[{output}.{index or 0}]"] += said["delta"]
        elif kind == "output_item.done":
            item = said["item"]
            found = item_texts(item, first_of(said | item, "output_index", "id", "call_id"))
            texts |= {f"{name} item": text for name, text in found}
        elif kind == "completed":
            asked = event.response
    for output, item in enumerate(getattr(asked, "output", ())):
        found = item_texts(item.model_dump(warnings=False), output)
        texts |= {f"{name} response": text for name, text in found}
    return texts


def first_of(value: dict[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def item_texts(item: dict[str, Any], output: Any) -> Iterator[tuple[str, str]]:
    for member in ("summary", "content"):
        for index, part in enumerate(item.get(member) or ()):
            if part["type"] in PARTS:
                name, field = PARTS[part["type"]]
                yield f"{name}[{output}.{index}]", part[field]
    if item["type"] in CALLS:
        name, field = CALLS[item["type"]]
        yield f"{name}[{output}.0]", item[field]


def read_completions(url: str, streamed: bool) -> Texts:
    client = openai_client(url)
    asked: Any = client.completions.create(model="m", prompt="", stream=streamed)
    texts: Texts = defaultdict(str)
    for chunk in asked if streamed else [asked]:
        for choice in chunk.model_dump(warnings=False)["choices"] or ():
            texts[f"text[{choice.get('index') or 0}]"] += choice.get("text") or ""
    return texts


def read_gemini(url: str, streamed: bool) -> Texts:
    client = genai_client(url)
    asked: Any = (
        client.models.generate_content_stream(model="m", contents="hi")
        if streamed
        else [client.models.generate_content(model="m", contents="hi")]
    )
    texts: Texts = defaultdict(str)
    for response in asked:
        for position, candidate in enumerate(response.candidates or ()):
            index = position if candidate.index is None else candidate.index
            for part in (candidate.content.parts if candidate.content else ()) or ():
                if part.text is not None:
                    texts[f"{'thinking' if part.thought else 'text'}[{index}]"] += part.text
                if call := part.function_call:
                    pieces = [piece.string_value or "" for piece in call.partial_args or ()]
                    texts[f"input[{index}]"] += json.dumps(call.args) + "".join(pieces)
    return texts


READERS = {
    "anthropic": read_messages,
    "gemini": read_gemini,
    "openai_completions": read_completions,
    "openai_responses": read_responses,
}


def main() -> None:
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        asked = json.loads(line)
        server.data, server.streamed = base64.b64decode(asked["data"]), asked["streamed"]
        read = READERS.get(asked["protocol"], read_chat)
        try:
            found: Any = read(server.url, server.streamed)
        except Exception as error:
            found = type(error).__name__
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
