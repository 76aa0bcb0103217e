"""The content views, asked as mitmproxy asks them, in either generation."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mitmproxy import contentviews, http
from mitmproxy.flow import Flow
from mitmproxy.test import tflow

from mitmproxy_windsurf.proxy import content_views, record
from mitmproxy_windsurf.proxy.content_views import Message
from mitmproxy_windsurf.proxy.views import VIEWS
from proxy.conftest import StartProxy
from proxy.http1 import ask
from proxy.messages import MARKER, event
from proxy.test_script import SCRIPT

untyped: Any = contentviews
KEY = "hunter2-hunter2-hunter2"
SHAPED = "sk-ant-api03-0123456789abcdefghij"
BEFORE = "You are Claude Code, Anthropic's official CLI for Claude."
AFTER = "You are an AI coding assistant."
TOOL = {
    "name": "Read",
    "description": "Read a file.",
    "input_schema": {"type": "object", "properties": {"file_path": {"type": "string"}}},
}


@pytest.fixture
def _registered() -> Iterator[None]:
    content_views.register(VIEWS)
    yield
    content_views.unregister(VIEWS)


def shown(flow: http.HTTPFlow, side: str, view: str = "auto") -> tuple[str, str]:
    """The name of the view, and its text, as mitmproxy's tools show it."""
    return shown_message(flow.request if side == "request" else flow.response, flow, view)


def shown_message(message: Any, flow: Flow, view: str = "auto") -> tuple[str, str]:
    if hasattr(untyped, "prettify_message"):
        found = untyped.prettify_message(message, flow, view)
        return str(found.view_name), found.text
    name, lines, error = untyped.get_message_content_view(view, message, flow)
    assert not error
    texts = ("".join(text for _, text in line) for line in lines)
    return name, "\n".join("" if text == " " else text for text in texts)


def names() -> list[str]:
    if hasattr(untyped, "registry"):
        return [view.name for view in untyped.registry.values()]
    return [view.name for view in untyped.views]


def request(prompt: str, *, stream: bool = True) -> bytes:
    return json.dumps(
        {
            "model": "claude-opus-4-6",
            "max_tokens": 500,
            "stream": stream,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "system": f"{BEFORE} The key is {KEY}, and the other {SHAPED}.",
            "tools": [TOOL],
            "messages": [{"role": "user", "content": prompt}],
        }
    ).encode()


@pytest.mark.parametrize("stream", [True, False])
async def test_an_exchange_with_the_demo(start_proxy: StartProxy, stream: bool) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0")
    body = request("tool", stream=stream)
    await ask(proxy.port, "POST", "/v1/messages", body, **{"x-api-key": KEY})
    flow = await proxy.flow()
    name, asked = shown(flow, "request")
    assert name == "LLM"
    assert "model: claude-opus-4-6\nmax_tokens: 500\n" in asked
    assert "tools:\n  Read: Read a file.\n" in asked
    assert f"system: |\n  {AFTER} The key is ***, and the other ***.\n" in asked
    assert asked.endswith("user: |\n  tool")
    name, answered = shown(flow, "response")
    assert name == "LLM"
    assert "assistant, thinking: |\n  The file should be at <workspace>.\n" in answered
    assert "assistant: |\n  I will look at the file.\n" in answered
    assert "assistant calls Read (" in answered
    assert "  file_path: <workspace>\n\nstop: tool_use\n\nusage:\n  input_tokens: " in answered

    name, changed = shown(flow, "request", "Windsurf changes")
    assert name == "Windsurf changes"
    assert "a1  neutralize  system  ×1  −26 B" in changed
    assert f"-  {BEFORE} \n" in changed or f"-system: {BEFORE}" in changed
    assert AFTER in changed
    name, changed = shown(flow, "response", "Windsurf changes")
    assert "-  The file should be at /tmp/windsurf-workspace/src/app.py.\n" in changed
    assert "+  The file should be at <workspace>.\n" in changed
    assert "· path\n" in changed
    for side in ("request", "response"):
        for view in ("LLM", "Windsurf changes"):
            text = shown(flow, side, view)[1]
            assert KEY not in text
            assert SHAPED not in text


