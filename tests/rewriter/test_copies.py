"""The same text in several places of a chunk: all copies agree."""

from typing import Any

from playbook import (
    DONE,
    END,
    MODEL,
    PRIVATE,
    Json,
    Like,
    Playbook,
    chunk,
    chunks,
)

TOKENS = [{"token": PRIVATE, "bytes": [47], "logprob": -0.1, "top_logprobs": []}]


def thought(text: str, detail: str | None = None, **more: Any) -> bytes:
    details = [{"type": "reasoning.text", "text": detail or text, "index": 0}]
    return chunk(reasoning=text, reasoning_details=details, **more)


def test_reasoning_and_its_details() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(thought("so "))
        stream.holds(thought("in /opt/wind"))
        stream >> thought("surf/a") << thought("in ") << thought("<workspace>")
        stream >> thought("b, /opt/") << thought(", ")
        answer = chunk(content="Hi.")
        stream >> answer << Like(thought("/opt/")) << answer
        stream.passes(chunk(finish="stop"), DONE)
        stream >> END


def test_details_that_are_cut_otherwise_than_the_reasoning() -> None:
    def both(text: str, *details: str) -> bytes:
        return chunk(reasoning=text, reasoning_details=[{"text": detail} for detail in details])

    with Playbook("openai_chat") as stream:
        stream >> both(f"in {PRIVATE} now", "in /opt/wind", "surf now")
        stream << both("in <workspace> now", "in ", "<workspace> now")
        stream.passes(both("at /opt/ no", "at /op", "t/ no"))
        stream >> END


def test_details_alone_are_one_text() -> None:
    def details(*texts: str) -> bytes:
        return chunk(reasoning_details=[{"text": text} for text in texts])

    with Playbook("openai_chat", want_thinking=True) as stream:
        stream.passes(details("Plan"), details(" A", "."))
        stream.holds(chunk(content="Plan A."))
        stream >> chunk(finish="stop") << chunk(content="") << chunk(finish="stop")
        stream >> END


def two(text: str, copy: str | None = None, **delta: Any) -> bytes:
    choice: Json = {"index": 0, "delta": {"content": text, **delta}, "finish_reason": None}
    return chunks(choice | {"text": text if copy is None else copy})


def test_text_beside_the_delta() -> None:
    with Playbook("openai_chat") as stream:
        stream >> two(f"in {PRIVATE}/a now") << two("in <workspace> now")
        stream.holds(two("at /opt/wind"))
        stream >> two("surf/") << two("at ") << two("<workspace>")
        stream >> two("a /opt/") << two(" ")
        stream >> END << Like(two("/opt/"))


def test_text_beside_the_delta_that_is_another() -> None:
    with Playbook("openai_chat") as stream:
        (
            stream
            >> two(f"a {PRIVATE} /op", f"b {PRIVATE} /opt")
            << two("a <workspace> ", "b <workspace> ")
        )
        content = chunk(content="/op")
        copy = chunks({"index": 0, "delta": {}, "finish_reason": None, "text": "/opt"})
        stream >> END << Like(content) << Like(copy)


def so_far(text: str, message: str, finish: str | None = None) -> bytes:
    return chunks(
        {
            "index": 0,
            "delta": {"content": text},
            "message": {"content": message},
            "finish_reason": finish,
        }
    )


def test_the_message_so_far() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(so_far("In ", "In "))
        stream.holds(so_far("/opt/wind", "In /opt/wind"))
        stream >> so_far("surf/a", f"In {PRIVATE}/a")
        stream << so_far("", "In ") << so_far("<workspace>", "In <workspace>")
        stream >> so_far(" or /op", f"In {PRIVATE}/a or /op")
        stream << so_far(" or ", "In <workspace> or ")
        stream >> so_far("", f"In {PRIVATE}/a or /op", "stop")
        stream << so_far("/op", "In <workspace> or /op", "stop")
        stream.passes(DONE)
        stream >> END


def test_a_finish_without_the_message_so_far() -> None:
    with Playbook("openai_chat") as stream:
        stream.holds(first := so_far("/opt/", "/opt/"))
        stream >> (last := chunk(finish="stop")) << first << last
        stream >> END
    with Playbook("openai_chat") as stream:
        stream >> so_far(f"{PRIVATE} /op", f"{PRIVATE} /op")
        stream << so_far("<workspace> ", "<workspace> ")
        stream >> chunk(finish="stop") << Like(chunk(content="/op", finish="stop"))
        stream >> END


def test_a_message_so_far_that_starts_anew() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(so_far("a ", "a "))
        stream.holds(first := so_far("/", "a /"))
        stream >> (last := so_far("c ", "/c ")) << first << last
        stream >> so_far("b", f"at {PRIVATE} b") << so_far("b", "at <workspace> b")
        stream >> END


def with_tokens(content: str, tokens: Any, **names: Any) -> bytes:
    return chunks(
        {
            "index": 0,
            "delta": {"content": content},
            "logprobs": {"content": tokens, "refusal": None, **names},
            "finish_reason": None,
        }
    )


def test_tokens_of_a_changed_text_are_emptied() -> None:
    with Playbook("openai_chat") as stream:
        stream.passes(with_tokens("In ", TOKENS))
        stream.holds(with_tokens("/opt/", TOKENS))
        stream >> with_tokens("windsurf ", TOKENS)
        stream << with_tokens("", []) << with_tokens("<workspace> ", [])
        stream.passes(with_tokens("now", TOKENS, reasoning_content=TOKENS))
        stream >> END


def test_tokens_of_other_texts_stay() -> None:
    def event(reasoning: str, tokens: Any) -> bytes:
        logprobs = {"content": TOKENS, "reasoning_content": tokens}
        delta = {"content": "hm", "reasoning_content": reasoning}
        return chunks({"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": None})

    with Playbook("openai_chat") as stream:
        stream >> event(f"{PRIVATE}.", TOKENS) << event("<workspace>.", [])
        stream >> END


def test_content_in_arrays() -> None:
    """Mistral's thinking models, which also switch to strings in mid-stream."""

    def thinks(text: str) -> bytes:
        inner = [{"type": "text", "text": text}]
        return chunk(content=[{"type": "thinking", "thinking": inner, "closed": True}])

    def says(text: str) -> bytes:
        return chunk(content=[{"type": "text", "text": text}])

    with Playbook("openai_chat") as stream:
        stream.passes(chunk(content=""), thinks("I am "))
        stream >> thinks("Cascade ") << thinks(f"{MODEL} ")
        stream >> thinks(f"{PRIVATE} /opt/") << thinks("<workspace> ")
        inner = [{"type": "text", "text": "/opt/"}]
        rest = chunk(content=[{"type": "thinking", "thinking": inner}])
        stream >> says("Hi ") << Like(rest) << says("Hi ")
        stream >> says(f"{PRIVATE} /opt/wind") << says("<workspace> ")
        stream >> chunk(content="surf, ") << chunk(content="<workspace>, ")
        stream >> chunk(content=f"{PRIVATE} /opt/") << chunk(content="<workspace> ")
        stream.passes(says(""))
        stream >> chunk(finish="stop") << Like(chunk(content="/opt/", finish="stop"))
        stream >> END


def test_what_was_held_joins_the_last_of_several_texts_in_a_chunk() -> None:
    def says(*texts: str, finish: str | None = None) -> bytes:
        return chunk(content=[{"type": "text", "text": text} for text in texts], finish=finish)

    with Playbook("openai_chat") as stream:
        stream >> says(f"{PRIVATE} /op", "t/", finish="stop")
        stream << says("<workspace> ", "/opt/", finish="stop")
        stream >> END
