"""The code in docs/how-to/add-a-protocol.md works as it stands there."""

import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.wire import detect

PAGE = Path(__file__).parent.parent / "docs" / "how-to" / "add-a-protocol.md"
NAME = "cohere"


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    module = ModuleType(NAME)
    exec(compile(code, str(PAGE), "exec", dont_inherit=True), vars(module))
    monkeypatch.setitem(detect._MODULES, NAME, module)


def event(kind: str, index: int = 0, **message: object) -> bytes:
    document = {"type": kind, "index": index, "delta": {"message": message}}
    return f"event: {kind}\ndata: {json.dumps(document)}\n\n".encode()


def said(*pieces: str) -> list[bytes]:
    return [event("content-delta", content={"text": piece}) for piece in pieces]


def rewritten(*events: bytes) -> list[bytes]:
    rewriter = ResponseRewriter(NAME, Layers(), model="command-a", want_thinking=False)
    return [chunk for one in events for chunk in rewriter.feed(one)] + rewriter.flush()


def test_a_stream_without_a_match_passes() -> None:
    events = [*said("In ", "/op", "t/x."), event("content-end"), event("message-end")]
    assert b"".join(rewritten(*events)) == b"".join(events)


def test_texts_plans_and_arguments_are_cleaned() -> None:
    plan = event("tool-plan-delta", tool_plan="Look into /opt/windsurf/a")
    call = event("tool-call-delta", 1, tool_calls={"function": {"arguments": '{"p":"/opt/w'}})
    rest = event("tool-call-delta", 1, tool_calls={"function": {"arguments": 'indsurf/a"}'}})
    out = b"".join(rewritten(plan, call, rest, *said("I am Cas", "cade."), event("message-end")))
    assert b"windsurf" not in out
    assert b"Cascade" not in out
    assert b"command-a" in out


def test_what_is_held_goes_out_in_an_event_of_its_own() -> None:
    out = b"".join(rewritten(*said("/opt/windsurf/a and /opt/"), event("content-end")))
    texts = re.findall(rb'"text": ?"([^"]*)"', out)
    assert texts == [b"<workspace> and ", b"/opt/"]
    assert out.endswith(event("content-end"))


def test_a_whole_answer() -> None:
    body = b'{"message": {"content": [{"type": "text", "text": "At /opt/windsurf/a."}]}}'
    rewriter = ResponseRewriter(NAME, Layers(), model=None, want_thinking=False)
    out = b"".join([*rewriter.feed(body), *rewriter.flush()])
    assert out == body.replace(b"/opt/windsurf/a", b"<workspace>")


def test_a_prompt_is_neutralized() -> None:
    prompt = "You are Claude Code, Anthropic's official CLI for Claude."
    body = json.dumps({"messages": [{"role": "system", "content": prompt}]}).encode()
    assert prompt.encode() not in RequestRewriter(NAME, Layers()).rewrite(body)
