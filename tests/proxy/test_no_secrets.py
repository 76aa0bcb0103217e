"""No key, token or cookie gets into anything that we write: one test over all outputs.

The flow itself holds the request as it came, headers and all, and so does a file of flows: that is
mitmproxy's business. Ours is every copy that we make.
"""

import json
import logging
from pathlib import Path

import pytest

from debug.test_keys import KEYS
from mitmproxy_windsurf.proxy.record import KEY
from proxy.conftest import StartProxy, StartUpstream
from proxy.http1 import Out, Request, ask
from proxy.messages import CHAT, DONE, PRIVATE, TRIGGER, event
from proxy.session import Session

BY_NAME = {
    "authorization": "plain-words-for-a-bearer",
    "x_api_key": "plain-words-for-a-key",
    "x_goog_api_key": "plain-words-for-another",
    "proxy_authorization": "plain-words-for-a-proxy",
    "cookie": "plain-words-for-a-cookie",
    "key": "plain-words-for-a-query",
}
"""Secrets that are known by the header or the parameter they come in, and by nothing else."""

ECHO = " ".join(BY_NAME.values())
KEYED = " ".join(KEYS.values())
RULE = """
[[rule]]
id = "all"
kind = "line"
opening = "Use these keys:"
replacement = "Use them."
"""


def request(number: int) -> bytes:
    """Keys beside, in and around what is rewritten."""
    system = [
        f"{TRIGGER} {KEYED} {ECHO}",
        f"Use these keys: {KEYED} {ECHO}",
        f"You are Claude Code, the {ECHO} tool. Turn {number} {KEYED}",
    ]
    messages = [
        {"role": "system", "content": "\n\n".join(system)},
        {"role": "user", "content": "x"},
    ]
    body = {"model": f"m {KEYS['aws']} {ECHO}", "stream": True, "messages": messages}
    return json.dumps(body).encode()


async def tell_all(request: Request, out: Out) -> None:
    """An upstream that echoes what it got, in answers, errors and types."""
    if b"Turn 3" in request.body:
        await out.body(json.dumps({"error": f"{PRIVATE} {ECHO} {KEYED} policy"}).encode(), 403)
    elif b"Turn 4" in request.body:
        await out.head(content_type="text/event-stream", transfer_encoding="chunked")
        await out.chunk(b"data: {" + ECHO.encode() + b"\n\n")
        out.reset()
    else:
        await out.events(f"{PRIVATE}/{ECHO.replace(' ', '/')} ", f"{KEYED} ", f"{PRIVATE} {ECHO}")
        await out.chunk(event("I am Cascade. ") + DONE)
        await out.end()


@pytest.mark.parametrize("shadow", [False, True])
async def test_no_secret_appears_in_any_output(
    start_proxy: StartProxy,
    start_upstream: StartUpstream,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    shadow: bool,
) -> None:
    caplog.set_level(logging.DEBUG, "mitmproxy_windsurf")
    rules = tmp_path / "rules.toml"
    rules.write_text(RULE, "utf-8")
    upstream = await start_upstream(tell_all)
    session = Session(
        await start_proxy(
            windsurf_upstream=upstream.url,
            windsurf_rules=[str(rules)],
            windsurf_shadow=shadow,
            windsurf_metrics=True,
        ),
        upstream,
    )
    headers = {name: f"Bearer {BY_NAME[name]}" for name in ("authorization", "proxy_authorization")}
    headers |= {name: BY_NAME[name] for name in ("x_api_key", "x_goog_api_key")}
    headers["cookie"] = f"a=1; session={BY_NAME['cookie']}"
    headers["user_agent"] = f"agent/{BY_NAME['x_api_key']} {KEYS['github']}"
    for number in range(1, 5):
        await session.ask(request(number), f"{CHAT}?key={BY_NAME['key']}", **headers)
    flows = session.view.resolve("@all")
    outputs: dict[str, str] = {}
    bodies: dict[str, str] = {}
    for number, flow in enumerate(flows):
        account = dict(flow.metadata[KEY])
        for side in ("original_request", "original_response"):
            bodies[f"{number} {side}"] = repr(account.pop(side))
        outputs[f"{number} metadata"] = repr(account)
        outputs[f"{number} comment"] = flow.comment
        for name in ("explain", "diff"):
            outputs[f"{number} {name}"] = session.call(name, f"@{flow.id}")
        path = tmp_path / f"{number}.json"
        outputs[f"{number} case"] = session.call("case", f"@{flow.id}", str(path))
        outputs[f"{number} case file"] = path.read_text("utf-8")
        outputs[f"{number} resend"] = session.call("resend", f"@{flow.id}", "-a1")
    await session.proxy.flows.count(8)
    session.proxy.master.options.update(windsurf_disabled_rules=["a1", "all"], windsurf_paths=False)
    for name in ("recheck", "cache"):
        outputs[name] = session.call(name, "@all")
    for name in ("status", "rules"):
        outputs[name] = session.call(name)
    outputs["metrics"] = (await ask(session.proxy.port, "GET", "/_windsurf/metrics")).body.decode()
    outputs["log"] = "\n".join(record.getMessage() for record in caplog.records)
    assert "blocked: HTTP 403" in outputs["2 comment"]
    assert "would differ" in outputs["recheck"]
    assert "byte " in outputs["cache"]
    for name, text in outputs.items():
        found = [secret for secret in (*BY_NAME.values(), *KEYS.values()) if secret in text]
        assert not found, name
    for name, text in bodies.items():  # beside the very bodies, in which a prompt's own keys stand
        assert not [secret for secret in BY_NAME.values() if secret in text], name
