"""Real clients have a file read and get an answer, whatever protocol the backend does not speak.

The backend speaks Chat Completions alone; the embedded handler stands between it and them.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from clients import driver
from clients.scripted_upstream import Json, Turn, scripted_upstream, tools_of
from proxy.conftest import StartProxy

pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL")

CLIENTS = (
    "claude",
    "codex",
    "codex-ws",
    "codex-gpt55",
    "gemini",
    "gemini-25",
    "qwen",
    "qwen-anthropic",
    "qwen-responses",
    "qwen-gemini",
    "opencode",
    "opencode-anthropic",
    "opencode-responses",
    "opencode-google",
    "cline",
    "cline-anthropic",
    "cline-native",
    "grok",
)
READERS: dict[str, Callable[[str], Json]] = {
    "Read": lambda path: {"file_path": path},
    "read_file": lambda path: {"file_path": path},
    "read": lambda path: {"filePath": path},
    "read_files": lambda path: {"files": [{"path": path}]},
    "view_file": lambda path: {"path": path},
    "exec_command": lambda path: {"cmd": f"cat {path}"},
}
"""The tools with which clients read a file, and their arguments."""
ROUTE = {"complexity_reasoning": "It is simple.", "complexity_score": 1}
"""What Gemini CLI wants to hear before it picks a model."""
CONTENT = "hello file"
"""What the driver writes into it."""


def reader_of(body: Json) -> str:
    names = {tool["function"]["name"] for tool in tools_of(body)}
    return next(name for name in READERS if name in names)


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_file_is_read_and_quoted(
    start_proxy: StartProxy, tmp_path: Path, client: str
) -> None:
    driver.required(client)
    file = str(driver.workspace(client) / "hello.txt")

    def reading(body: Json) -> Turn | None:
        if not tools_of(body):
            return [("text", [json.dumps(ROUTE)])] if "response_format" in body else None
        results = [item["content"] for item in body["messages"] if item["role"] == "tool"]
        if results:
            found = CONTENT in json.dumps(results)
            return [("text", ["It says", f": {CONTENT!r}." if found else " nothing."])]
        reader = reader_of(body)
        return [
            ("thinking", ["I have to ", "read it."], None),
            ("text", ["I read it."]),
            ("tool", reader, READERS[reader](file), None),
        ]

    async with scripted_upstream(reading, tmp_path) as backend:
        proxy = await start_proxy(
            windsurf_backend=f"{backend.url}/v1", windsurf_backend_model=["*=scripted"]
        )
        printed = await driver.run(client, proxy.url, "What does hello.txt say?")
    assert driver.status(client) == "0", printed
    assert f"It says: {CONTENT!r}." in printed
    assert {body["model"] for body in backend.bodies} == {"scripted"}
