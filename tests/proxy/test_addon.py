"""The addon as a whole: live options, failures inside, what it writes and what it never writes."""

import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mitmproxy_windsurf.proxy.addon import Windsurf
from mitmproxy_windsurf.proxy.exchange import Engine
from mitmproxy_windsurf.rewriter import RequestRewriter, ResponseRewriter
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import Proxy, load_flows
from proxy.http1 import Out, Request, ask, connected
from proxy.messages import (
    CHAT,
    DONE,
    MARKER,
    MESSAGES,
    NEUTRAL,
    PRIVATE,
    TRIGGER,
    chat_answer,
    chat_request,
    event,
    said,
)

TOUCHED = chat_request(TRIGGER)
NEUTRALIZED = chat_request(NEUTRAL)


async def leak(request: Request, out: Out) -> None:
    await out.events("see ", PRIVATE)
    await out.chunk(DONE)
    await out.end()


CLEAN = event("see ") + event(MARKER) + DONE
LEAKING = event("see ") + event(PRIVATE) + DONE


def our_lines(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    ours = (record for record in caplog.records if record.name == "mitmproxy_windsurf")
    return [record.getMessage() for record in ours if record.levelno == level]


# Options


async def test_a_live_change_applies_to_the_next_request(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    for on in (True, False, True):
        proxy.master.options.update(windsurf_paths=on, windsurf_neutralize=on)
        reply = await ask(proxy.port, "POST", CHAT, TOUCHED)
        assert reply.body == (CLEAN if on else LEAKING)
        assert upstream.requests[-1].body == (NEUTRALIZED if on else TOUCHED)


async def test_a_live_change_leaves_a_running_stream_alone(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.events("see ")
        await out.go_on.wait()
        await out.chunk(event(PRIVATE) + DONE)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        await client.send("POST", CHAT, TOUCHED)
        await client.seen(b"see ")
        proxy.master.options.update(windsurf_paths=False)
        upstream.go_on()
        assert (await client.reply()).body == CLEAN


async def test_a_bad_live_change_is_rolled_back(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    with pytest.raises(Exception, match="windsurf_max_frame: 'huge' is not a size"):
        proxy.master.options.update(windsurf_max_frame="huge", windsurf_paths=False)
    assert proxy.addon.settings.layers.paths
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN


async def test_the_embedded_upstream_comes_and_goes_with_the_option(
    start_proxy: StartProxy, start_upstream: StartUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_demo_pace="0")
    (start,) = (line for line in our_lines(caplog, logging.INFO) if "point clients" in line)
    assert proxy.url in start
    assert "built-in demo" in start
    assert "neutralize, paths, identity, dedup" in start
    for _ in range(2):
        reply = await ask(proxy.port, "POST", CHAT, chat_request("Be brief."))
        assert reply.status == 200
        assert b"chat.completion.chunk" in reply.body
        proxy.master.options.update(windsurf_upstream=upstream.url)
        assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN
        proxy.master.options.update(windsurf_upstream="", windsurf_demo_pace="0.001")


async def test_a_backend_answers_behind_the_embedded_upstream(
    start_proxy: StartProxy, start_upstream: StartUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKEND_KEY", "own")
    backend = await start_upstream(leak)
    proxy = await start_proxy(
        windsurf_backend=f"{backend.url}/v1", windsurf_backend_model=["claude-*=qwen3:8b"]
    )
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN
    proxy.master.options.update(windsurf_backend_key_env="BACKEND_KEY")
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN
    assert [request.target for request in backend.requests] == [CHAT, CHAT]
    assert [json.loads(it.body)["model"] for it in backend.requests] == ["qwen3:8b"] * 2
    keys = [request.headers.get("authorization") for request in backend.requests]
    assert keys == [None, "Bearer own"]
    proxy.master.options.update(windsurf_backend="demo")
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).status == 200
    assert len(backend.requests) == 2


async def test_the_demo_shows_what_the_layers_are_for(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_demo_pace="0", windsurf_neutralize=False)
    body = chat_request(TRIGGER).replace(b'"hi"', b'"leak"')
    assert (await ask(proxy.port, "POST", CHAT, body)).status == 529
    assert (await proxy.flow()).comment == "blocked: HTTP 529"
    proxy.master.options.update(windsurf_neutralize=True)
    reply = await ask(proxy.port, "POST", CHAT, body)
    assert reply.status == 200
    assert MARKER in said(reply.body)
    assert "windsurf-workspace" not in said(reply.body)
    assert "claude-opus-4-6" in said(reply.body)
    comment = (await proxy.flows.count(2))[1].comment
    assert re.fullmatch(r"a1×1 −26 B · .*paths×.*", comment)


async def test_the_embedded_upstream_refuses_rebound_names(start_proxy: StartProxy) -> None:
    proxy = await start_proxy()
    assert (await ask(proxy.port, "GET", "/v1/models", host="evil.example")).status == 403
    assert (await ask(proxy.port, "GET", "/v1/models", host="localhost:1")).status == 200
    proxy.master.options.update(windsurf_allow_remote=True)
    assert (await ask(proxy.port, "GET", "/v1/models", host="my.machine")).status == 200


async def test_rules_of_the_users_own(
    start_proxy: StartProxy,
    start_upstream: StartUpstream,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    pack = tmp_path / "mine.toml"

    def write(replacement: str) -> None:
        pack.write_text(
            '[[rule]]\nid = "mine"\nsummary = "s"\ntargets = ["system"]\nevidence = "e"\n'
            f'kind = "phrase"\nwords = ["Be brief"]\nreplacement = "{replacement}"\n'
            f'[[rule.examples]]\nbefore = "Be brief."\nafter = "{replacement}."\n',
            "utf-8",
        )

    write("Be short")
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_rules=[str(pack)])
    for replacement in ("Be short", "Be quick"):
        write(replacement)
        await ask(proxy.port, "POST", CHAT, chat_request())
        assert upstream.requests[-1].body == chat_request(f"{replacement}.")
    pack.write_text("[[rule", "utf-8")
    for _ in range(2):
        await ask(proxy.port, "POST", CHAT, chat_request())
        assert upstream.requests[-1].body == chat_request("Be quick.")
    assert len([line for line in our_lines(caplog, logging.WARNING) if "mine.toml" in line]) == 1
    proxy.master.options.update(windsurf_disabled_rules=["a1"], windsurf_rules=[])
    await ask(proxy.port, "POST", CHAT, TOUCHED)
    assert upstream.requests[-1].body == TOUCHED


async def test_a_rule_that_is_off_by_default_can_be_switched_on(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    opening = (
        "You are Cline, an AI coding agent. Your primary goal is to assist users with various "
        "coding tasks by leveraging your knowledge and the tools at your disposal."
    )
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    await ask(proxy.port, "POST", CHAT, chat_request(opening))
    assert upstream.requests[-1].body == chat_request(opening)
    proxy.master.options.update(windsurf_enabled_rules=["cline-opening"])
    await ask(proxy.port, "POST", CHAT, chat_request(opening))
    assert upstream.requests[-1].body != chat_request(opening)


async def test_the_longest_event_that_is_read(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    long = event("x" * 2000 + f" {PRIVATE}")

    async def script(request: Request, out: Out) -> None:
        await out.head(content_type="text/event-stream", transfer_encoding="chunked")
        for chunk in (long, event(PRIVATE), DONE):
            await out.chunk(chunk)
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_max_frame="1 KiB")
    reply = await ask(proxy.port, "POST", CHAT, chat_request())
    assert reply.body == long + event(MARKER) + DONE
    assert len((await proxy.flow()).metadata["windsurf"]["warnings"]) == 1


# Failures inside


class BrokenResponse(ResponseRewriter):
    """Breaks its promise not to raise, at the step that is named."""

    step = ""

    def feed(self, data: bytes) -> list[bytes]:
        if self.step == "feed" and b"wind" in data:
            raise RuntimeError("secret-of-the-wire\x1b[2J")
        return super().feed(data)

    def flush(self) -> list[bytes]:
        if self.step == "flush":
            raise RuntimeError("broken")
        return super().flush()


def broken(step: str) -> Callable[..., ResponseRewriter]:
    if step == "new":

        def fail(*args: Any, **options: Any) -> ResponseRewriter:
            raise RuntimeError("broken")

        return fail
    return type("Broken", (BrokenResponse,), {"step": step})


@pytest.mark.parametrize("step", ["new", "feed", "flush"])
@pytest.mark.parametrize("streamed", [True, False])
async def test_a_failing_response_layer_passes_the_raw_bytes(
    start_proxy: StartProxy,
    start_upstream: StartUpstream,
    caplog: pytest.LogCaptureFixture,
    step: str,
    streamed: bool,
) -> None:
    async def script(request: Request, out: Out) -> None:
        if streamed:
            await leak(request, out)
        else:
            await out.body(chat_answer(PRIVATE))

    upstream = await start_upstream(script)
    addon = Windsurf(engine=Engine(response=broken(step)))
    proxy = await start_proxy(addon, windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, chat_request(stream=streamed))
    assert reply.complete
    if streamed:
        assert reply.body == (CLEAN if step == "flush" else LEAKING)
    else:
        assert reply.body == chat_answer(PRIVATE)
    flow = await proxy.flow()
    assert len(flow.metadata["windsurf"]["warnings"]) == 1
    assert flow.marked == ":warning:"
    warnings = our_lines(caplog, logging.WARNING)
    assert len(warnings) == 1
    assert "\x1b" not in warnings[0]


async def test_a_failing_request_layer_passes_the_request_as_it_came(
    start_proxy: StartProxy, start_upstream: StartUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(RequestRewriter):
        def rewrite(self, body: bytes) -> bytes:
            raise RuntimeError("broken")

    upstream = await start_upstream(leak)
    addon = Windsurf(engine=Engine(request=Broken))
    proxy = await start_proxy(addon, windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED)
    assert reply.body == CLEAN
    assert upstream.requests[0].body == TOUCHED
    assert len(our_lines(caplog, logging.WARNING)) == 1


# What is written


async def test_the_account_survives_saving_and_loading(
    start_proxy: StartProxy, start_upstream: StartUpstream, tmp_path: Path
) -> None:
    upstream = await start_upstream(leak)
    path = tmp_path / "flows.mitm"
    proxy = await start_proxy(windsurf_upstream=upstream.url, save_stream_file=str(path))
    lone_surrogate = r"\ud800"
    await ask(proxy.port, "POST", CHAT, chat_request(f"{TRIGGER} {lone_surrogate}"))
    flow = await proxy.flow()
    proxy.master.options.update(save_stream_file=None)
    (saved,) = load_flows(path)
    assert saved.metadata == flow.metadata
    assert saved.comment == flow.comment
    assert saved.comment.endswith("B · paths×1")
    assert saved.marked == flow.marked == ":pencil2:"
    assert saved.metadata["windsurf"]["original_response"] == LEAKING
    assert saved.response
    assert saved.response.content == CLEAN


SECRETS = {
    "authorization": "Bearer sk-ant-0123456789",
    "x_api_key": "xk-0123456789",
    "cookie": "session=cookie-0123456789; a=b",
    "x_goog_api_key": "goog-0123456789",
}


async def test_keys_are_nowhere(
    start_proxy: StartProxy, start_upstream: StartUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "mitmproxy_windsurf")

    async def script(request: Request, out: Out) -> None:
        await out.events(f"{PRIVATE} sk-ant-0123456789 goog-0123456789 query-0123456789")
        await out.end()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    values = ["sk-ant-", "xk-", "cookie-", "goog-", "query-"]
    body = json.dumps(
        {
            "model": "m sk-ant-0123456789",
            "stream": True,
            "messages": [{"role": "system", "content": f"{TRIGGER} {' '.join(SECRETS.values())}"}],
        }
    )
    target = f"{CHAT}?key=query-0123456789"
    await ask(
        proxy.port,
        "POST",
        target,
        body.encode(),
        user_agent="curl/8 sk-ant-0123456789",
        **SECRETS,
    )
    flow = await proxy.flow()
    written = [str(flow.metadata), flow.comment, *our_lines(caplog, logging.INFO)]
    written += our_lines(caplog, logging.WARNING) + our_lines(caplog, logging.DEBUG)
    assert flow.metadata["windsurf"]["original_request"]
    assert flow.metadata["windsurf"]["original_response"]
    for value in values:
        assert not [text for text in written if f"{value}0123456789" in text]


async def test_log_lines_cannot_be_forged_and_there_is_one_for_each_flow(
    start_proxy: StartProxy, start_upstream: StartUpstream, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    body = TOUCHED.replace(b"claude-opus-4-6", rb"m\u001b[2J\nforged")
    await ask(proxy.port, "POST", CHAT, body)
    await proxy.flow()
    lines = [line for line in our_lines(caplog, logging.INFO) if "point clients" not in line]
    assert len(lines) == 1
    assert r"m\x1b[2J\nforged: a1×1" in lines[0]
    assert "Claude Code" not in lines[0]


async def test_a_comment_and_a_mark_of_the_users_stay(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    class Marker:
        def requestheaders(self, flow: Any) -> None:
            flow.comment, flow.marked = "mine", ":ocean:"

    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    proxy.master.addons.add(Marker())
    await ask(proxy.port, "POST", CHAT, TOUCHED)
    flow = await proxy.flow()
    assert (flow.comment, flow.marked) == ("mine", ":ocean:")
    assert flow.metadata["windsurf"]["comment"]


@pytest.mark.parametrize(("size", "kept"), [("off", False), ("10", False), ("1k", True)])
async def test_originals_are_capped(
    start_proxy: StartProxy, start_upstream: StartUpstream, size: str, kept: bool
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_keep_originals=size)
    await ask(proxy.port, "POST", CHAT, TOUCHED)
    account = (await proxy.flow()).metadata["windsurf"]
    assert (account["original_request"] is not None) is kept
    assert (account["original_response"] is not None) is kept


async def test_a_block_is_marked(start_proxy: StartProxy, start_upstream: StartUpstream) -> None:
    async def script(request: Request, out: Out) -> None:
        await out.body(b'{"error":{"code":"permission_denied"}}', 400)

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url, windsurf_neutralize=False)
    await ask(proxy.port, "POST", CHAT, TOUCHED)
    flow = await proxy.flow()
    assert flow.comment == "blocked: HTTP 400"
    assert flow.marked == ":no_entry:"


# Dedup and signatures, where the proxy knows what the rewriter needs


def thinking_answer(signature: str) -> list[bytes]:
    def frame(name: str, rest: str) -> bytes:
        return f'event: {name}\ndata: {{"type":"{name}",{rest}}}\n\n'.encode()

    delta = "content_block_delta"
    return [
        frame("message_start", '"message":{"id":"m","role":"assistant","content":[]}'),
        frame("content_block_start", '"index":0,"content_block":{"type":"thinking"}'),
        frame(delta, f'"index":0,"delta":{{"type":"thinking_delta","thinking":"in {PRIVATE}"}}'),
        frame(delta, f'"index":0,"delta":{{"type":"signature_delta","signature":"{signature}"}}'),
        frame("content_block_stop", '"index":0'),
        frame("content_block_start", '"index":1,"content_block":{"type":"text","text":""}'),
        frame(delta, f'"index":1,"delta":{{"type":"text_delta","text":"in {PRIVATE}"}}'),
        frame("content_block_stop", '"index":1'),
        frame("message_delta", '"delta":{"stop_reason":"end_turn"}'),
        frame("message_stop", '"x":0'),
    ]


def thinking_request(history: str = "") -> bytes:
    return (
        '{"model":"claude-opus-4-6","stream":true,"max_tokens":9,"thinking":{"type":"adaptive"},'
        f'"messages":[{{"role":"user","content":"hi"}}{history}]}}'
    ).encode()


async def thinking(request: Request, out: Out) -> None:
    await out.head(content_type="text/event-stream", transfer_encoding="chunked")
    for frame in thinking_answer("EqQBCkYIBxgCKkBTSUdOQVRVUkU="):
        await out.chunk(frame)
    await out.end()


async def ask_thinking(proxy: Proxy, agent: str, history: str = "") -> str:
    reply = await ask(proxy.port, "POST", MESSAGES, thinking_request(history), user_agent=agent)
    assert reply.complete
    return reply.body.decode()


async def test_an_answer_that_repeats_the_reasoning(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(thinking)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    assert f'"text":"in {MARKER}"' not in await ask_thinking(proxy, "curl/8")
    assert (await proxy.flow()).comment.endswith(f"dedup dropped {len(f'in {PRIVATE}')}")
    assert f'"text":"in {MARKER}"' in await ask_thinking(proxy, "GeminiCLI/0.61.0/gemini (linux)")
    flow = (await proxy.flows.count(2))[1]
    assert "dedup kept the answer" in flow.comment
    proxy.master.options.update(windsurf_visible_answer_clients=["curl"])
    assert f'"text":"in {MARKER}"' in await ask_thinking(proxy, "curl/8")


async def test_signed_thinking_comes_back_as_it_was_signed(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(thinking)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    assert f'"thinking":"in {MARKER}"' in await ask_thinking(proxy, "claude-cli/2")
    history = (
        ',{"role":"assistant","content":[{"type":"thinking",'
        f'"thinking":"in {MARKER}","signature":"EqQBCkYIBxgCKkBTSUdOQVRVUkU="}}]}}'
    )
    # From now on the upstream is known to sign, so its thinking is left alone.
    assert f'"thinking":"in {PRIVATE}"' in await ask_thinking(proxy, "claude-cli/2", history)
    assert upstream.requests[1].body == thinking_request(history.replace(MARKER, PRIVATE))
    proxy.master.options.update(windsurf_signed_thinking="scrub")
    assert f'"thinking":"in {MARKER}"' in await ask_thinking(proxy, "claude-cli/2")
