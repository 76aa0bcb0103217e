"""Recorded exchanges for tests, made the way they come about: by the layers themselves."""

import json
from typing import Any

from mitmproxy_windsurf.debug.recorded import Recorded, rerun
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.text.edits import Edit

TRIGGER = "You are Claude Code, Anthropic's official CLI for Claude."
NEUTRAL = "You are an AI coding assistant."
PRIVATE = "/tmp/windsurf-workspace/a.py"
MODEL = "claude-opus-4-6"


def request(system: str = "Be brief.", prompt: str = "hi", **members: Any) -> bytes:
    """A request to the Messages API."""
    messages = [{"role": "user", "content": prompt}]
    body = {"model": MODEL, "max_tokens": 9, "system": system, "messages": messages} | members
    return json.dumps(body).encode()


def answer(text: str) -> bytes:
    """A whole answer of the Messages API."""
    content = [{"type": "text", "text": text}]
    return json.dumps({"type": "message", "role": "assistant", "content": content}).encode()


def exchange(
    asked: bytes, answered: bytes | None = None, *, layers: Layers | None = None, **more: Any
) -> Recorded:
    """What the proxy would have recorded, originals and all."""
    layers = layers or Layers()
    account = more.pop("record", {})
    bare = Recorded("anthropic", asked, answered, content_type="application/json", **more)
    done = rerun(bare, layers, request=asked, response=None if answered is None else [answered])
    record: dict[str, Any] = {
        "protocol": "anthropic",
        "kind": "generate",
        "layers": ["neutralize", "paths", "identity", "dedup"],
        "shadow": layers.shadow,
        "edits": [entry("request", edit) for edit in done.request_edits]
        + [entry("response", edit) for edit in done.response_edits],
        "outcome": "complete",
    }
    for side, before, after in (
        ("request", asked, done.request),
        ("response", answered, done.response),
    ):
        if before is not None and after is not None and before != after:
            record[f"{side}_bytes"] = [len(before), len(after)]
            record[f"original_{side}"] = before
    return Recorded(
        "anthropic",
        done.request,
        done.response,
        content_type="application/json",
        record=record | account,
        **more,
    )


def entry(side: str, edit: Edit) -> dict[str, Any]:
    """An edit as it stands in the account."""
    return {
        "side": side,
        "layer": edit.layer,
        "rule": edit.rule,
        "place": edit.place,
        "count": 1,
        "bytes_before": len(edit.before.encode()),
        "bytes_after": len(edit.after.encode()),
        "before": edit.before,
        "after": edit.after,
    }
