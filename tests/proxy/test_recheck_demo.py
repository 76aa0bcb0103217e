"""Whatever the demo answers: what was just done is what today's layers would do again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mitmproxy_windsurf.debug.case import replay
from mitmproxy_windsurf.upstream.demo.scenarios import SCENARIOS
from proxy.conftest import StartProxy
from proxy.http1 import Upstream
from proxy.messages import CHAT, MESSAGES, TRIGGER
from proxy.session import Session

WORDS = [scenario.keywords[0] for scenario in SCENARIOS if scenario.tempo <= 1]


def asked(path: str) -> Iterator[bytes]:
    """Each scenario, streamed and whole."""
    for word in WORDS:
        for stream in (True, False):
            body: dict[str, Any] = {"model": "claude-opus-4-6", "max_tokens": 99}
            body |= {"stream": stream, "messages": [{"role": "user", "content": word}]}
            if path == MESSAGES:
                body["system"] = [{"type": "text", "text": TRIGGER}]
                body["thinking"] = {"type": "enabled", "budget_tokens": 50}
            else:
                body["messages"].insert(0, {"role": "system", "content": TRIGGER})
                body["reasoning_effort"] = "high"
            yield json.dumps(body).encode()


@pytest.mark.parametrize("path", [MESSAGES, CHAT])
async def test_what_was_done_would_be_done_again(
    start_proxy: StartProxy, tmp_path: Path, path: str
) -> None:
    session = Session(await start_proxy(windsurf_demo_pace="0"), Upstream(0))
    for body in asked(path):
        await session.ask(body, path, user_agent="claude-cli/2.1")
    flows = session.view.resolve("@all")
    report = session.call("recheck", "@all")
    assert f"{len(flows)} exchanges: {len(flows)} as they were sent" in report
    for flow in flows:
        case = tmp_path / f"{flow.id}.json"
        session.call("case", f"@{flow.id}", str(case))
        assert replay(json.loads(case.read_text("utf-8"))) == []
        assert session.call("explain", f"@{flow.id}")
        assert session.call("diff", f"@{flow.id}")
