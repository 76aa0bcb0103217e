"""An exchange as a small test case: a JSON file that needs neither mitmproxy nor a network.

A case holds the request as its client sent it, the answer in the frames that its upstream sent, the
layers, and what is expected of them. It has no headers, and no key in its bodies. `replay` runs it
and tells what comes out otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mitmproxy_windsurf.debug.keys import censor
from mitmproxy_windsurf.debug.recorded import Recorded, Rerun, rerun
from mitmproxy_windsurf.prompts import RuleSet
from mitmproxy_windsurf.rewriter import Layers
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.wire.framers import framer_of

VERSION = 1

_LAYERS = ("neutralize", "paths", "identity", "dedup", "private_paths", "map_workspace", "vendors")
_TEXT = "utf-8", "surrogateescape"
"""Bytes that are no UTF-8 become lone surrogates, and these bytes again."""


class CaseError(ValueError):
    """What cannot be made into a case, or is none."""


def make(exchange: Recorded, layers: Layers) -> dict[str, Any]:
    """The case of an exchange, expecting what these layers make of it today.

    Raises:
        CaseError: says what is missing.
    """
    original, answer = exchange.client_request, exchange.upstream_response
    if not exchange.protocol:
        raise CaseError("this is no request of a model")
    if original is None:
        raise CaseError("the client's request was not kept (windsurf_keep_originals)")
    if exchange.response and answer is None:
        raise CaseError("the upstream's answer was not kept (windsurf_keep_originals)")
    rules = layers.rules or RuleSet()
    case: dict[str, Any] = {
        "version": VERSION,
        "protocol": exchange.protocol,
        "layers": {name: getattr(layers, name) for name in _LAYERS},
        "rules": [rule.id for rule in rules.rules if rules.is_on(rule)],
        "status": exchange.status,
        "content_type": exchange.content_type,
        "keep_visible": exchange.keep_visible,
        "broken": exchange.broken,
        "request": censor(original.decode(*_TEXT)),
        "response": None,
    }
    if exchange.protocol == "gemini":
        case["path"] = exchange.path  # it names the model
    if answer is not None:
        case["response"] = [censor(frame) for frame in _frames(case, answer)]
    case["expected"] = _outcome(case, rules)
    return case


def replay(case: Mapping[str, Any], *, rules: RuleSet | None = None) -> list[str]:
    """What comes out otherwise than the case expects, one line each.

    `rules` are all that there are, as a case names rules and does not hold them; without, the
    shipped ones. Those that the case does not know are off.

    Raises:
        CaseError: this is no case.
    """
    try:
        found = _outcome(case, rules or RuleSet())
        expected = case["expected"]
        return [
            f"{name}: expected {expected[name]!r}, found {found[name]!r}"
            for name in found
            if found[name] != expected[name]
        ]
    except (KeyError, TypeError, AttributeError) as error:
        raise CaseError(f"this is no case: {error!r}") from error


def dumped(case: Mapping[str, Any]) -> str:
    """The text of the file."""
    text = json.dumps(case, ensure_ascii=False, indent=1)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(case, indent=1)
    return text + "\n"


def _run(case: Mapping[str, Any], rules: RuleSet) -> Rerun:
    known = [rule.id for rule in rules.rules]
    on = set(case["rules"]) & set(known)
    layers = case["layers"] | {"private_paths": tuple(case["layers"]["private_paths"])}
    answer = case["response"]
    return rerun(
        Recorded(
            case["protocol"],
            None,
            status=case["status"],
            content_type=case["content_type"],
            path=case.get("path", ""),
            keep_visible=case["keep_visible"],
            broken=case["broken"],
        ),
        Layers(**layers, rules=rules.switched(on=on, off=set(known) - on)),
        request=case["request"].encode(*_TEXT),
        response=None if answer is None else [chunk.encode(*_TEXT) for chunk in answer],
    )


def _outcome(case: Mapping[str, Any], rules: RuleSet) -> dict[str, Any]:
    """What comes out of a case, in the form in which it is expected."""
    run = _run(case, rules)
    answer = None if run.response is None else _frames(case, run.response)
    edits = [_edit("request", edit) for edit in run.request_edits]
    edits += [_edit("response", edit) for edit in run.response_edits]
    return {"request": run.request.decode(*_TEXT), "response": answer, "edits": edits}


def _edit(side: str, edit: Edit) -> dict[str, str]:
    return {"side": side, "layer": edit.layer, "rule": edit.rule, "place": edit.place}


def _frames(case: Mapping[str, Any], body: bytes) -> list[str]:
    """An answer event by event, or in one piece if it is one document."""
    first = body.lstrip()[:1]
    framer = framer_of(case["protocol"], case["content_type"], first)
    if framer is None or case["status"] >= 400:
        pieces = [body]
    else:
        cutter = framer()
        pieces = [frame.raw for frame in (*cutter.feed(body), *cutter.flush())]
    return [piece.decode(*_TEXT) for piece in pieces]
