"""Each official SDK, streamed and whole, through the real proxy and the embedded upstream to a
scripted OpenAI-compatible backend: what the backend is asked, and what the SDK is told."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from e2e.backend import USAGE, Json, Script, ScriptedBackend
from e2e.clients import CLIENTS
from e2e.conversation import MODEL, Client, End, Question
from e2e.questions import CALLS, EXCHANGES, PNG
from proxy.harness import Proxy, running_proxy, until

PATIENCE = 30
ENDS: dict[str, End] = {"stop": "stop", "length": "length", "tool_calls": "calls"}
TOKENS = (USAGE["prompt_tokens"], USAGE["completion_tokens"])

both_ways = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
every_client = pytest.mark.parametrize("protocol", CLIENTS)
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def proxy(confdir: Path, shared_backend: ScriptedBackend) -> AsyncIterator[Proxy]:
    async with running_proxy(confdir, windsurf_backend=shared_backend.url) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(proxy: Proxy, protocol: str) -> AsyncIterator[Client]:
    made = CLIENTS[protocol](proxy.url)
    yield made
    await made.close()


@every_client
@both_ways
@pytest.mark.parametrize("name", EXCHANGES)
async def test_all_of_a_conversation_arrives_at_both_ends(
    client: Client, backend: ScriptedBackend, protocol: str, name: str, stream: bool
) -> None:
    question, backend.script = EXCHANGES[name]
    async with asyncio.timeout(PATIENCE):
        answer = await client.ask(question, stream=stream)

    (asked,) = backend.asked
    _assert_asked(asked, question)
    if name in ASKED and (name, protocol) not in UNSPOKEN:
        ASKED[name](asked)
    assert answer.text == backend.script.text
    assert answer.thinking == backend.script.thinking
    assert answer.calls == [(call.name, call.arguments) for call in backend.script.calls]
    assert answer.end == ENDS[backend.script.finish]
    assert answer.tokens == TOKENS


def _assert_asked(body: Json, question: Question) -> None:
    """What every request has, and nothing that was not asked for."""
    assert body["model"] == MODEL
    assert body["max_tokens"] == question.limit
    assert ("tools" in body) == bool(question.tools)
    assert ("response_format" in body) == bool(question.schema)
    assert ("reasoning_effort" in body) == question.thinking
    system = ["system"] if question.system else []
    turns = [role for _ in question.turns for role in ("assistant", "tool", "tool")]
    roles = [message["role"] for message in body["messages"]]
    assert roles == [*system, "user", *turns]
    user = body["messages"][len(system)]["content"]
    assert (user if isinstance(user, str) else user[0]["text"]) == question.prompt


def _instructed(body: Json) -> None:
    assert _text(body["messages"][0]) == EXCHANGES["system prompt"].question.system


def _pictured(body: Json) -> None:
    _, image = body["messages"][0]["content"]
    assert image["image_url"]["url"] == f"data:image/png;base64,{b64encode(PNG).decode()}"


def _equipped(body: Json) -> None:
    functions = [tool["function"] for tool in body["tools"]]
    assert [(each["name"], each["description"], each["parameters"]) for each in functions] == [
        tuple(tool.__dict__.values()) for tool in EXCHANGES["parallel tools"].question.tools
    ]


def _continued(body: Json) -> None:
    (turn,) = EXCHANGES["results"].question.turns
    _, assistant, *results = body["messages"]
    assert _text(assistant) == turn.text
    assert [call["id"] for call in assistant["tool_calls"]] == [call.id for call in CALLS]
    assert [result["tool_call_id"] for result in results] == [call.id for call in CALLS]
    for result, text in zip(results, turn.results, strict=True):
        assert text in _text(result)


def _structured(body: Json) -> None:
    form = body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["schema"] == EXCHANGES["structured output"].question.schema


def _stopped(body: Json) -> None:
    assert body["stop"] == [*EXCHANGES["stop sequence"].question.stop]


def _text(message: Json) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


ASKED: dict[str, Callable[[Json], None]] = {
    "system prompt": _instructed,
    "image": _pictured,
    "parallel tools": _equipped,
    "results": _continued,
    "structured output": _structured,
    "stop sequence": _stopped,
}
UNSPOKEN = {("stop sequence", "responses")}
"""Responses has no stop sequences; the SDK can only send one as a member that is not known."""


@every_client
@both_ways
@pytest.mark.parametrize("status", [400, 429, 503])
async def test_an_error_before_the_answer_keeps_its_status_and_words(
    client: Client, backend: ScriptedBackend, status: int, stream: bool
) -> None:
    backend.script = Script(status=status)
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(client.failed, match=backend.script.error) as caught:
            await client.ask(Question(), stream=stream)
    assert client.status(caught.value) == status


@every_client
@both_ways
async def test_an_error_in_mid_stream_is_an_error(
    client: Client, backend: ScriptedBackend, stream: bool
) -> None:
    backend.script = Script(text="So far", ending="error")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(client.failed, match=backend.script.error):
            await client.ask(Question(), stream=stream)


@every_client
@both_ways
async def test_an_answer_that_the_backend_breaks_off_is_no_answer(
    client: Client, backend: ScriptedBackend, stream: bool
) -> None:
    """Of a whole one nothing has been said yet, so the proxy can still say it with a status."""
    backend.script = Script(text="So far", ending="cut")
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(client.broken if stream else client.failed) as caught:
            await client.ask(Question(), stream=stream)
    if not stream:
        assert client.status(caught.value) == 502


@every_client
@both_ways
async def test_a_client_that_goes_away_ends_the_backends_work(
    proxy: Proxy, client: Client, backend: ScriptedBackend, stream: bool
) -> None:
    backend.script, before = Script(text="So far", ending="silence"), len(proxy.flows.ended)
    asking = asyncio.create_task(client.ask(Question(), stream=stream))
    async with asyncio.timeout(PATIENCE):
        await backend.silent.wait()
        asking.cancel()
        await asyncio.wait([asking])
        await client.close()
        await backend.cancelled.wait()
    (*_, flow) = await proxy.flows.count(before + 1)
    await until(lambda: not flow.live)
