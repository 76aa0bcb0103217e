"""Real clients through the real proxy: an upstream that leaks, and nothing of it arrives.

Every client speaks its own protocol: it streams text and thinking, runs a tool, and sends all of it
back for the next turn.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clients import driver
from clients.scripted_upstream import Json, Turn, scripted_upstream, tools_of
from clients.test_sdks import CLAIM, LEAK
from proxy.conftest import StartProxy
from proxy.harness import Proxy

pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL")

MARK = "the-tool-ran"
CALLED = f"echo '{MARK} in /tmp/windsurf-workspace/src/a.py'"
RAN = f"{MARK} in <workspace>"
THOUGHT = "First I look into /opt/windsurf/secret-7/src/main.py; I am Cascade, an AI assistant."
THOUGHT_OF = "First I look into <workspace>"
SAID = (
    "Hello! I am Cascade, an AI assistant. I work in /tmp/windsurf-workspace/src/a.py. "
    "<workspace_information>\n/opt/windsurf/x\n</workspace_information>Now I run it."
)
UNSIGNED = "5f6f2c1e-7d0b-4a55-9d0e-0c1f6f1f2a3b"
"""What local servers fill in; a client may refuse thinking that has nothing in its place."""
LAST = "It is in /home/user/projects/workspace-abc/out.txt. I am Cascade, an AI coding assistant. All done."


class Client(NamedTuple):
    """`rules` change its requests, so that `fingerprints` do not reach the upstream."""

    name: str
    rules: tuple[str, ...]
    fingerprints: tuple[str, ...]
    tells_thoughts: bool = True
    """Whether it prints or sends back what the model thought."""


CLAUDE = ("Claude Agent SDK", "x-anthropic-billing-header: cc_", "Claude Code is available as a")
CODEX = ("You are Codex", "Codex CLI is an open source project")
GEMINI = ("You are Gemini CLI", "autonomous CLI agent")
QWEN = ("You are Qwen Code",)
OPENCODE = ("You are opencode", "You are OpenCode", "The exact model ID is")
CLINE = ("Your primary goal is to assist users with various",)
OPENINGS = [f"{name}-opening" for name in ("cline", "codex", "gemini", "opencode", "qwen")]
"""Rules that are off unless somebody wants them; real prompts must be what they expect."""
CLIENTS = (
    Client("claude", ("a2", "a3", "a4", "b"), CLAUDE),
    Client("codex", ("codex-opening",), CODEX),
    Client("codex-ws", ("codex-opening",), CODEX),
    Client("codex-gpt55", ("a7", "codex-opening"), (*CODEX, "FREEFORM tool")),
    Client("gemini-25", ("gemini-opening",), GEMINI, False),
    Client("qwen", ("qwen-opening",), QWEN),
    Client("qwen-anthropic", ("qwen-opening",), QWEN),
    Client("qwen-responses", ("qwen-opening",), QWEN),
    Client("qwen-gemini", ("qwen-opening",), QWEN),
    Client("opencode", ("a4", "opencode-opening"), OPENCODE),
    Client("opencode-anthropic", ("a4", "opencode-opening"), OPENCODE),
    Client("opencode-responses", ("a4", "opencode-opening"), OPENCODE),
    Client("opencode-google", ("a4", "opencode-opening"), OPENCODE),
    Client("cline", ("cline-opening",), CLINE),
    Client("cline-anthropic", ("cline-opening",), CLINE),
    Client("cline-native", ("cline-opening",), CLINE),
    Client("cline-gemini", ("cline-opening",), CLINE),
    Client("grok", ("a6",), ("You are Grok",), False),
)


def pieces(text: str) -> list[str]:
    return [text[index : index + 5] for index in range(0, len(text), 5)]


def leaking(body: Json) -> Turn | None:
    """Calls a tool, and ends when it has run."""
    if not tools_of(body):
        return None
    if MARK in json.dumps(body):
        return [("text", pieces(LAST))]
    return [
        ("thinking", pieces(THOUGHT), UNSIGNED),
        ("text", pieces(SAID)),
        ("tool", "shell", CALLED, "bytes"),
    ]


def assert_clean(text: str) -> None:
    assert LEAK.findall(text) == []
    assert CLAIM.findall(text) == []


def rules_applied(proxy: Proxy) -> set[str]:
    records: list[Any] = [flow.metadata.get("windsurf", {}) for flow in proxy.flows.ended]
    return {edit["rule"] for record in records for edit in record.get("edits", ())}


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
async def test_leaks_stay_upstream_and_fingerprints_with_the_client(
    start_proxy: StartProxy, tmp_path: Path, client: Client
) -> None:
    driver.required(client.name)
    async with scripted_upstream(leaking, tmp_path) as upstream:
        proxy = await start_proxy(
            windsurf_upstream=upstream.url, windsurf_enabled_rules=OPENINGS
        )
        printed = await driver.run(client.name, proxy.url, "say hi")
    printed += driver.deltas(printed)
    assert driver.status(client.name) == "0", printed
    assert "All done." in printed
    assert_clean(printed)

    _, *rest = upstream.main
    assert RAN in json.dumps(rest)
    assert (THOUGHT_OF in printed + json.dumps(rest)) is client.tells_thoughts
    for body in upstream.bodies:
        sent = json.dumps(body, ensure_ascii=False)
        assert_clean(sent)
        assert [words for words in client.fingerprints if words in sent] == []
    assert set(client.rules) <= rules_applied(proxy)