async def test_an_exchange_in_shadow_mode(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0", windsurf_shadow=True)
    body = request("paths").replace(BEFORE.encode(), b"Be brief.")
    await ask(proxy.port, "POST", "/v1/messages", body)
    flow = await proxy.flow()
    text = shown(flow, "response", "Windsurf changes")[1]
    assert text.startswith("# Nothing was changed in the answer (windsurf_shadow)")
    assert "; this would have been:\n#   path  paths  text" in text
    assert "+<workspace>" in text


async def test_originals_that_are_not_kept(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0", windsurf_keep_originals="0")
    await ask(proxy.port, "POST", "/v1/messages", request("paths"))
    flow = await proxy.flow()
    for side in ("request", "response"):
        text = shown(flow, side, "Windsurf changes")[1]
        assert "The original was not kept" in text
        assert "@@ " in text


async def test_the_views_are_there_as_long_as_the_addon(
    start_proxy: StartProxy, tmp_path: Path
) -> None:
    proxy = await start_proxy()
    assert [name for name in names() if name in ("LLM", "Windsurf changes")] == [
        "LLM",
        "Windsurf changes",
    ]
    proxy.master.addons.remove(proxy.addon)
    assert not {"LLM", "Windsurf changes"} & set(names())


async def test_a_reloaded_script_registers_once(start_proxy: StartProxy) -> None:
    await start_proxy(scripts=[str(SCRIPT)])
    content_views.register(VIEWS)  # as a second copy of the package would
    assert names().count("LLM") == 1
    assert names().count("Windsurf changes") == 1


@pytest.mark.usefixtures("_registered")
class TestOtherFlows:
    def flow(self, path: str, body: bytes, answer: bytes = b"") -> http.HTTPFlow:
        flow = tflow.tflow(resp=True)
        flow.request.method, flow.request.path = "POST", path
        flow.request.content = body
        flow.request.headers["content-type"] = "application/json"
        assert flow.response
        flow.response.content = answer
        flow.response.headers["content-type"] = "application/json"
        return flow

    def test_a_flow_to_a_model_that_was_not_ours(self) -> None:
        body = b'{"model": "m", "messages": [{"role": "user", "content": "hello"}]}'
        flow = self.flow("/v1/chat/completions", body, b'{"error": {"message": "No."}}')
        assert shown(flow, "request") == ("LLM", "model: m\n\nuser: |\n  hello")
        assert shown(flow, "response") == ("LLM", "\nerror: |\n  No.")
        text = shown(flow, "request", "Windsurf changes")[1]
        assert text == "# This exchange was none of windsurf's: nothing was changed."

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("/v1/embeddings", b'{"input": "hello"}'),
            ("/v1/messages", b""),
            ("/v1/messages", b"<html></html>"),
        ],
    )
    def test_other_bodies_are_left_to_other_views(self, path: str, body: bytes) -> None:
        flow = self.flow(path, body)
        assert shown(flow, "request")[0] != "LLM"
        assert "No conversation was found" in shown(flow, "request", "LLM")[1]

    def test_an_answer_that_is_on_its_way(self) -> None:
        flow = self.flow("/v1/messages", b"{}", b"{}")
        flow.metadata[record.KEY] = {"protocol": "anthropic", "kind": "generate", "outcome": None}
        assert shown(flow, "response", "Windsurf changes")[1] == "# The answer has not ended yet."

    def test_a_record_of_another_version(self) -> None:
        flow = self.flow("/v1/messages", b"{}", b"{}")
        flow.metadata[record.KEY] = {"outcome": 1, "edits": 2, "protocol": [3], "kind": {}}
        for view in ("LLM", "Windsurf changes"):
            assert "cannot be shown" not in shown(flow, "response", view)[1]

    def test_the_messages_of_a_websocket(self) -> None:
        flow = tflow.twebsocketflow()
        flow.request.method, flow.request.path = "POST", "/v1/responses"
        flow.metadata[record.KEY] = {"protocol": "openai_responses", "kind": "generate"}
        assert flow.websocket
        asked, answered = flow.websocket.messages[:2]
        asked.from_client, asked.content = True, b'{"type":"response.create","input":"hello"}'
        answered.from_client = False
        answered.content = b'{"type":"response.output_text.delta","delta":"Hel"}'
        assert shown_message(asked, flow) == (
            "LLM",
            "type: response.create\n\nuser: |\n  hello",
        )
        assert shown_message(answered, flow)[0] != "LLM"
        assert shown_message(answered, flow, "LLM")[1] == "\nassistant: |\n  Hel"

    def test_a_key_in_pieces_is_put_together_and_cut_out(self) -> None:
        original, sent = (
            b"".join(event(piece) for piece in ("The key: hunter2-", "hunter2-hunter2 ", word))
            for word in ("/opt/windsurf", MARKER)
        )
        flow = self.flow("/v1/chat/completions", b"{}", sent)
        flow.request.headers["authorization"] = f"Bearer {KEY}"
        flow.metadata[record.KEY] = {
            "protocol": "openai_chat",
            "kind": "generate",
            "outcome": "complete",
            "edits": [],
            "original_response": original,
            "response_bytes": [len(original), len(sent)],
        }
        assert "assistant: |\n  The key: *** <workspace>" in shown(flow, "response")[1]
        changed = shown(flow, "response", "Windsurf changes")[1]
        assert "-  The key: *** /opt/windsurf\n+  The key: *** <workspace>" in changed

    def test_other_kinds_of_flows(self) -> None:
        flow = tflow.ttcpflow()
        text = shown_message(flow.messages[0], flow, "LLM")[1]
        assert text == "# This is no message of an HTTP exchange."


class Failing:
    name = "Failing"

    def render(self, message: Message) -> str:
        raise RuntimeError("a\nb")

    priority: Any = render


def test_nothing_escapes_a_view() -> None:
    view = Failing()
    content_views.register([view])
    try:
        flow = tflow.tflow(resp=True)
        assert shown(flow, "request")[0] != "Failing"
        text = shown(flow, "request", "Failing")[1]
        assert text == "# This cannot be shown: RuntimeError('a\\nb')"
    finally:
        content_views.unregister([view])
