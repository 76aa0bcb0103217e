"""Answers of Gemini on their way: where held text goes, and what is left alone."""

import json
from typing import Any

import pytest

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.rewriter.signatures import Signatures
from playbook import ABORT, END, MODEL, PRIVATE, Json, Like, Playbook, event, run
from strategies import every


def element(*parts: Json, finish: str | None = None, **more: Any) -> bytes:
    return event(document(*parts, finish=finish, **more), eol="\r\n")


def document(*parts: Json, finish: str | None = None, **more: Any) -> Json:
    candidate: Json = {"content": {"parts": list(parts), "role": "model"}, **more}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": MODEL}


def text(said: str, **more: Any) -> Json:
    return {"text": said, **more}


def thought(said: str, **more: Any) -> Json:
    return {"text": said, "thought": True, **more}


def call(**args: Any) -> Json:
    return {"functionCall": {"name": "f", "args": args}}


@pytest.mark.parametrize("finish", ["STOP", "MAX_TOKENS"])
def test_held_text_rides_in_the_empty_part_that_finishes(finish: str) -> None:
    with Playbook("gemini") as stream:
        stream.holds(element(text("at /tmp/win")))
        stream >> element(text(""), finish=finish) << element(text("at /tmp/win"))
        stream << element(text(""), finish=finish)
        stream >> END


def test_a_part_that_is_there_for_its_signature_takes_no_text() -> None:
    last = element(text("", thoughtSignature="c2ln"), finish="STOP")
    with Playbook("gemini") as stream:
        stream >> element(text(f"at {PRIVATE}/a, /tmp/win")) << element(text("at <workspace>, "))
        stream >> last << Like(element(text("/tmp/win"))) << last
        stream >> END


def test_a_text_that_has_a_signature_stays_one_part() -> None:
    with Playbook("gemini") as stream:
        signed = text(f"{PRIVATE}/a is", thoughtSignature="c2ln")
        stream >> element(signed) << element({**signed, "text": "<workspace> is"})
        stream >> END


def test_held_text_goes_before_the_call_and_not_behind_it() -> None:
    last = element(call(a=1), text(""), finish="STOP")
    with Playbook("gemini") as stream:
        stream >> element(text(f"{PRIVATE}, I am Cas")) << element(text("<workspace>, I am "))
        stream >> last << Like(element(text("Cas"))) << last
        stream >> END


def test_held_text_goes_before_a_finish_without_content() -> None:
    last = event({"candidates": [{"finishReason": "STOP"}]})
    with Playbook("gemini") as stream:
        stream >> element(text(f"{PRIVATE}, I am Cas")) << element(text("<workspace>, I am "))
        stream >> last << Like(element(text("Cas"))) << last
        stream >> END


def test_a_bare_error_comes_behind_what_was_held() -> None:
    error = '{\r\n  "error": {\r\n    "message": "no %s"\r\n  }\r\n}\r\n'
    with Playbook("gemini") as stream:
        stream >> element(text(f"{PRIVATE}, I am Cas")) << element(text("<workspace>, I am "))
        stream >> (error % f"{PRIVATE}/a").encode()
        stream >> END << Like(element(text("Cas"))) << (error % "<workspace>").encode()
    assert b"data: {" in stream.output.rpartition(b"Cas")[0], "the SDK wants the space"


def test_a_stream_that_breaks_gives_back_what_was_held() -> None:
    with Playbook("gemini") as stream:
        stream >> element(text(f"{PRIVATE}, I am Cas")) << element(text("<workspace>, I am "))
        stream >> b'data: {"candi' >> ABORT << Like(element(text("Cas")))
        stream << b'data: {"candi'


def test_code_assist_gets_a_nested_element() -> None:
    def nested(*parts: Json, **more: Any) -> bytes:
        return event({"response": document(*parts, **more), "traceId": "t"})

    last = nested(call(a=1))
    with Playbook("gemini") as stream:
        stream >> nested(text(f"{PRIVATE}, I am Cas")) << nested(text("<workspace>, I am "))
        stream >> last << Like(nested(text("Cas"))) << last
        stream >> END


