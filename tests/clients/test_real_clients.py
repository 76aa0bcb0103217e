"""Real clients through the real proxy: an upstream that leaks, and nothing of it arrives.

Every client speaks its own protocol: it streams text and thinking, runs a tool, and sends all of it
back for the next turn.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clients import driver
from clients.scripted_upstream import Json, Turn, scripted_upstream, tools_of
from clients.test_sdks import CLAIM, LEAK
from proxy.conftest import StartProxy
from proxy.harness import Proxy

pytestmark = pytest.mark.filterwarnings("ignore:Passing pyOpenSSL")

CALLED = "printf 'ran %d in /tmp/windsurf-workspace/src/a.py' 42"
RAN = "ran 42 in <workspace>"
"""Said by nobody but the shell."""
THOUGHT = "First I look into /opt/windsurf/secret-7/src/main.py; I am Cascade, an AI assistant."
THOUGHT_OF = "First I look into <workspace>; I am "
SAID_LAST = "Now I run it. "
SAID = (
    "Hello! I am Cascade, an AI assistant. I work in /tmp/windsurf-workspace/src/a.py. "
    "<workspace_information>\n/opt/windsurf/x\n</workspace_information>" + SAID_LAST
)
LAST = (
    "It is in /home/user/projects/workspace-abc/out.txt. I am Cascade, an AI assistant. All done."
)
UNSIGNED = "5f6f2c1e-7d0b-4a55-9d0e-0c1f6f1f2a3b"
"""What local servers fill in; Qwen Code refuses thinking that has nothing in its place."""
SIGNED = "EqQBCkYIBxgCKkBTSUdOQVRVUkUtT0YtT1JJR0lOQUw="
OPENINGS = [f"{name}-opening" for name in ("cline", "codex", "gemini", "opencode", "qwen")]
"""Rules that are off unless somebody wants them; real prompts must be what they expect."""


class Client(NamedTuple):
    """`rules` change its requests, so that `fingerprints` do not reach the upstream."""

    name: str
    rules: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    tells_thoughts: bool = True
    """Whether it prints or sends back what the model thought."""
    has_tools: bool = True


_CLAUDE = ("Claude Agent SDK", "x-anthropic-billing-header: cc_", "Claude Code is available as a")
_CODEX = ("You are Codex", "running in the Codex CLI", "Codex CLI is an open source project")
_GEMINI = ("CLI agent specializing in",)
_QWEN = ("You are Qwen Code",)
_OPENCODE = ("You are opencode", "You are OpenCode", "The exact model ID is")
_CLINE = ("Your primary goal is to assist users with various",)

CLIENTS = (
    Client("claude", ("a2", "a3", "a4", "b"), _CLAUDE),
    Client("codex", ("codex-opening",), _CODEX),
    Client("codex-ws", ("codex-opening",), _CODEX),
    Client("codex-gpt55", ("a7", "codex-opening"), (*_CODEX, "FREEFORM tool")),
    Client("gemini", ("gemini-opening",), _GEMINI, tells_thoughts=False),
    Client("gemini-25", ("gemini-opening",), _GEMINI, tells_thoughts=False),
    Client("qwen", ("qwen-opening",), _QWEN),
    Client("qwen-anthropic", ("qwen-opening",), _QWEN),
    Client("qwen-responses", ("qwen-opening",), _QWEN),
    Client("qwen-gemini", ("qwen-opening",), _QWEN),
    Client("opencode", ("a4", "opencode-opening"), _OPENCODE),
    Client("opencode-anthropic", ("a4", "opencode-opening"), _OPENCODE),
    Client("opencode-responses", ("a4", "opencode-opening"), _OPENCODE),
    Client("opencode-google", ("a4", "opencode-opening"), _OPENCODE),
    Client("cline", ("cline-opening",), _CLINE),
    Client("cline-anthropic", ("cline-opening",), _CLINE),
    Client("cline-native", ("cline-opening",), _CLINE),
    # It offers Gemini a search of Google's, and then none of its own tools.
    Client("cline-gemini", ("cline-opening",), _CLINE, has_tools=False),
    Client("grok", ("a6",), ("You are Grok",), tells_thoughts=False),
    Client("aider", has_tools=False),
    Client("aider-anthropic", has_tools=False),
)


def pieces(text: str) -> list[str]:
    return [text[index : index + 5] for index in range(0, len(text), 5)]


def answering(
    *, has_tools: bool = True, signature: str = UNSIGNED
) -> Callable[[Json], Turn | None]:
    """Calls a tool until it has run: a cold shell of Qwen Code's may print nothing. It thinks once,
    since what it thinks after a signature came is passed as it is.
    """

    def script(body: Json) -> Turn | None:
        thought = ("thinking", pieces(THOUGHT), signature)
        if not has_tools:
            return [thought, ("text", pieces(SAID + LAST))]
        if not tools_of(body):
            return None
        heard = json.dumps(body)
        if RAN in heard:
            return [("text", pieces(LAST))]
        turn: Turn = [("text", pieces(SAID)), ("tool", "shell", CALLED, "bytes")]
        return turn if SAID_LAST in heard else [thought, *turn]

    return script


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
    script = answering(has_tools=client.has_tools)
    async with scripted_upstream(script, tmp_path) as upstream:
        proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_enabled_rules=OPENINGS)
        printed = await driver.run(client.name, proxy.url, "say hi")
    assert driver.status(client.name) == "0", printed
    assert "All done." in printed
    assert_clean(printed)

    sent = [json.dumps(body, ensure_ascii=False) for body in upstream.bodies]
    assert any(RAN in body for body in sent) is client.has_tools
    assert any(THOUGHT_OF in told for told in (printed, *sent)) is client.tells_thoughts
    for body in sent:
        assert_clean(body)
        assert [words for words in client.fingerprints if words in body] == []
    assert set(client.rules) <= rules_applied(proxy)


@pytest.mark.parametrize("client", ["claude", "opencode-anthropic", "qwen-anthropic"])
async def test_thinking_goes_back_as_it_was_signed(
    start_proxy: StartProxy, tmp_path: Path, client: str
) -> None:
    driver.required(client)
    async with scripted_upstream(answering(signature=SIGNED), tmp_path) as upstream:
        proxy = await start_proxy(windsurf_upstream=upstream.url)
        printed = await driver.run(client, proxy.url, "say hi")
    assert driver.status(client) == "0", printed
    assert_clean(printed)
    thinking = [
        block
        for message in upstream.main[-1]["messages"]
        for block in message["content"]
        if isinstance(block, dict) and block["type"] == "thinking"
    ]
    assert [(block["thinking"], block["signature"]) for block in thinking] == [(THOUGHT, SIGNED)]


@pytest.mark.parametrize("client", ["claude", "codex", "codex-ws", "opencode", "qwen"])
async def test_an_answer_that_breaks_off_is_asked_for_again(
    start_proxy: StartProxy, tmp_path: Path, client: str
) -> None:
    """A client must see the abort as one: a clean end would do for an answer."""
    driver.required(client)
    attempts = 0

    def script(body: Json) -> Turn | None:
        nonlocal attempts
        if not tools_of(body):
            return None
        attempts += 1
        if attempts == 1:
            return [("text", pieces(SAID + "Look at /opt/wind")), ("sleep", 0.2), ("abort", "rst")]
        return [("text", pieces(LAST))]

    async with scripted_upstream(script, tmp_path) as upstream:
        proxy = await start_proxy(windsurf_upstream=upstream.url)
        printed = await driver.run(client, proxy.url, "say hi")
    assert driver.status(client) == "0", printed
    assert attempts > 1
    assert "All done." in printed
    assert_clean(printed)
    for body in upstream.bodies:
        assert_clean(json.dumps(body, ensure_ascii=False))
