"""What a changed text takes with it in Chat: positions that count into it, copies of all of it, and
where the prompt comes back."""

import json
from typing import Any

from mitmproxy_windsurf.rewriter import Layers, RequestRewriter, ResponseRewriter
from mitmproxy_windsurf.rewriter.echoes import Echoes
from playbook import END, Json, Playbook, chunk, chunks

PATH = "/opt/windsurf/a.py"


def noted(start: int, end: int, **delta: Any) -> bytes:
    place = {"start_index": start, "end_index": end, "url": "https://example.org"}
    return chunk(annotations=[{"type": "url_citation", "url_citation": place}], **delta)


def test_a_citation_moves_with_the_text() -> None:
    with Playbook("openai_chat") as stream:
        (
            stream
            >> chunk(content=f"In {PATH}, it says yes")
            << chunk(content="In <workspace>, it says yes")
        )
        before, after = len(f"In {PATH}, "), len("In <workspace>, ")
        stream >> noted(before, before + 2) << noted(after, after + 2)
        stream.passes(noted(0, 2), noted(1, 1))
        stream >> END


def test_without_a_change_a_citation_stays() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(chunk(content="It says yes."), noted(3, 40))
        stream >> END


def test_a_citation_in_the_same_chunk() -> None:
    before, after = len(f"In {PATH}, "), len("In <workspace>, ")
    with Playbook("openai_chat") as stream:
        stream >> noted(before, before + 2, content=f"In {PATH}, it says")
        stream << noted(after, after + 2, content="In <workspace>, it says")
        stream >> END


def test_offsets_of_a_content_filter() -> None:
    def filtered(text: str, check: int, start: int, end: int) -> bytes:
        offsets = {"check_offset": check, "start_offset": start, "end_offset": end}
        choice: Json = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        return chunks(choice | {"content_filter_offsets": offsets})

    with Playbook("openai_chat") as stream:
        stream >> filtered(f"{PATH} is", 18, 0, 21) << filtered("<workspace> is", 11, 0, 14)
        stream >> END


def so_far(text: str, message: str, finish: str | None = None) -> bytes:
    return chunks(
        {
            "index": 0,
            "delta": {"content": text},
            "message": {"content": message},
            "finish_reason": finish,
        }
    )


def test_a_dropped_answer_shows_in_no_message_so_far() -> None:
    with Playbook("openai_chat", want_thinking=True) as stream:
        stream.passes(chunk(reasoning="The plan."))
        stream >> so_far("The ", "The ") >> so_far("plan.", "The plan.")
        stream >> so_far("", "The plan.", "stop")
        stream << so_far("", "") << so_far("", "") << so_far("", "", "stop")
        stream >> END


def test_an_answer_that_only_began_like_the_reasoning_shows_in_it() -> None:
    with Playbook("openai_chat", want_thinking=True) as stream:
        stream.passes(chunk(reasoning="The plan."))
        stream.holds(so_far("The ", "The "))
        stream >> so_far("answer", "The answer")
        stream << so_far("The ", "The ") << so_far("answer", "The answer")
        stream >> END


def test_the_prompt_comes_back_as_the_client_said_it() -> None:
    said = "You are Claude Code, Anthropic's official CLI for Claude. You help."
    body = b'{"messages":[{"role":"system","content":"%s"}]}' % said.encode()
    request = RequestRewriter("openai_chat", Layers())
    sent = request.rewrite(body)
    assert said.encode() not in sent
    seen = chunks({"index": 0, "delta": {"content": "Hi"}}, prompt_text=_system(sent))
    rewriter = ResponseRewriter(
        "openai_chat", Layers(), model=None, want_thinking=False, echoes=request.echoes
    )
    assert rewriter.feed(seen) == [
        chunks({"index": 0, "delta": {"content": "Hi"}}, prompt_text=f"<s>{said}</s>")
    ]


def test_a_private_path_that_the_client_has_said_itself_is_not_touched() -> None:
    whole = chunks({"index": 0, "delta": {}}, __verbose={"prompt": f"Work in {PATH}"})
    rewriter = ResponseRewriter(
        "openai_chat", Layers(), model=None, want_thinking=False, echoes=Echoes()
    )
    assert rewriter.feed(whole) == [whole]


def _system(body: bytes) -> str:
    return f"<s>{json.loads(body)['messages'][0]['content']}</s>"