def test_streamed_arguments_are_scrubbed_over_their_pieces() -> None:
    def piece(path: str, said: str, *, more: bool = True) -> bytes:
        found = {"jsonPath": path, "stringValue": said} | ({"willContinue": True} if more else {})
        return element({"functionCall": {"partialArgs": [found], "willContinue": True}})

    with Playbook("gemini") as stream:
        stream >> piece("$.a", f"x {PRIVATE}/") << piece("$.a", "x <workspace>")
        stream >> piece("$.a", "b /opt/wind") << piece("$.a", " ")
        stream >> piece("$.a", "", more=False) << piece("$.a", "/opt/wind", more=False)
        stream.passes(piece("$.b", "/opt/windmill", more=False), element({"functionCall": {}}))
        stream >> END


def test_candidates_do_not_mix() -> None:
    with Playbook("gemini") as stream:
        stream.holds(element(text("I am Cas"), index=0))
        stream.holds(element(text("I am Cas"), index=1))
        stream >> element(text("cade."), index=1)
        stream << element(text("I am "), index=0) << element(text("I am "), index=1)
        stream << element(text(f"{MODEL}."), index=1)
        stream >> element(text("per"), index=0) << element(text("Casper"), index=0)
        stream >> END


def test_held_text_is_one_more_element_of_an_array() -> None:
    body = [document(text(f"{PRIVATE}, I am Cas")), document(call(a=1)), document(text("/tmp/win"))]
    raw = json.dumps(body).encode() + b"\n"
    for chunks in ([raw], every(raw, 1)):
        rewriter = ResponseRewriter("gemini", Layers(), model=MODEL, want_thinking=False)
        told = json.loads(run(rewriter, chunks))
        assert [one["candidates"][0]["content"]["parts"] for one in told] == [
            [text("<workspace>, I am ")],
            [text("Cas")],
            [call(a=1)],
            [text("/tmp/win")],
        ]


def test_tokens_of_a_changed_text_are_gone() -> None:
    token = {"token": PRIVATE, "logProbability": -0.5}
    logprobs = {"chosenCandidates": [token], "topCandidates": [{"candidates": [token]}]}
    [told] = run_whole(document(text(PRIVATE), logprobsResult=logprobs))
    assert told["logprobsResult"] == {"chosenCandidates": [], "topCandidates": []}
    [told] = run_whole(document(text("hi"), logprobsResult=logprobs))
    assert told["logprobsResult"] == logprobs


def run_whole(answer: Json) -> list[Json]:
    rewriter = ResponseRewriter("gemini", Layers(), model=MODEL, want_thinking=False)
    candidates: list[Json] = json.loads(run(rewriter, [json.dumps(answer).encode()]))["candidates"]
    return candidates


def test_an_upstream_that_signs_thoughts_gets_them_back_as_they_were() -> None:
    signatures = Signatures()
    said = f"Look in {PRIVATE}/a."

    def answered(*parts: Json) -> str:
        rewriter = ResponseRewriter(
            "gemini", Layers(), model=MODEL, want_thinking=True, signatures=signatures
        )
        return run(rewriter, map(element, parts)).decode()

    cleaned = answered(thought(said[:15]), thought(said[15:]), thought("", thoughtSignature="c2ln"))
    assert PRIVATE not in cleaned
    assert "c2ln" in cleaned
    history: Any = {"contents": [{"role": "model", "parts": [thought("Look in <workspace>.")]}]}
    history["contents"][0]["parts"][0]["thoughtSignature"] = "c2ln"
    sent = RequestRewriter("gemini", Layers(), signatures=signatures).rewrite(
        json.dumps(history).encode()
    )
    assert json.loads(sent)["contents"][0]["parts"][0]["text"] == said
    assert PRIVATE in answered(thought(said)), "now it is known that this upstream signs"


def test_signatures_on_calls_say_nothing_about_thoughts() -> None:
    signatures = Signatures()
    rewriter = ResponseRewriter(
        "gemini", Layers(), model=MODEL, want_thinking=True, signatures=signatures
    )
    run(rewriter, [element({**call(a=1), "thoughtSignature": "c2ln"})])
    assert not signatures.untouchable


@pytest.mark.parametrize("status", [200, 404])
def test_an_error_in_an_array_is_one(status: int) -> None:
    rewriter = ResponseRewriter(
        "gemini",
        Layers(),
        model=MODEL,
        want_thinking=False,
        status=status,
        content_type="application/json",
    )
    body = [{"error": {"code": 404, "message": f"no {PRIVATE}/a"}}]
    told = json.loads(run(rewriter, [json.dumps(body).encode()]))
    assert told == [{"error": {"code": 404, "message": "no <workspace>"}}]
