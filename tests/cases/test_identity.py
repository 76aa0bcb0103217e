"""Cases of layer 3 that are told in a sentence: where a claim is corrected and where not."""

from casebook import case, covers
from mitmproxy_windsurf.text.identity import rewrite_identity
from mitmproxy_windsurf.text.paths import MARKER
from traffic import CALL, MODEL, PRIVATE, each_protocol, render, rewrite, said, texts


@covers("I-25")
def test_without_a_model_nothing_is_rewritten() -> None:
    assert rewrite_identity(case("I-25").text, None) == case("I-25").text


@covers("I-59")
def test_fetched_documents_keep_their_claims() -> None:
    [event] = case("I-59").input["events"]
    event = {"tool_result": f"{event['tool_result']} See {PRIVATE}/a."}
    stream = rewrite("anthropic", render("anthropic", [event]))
    wanted = event["tool_result"].replace(f"{PRIVATE}/a", MARKER)
    assert texts("anthropic", stream, "tool_result") == wanted


@each_protocol
@covers("I-60")
def test_held_text_goes_out_before_a_tool_call(protocol: str) -> None:
    events = [{"text": "I am Casc"}, *case("I-60").input["events"]]
    stream = rewrite(protocol, render(protocol, events))
    assert [(piece.channel, piece.text) for piece in said(protocol, stream)] == [
        ("text", "I am CascNow the "),
        ("tool_args_delta", "{}"),
        ("text", "done"),
    ]
    stream = rewrite(protocol, render(protocol, [{"text": "I am Casc"}, {"tool_call": CALL}]))
    assert [piece.channel for piece in said(protocol, stream)] == ["text", "tool_args_delta"]


@each_protocol
@covers("I-61")
def test_thinking_says_the_same_as_text(protocol: str) -> None:
    stream = rewrite(protocol, render(protocol, case("I-61").input["events"]))
    assert texts(protocol, stream, "reasoning") == f"I am {MODEL}, so I will look."
