from __future__ import annotations

from typing import Any

import pytest

from mitmproxy_windsurf.upstream.translate.anthropic_turns import messages
from mitmproxy_windsurf.upstream.translate.model import Json, Refused

CACHED = {"cache_control": {"type": "ephemeral"}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
IMAGE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}


def text(said: str, **more: Any) -> Json:
    return {"type": "text", "text": said, **more}


def use(id: str = "t", **input: Any) -> Json:
    return {"type": "tool_use", "id": id, "name": "read", "input": input}


def result(content: Any = None, id: str = "t", **more: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **more}


def of(role: str, content: Any, **more: Any) -> Json:
    return {"role": role, "content": content, **more}


def turns(*asked: Json, system: Any = None) -> list[Json]:
    return messages({"system": system, "messages": [*asked]})


HI = of("user", "hi")


class TestSystem:
    @pytest.mark.parametrize("system", ["a\nb", [text("a", **CACHED), text("b")], [text("a\nb")]])
    def test_a_prompt_is_one_string(self, system: Any) -> None:
        assert turns(HI, system=system) == [of("system", "a\nb"), HI]

    def test_turns_in_mid_conversation_keep_their_place(self) -> None:
        reminder = of("system", [text("remember")])
        found = turns(HI, reminder, of("assistant", "yes"), of("system", "again"), HI, system="s")
        assert found == [
            of("system", "s"),
            HI,
            of("system", "remember"),
            of("assistant", "yes"),
            of("system", "again"),
            HI,
        ]

    def test_a_turn_for_one_user_message_is_gone_after_the_next(self) -> None:
        passing = of("system", "now", clear_at="next_user_message")
        assert turns(HI, passing) == [HI, of("system", "now")]
        assert turns(HI, passing, of("assistant", "yes"), HI) == [HI, of("assistant", "yes"), HI]


class TestUser:
    def test_texts_are_joined_by_line_ends(self) -> None:
        assert turns(of("user", [text("a", **CACHED), text("b")])) == [of("user", "a\nb")]

    def test_images_keep_their_place_among_the_texts(self) -> None:
        linked = {"type": "image", "source": {"type": "url", "url": "https://x/y.png"}}
        [turn] = turns(of("user", [text("a"), IMAGE, text("b"), linked]))
        assert turn["content"] == [
            text("a"),
            IMAGE_PART,
            text("b"),
            {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        ]

    def test_a_text_document_is_text(self) -> None:
        source = {"type": "text", "media_type": "text/plain", "data": "body"}
        document = {"type": "document", "source": source, "title": "T", "context": "C"}
        assert turns(of("user", [document])) == [of("user", "T\nC\nbody")]

    def test_a_document_of_blocks_is_those_blocks(self) -> None:
        document = {
            "type": "document",
            "source": {"type": "content", "content": [text("a"), IMAGE]},
        }
        assert turns(of("user", [document])) == [of("user", [text("a"), IMAGE_PART])]

    @pytest.mark.parametrize(("title", "name"), [("a.pdf", "a.pdf"), (None, "document.pdf")])
    def test_a_pdf_is_a_file(self, title: str | None, name: str) -> None:
        source = {"type": "base64", "media_type": "application/pdf", "data": "AA=="}
        [turn] = turns(of("user", [{"type": "document", "source": source, "title": title}]))
        file = {"filename": name, "file_data": "data:application/pdf;base64,AA=="}
        assert turn["content"][-1] == {"type": "file", "file": file}

    def test_a_search_result_is_text_with_its_source(self) -> None:
        found = {
            "type": "search_result",
            "title": "T",
            "source": "http://s",
            "content": [text("a")],
        }
        assert turns(of("user", [found])) == [of("user", "T\nhttp://s\na")]


class TestToolResults:
    def test_results_come_before_what_the_user_says(self) -> None:
        found = turns(of("user", [result("one", "a"), result([text("two")], "b"), text("go on")]))
        assert found == [
            {"role": "tool", "tool_call_id": "a", "content": "one"},
            {"role": "tool", "tool_call_id": "b", "content": "two"},
            of("user", "go on"),
        ]

    @pytest.mark.parametrize("nothing", [None, "", []])
    def test_an_empty_result_is_a_result(self, nothing: Any) -> None:
        assert turns(of("user", [result(nothing)])) == [
            {"role": "tool", "tool_call_id": "t", "content": ""}
        ]

    def test_an_error_says_so(self) -> None:
        [turn] = turns(of("user", [result("no file", is_error=True)]))
        assert turn["content"] == "Error: no file"

    def test_images_of_a_result_follow_with_the_id_of_their_call(self) -> None:
        found = turns(
            of("user", [result([text("a"), IMAGE], "a"), result([IMAGE], "b"), text("!")])
        )
        label = "From the result of the tool call {}:"
        assert found == [
            {"role": "tool", "tool_call_id": "a", "content": "a"},
            {
                "role": "tool",
                "tool_call_id": "b",
                "content": "The result follows in the next message.",
            },
            of(
                "user",
                [
                    text(label.format("a")),
                    IMAGE_PART,
                    text(label.format("b")),
                    IMAGE_PART,
                    text("!"),
                ],
            ),
        ]

    def test_a_found_tool_is_named(self) -> None:
        reference = {"type": "tool_reference", "tool_name": "write"}
        assert turns(of("user", [result([reference])]))[0]["content"] == "write"


class TestAssistant:
    def test_thinking_goes_back_as_reasoning_and_calls_as_calls(self) -> None:
        blocks = [
            {"type": "thinking", "thinking": "hm", "signature": ""},
            {"type": "redacted_thinking", "data": "gAAA"},
            text("Let me look."),
            use("a", p="é"),
            use("b"),
        ]
        function = {"name": "read", "arguments": '{"p":"é"}'}
        assert turns(HI, of("assistant", blocks))[1] == {
            "role": "assistant",
            "content": "Let me look.",
            "reasoning_content": "hm",
            "tool_calls": [
                {"id": "a", "type": "function", "function": function},
                {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{}"}},
            ],
        }

    def test_calls_alone_have_no_content(self) -> None:
        assert turns(HI, of("assistant", [use()]))[1]["content"] is None

    @pytest.mark.parametrize("content", ["", [], [{"type": "redacted_thinking", "data": "x"}]])
    def test_a_turn_with_nothing_to_say_stays_a_turn(self, content: Any) -> None:
        assert turns(HI, of("assistant", content))[1] == of("assistant", "")


@pytest.mark.parametrize(
    ("turn", "place"),
    [
        (of("user", [{"type": "container_upload"}]), "messages[0].content[0].type:"),
        (of("user", [text("a"), {"text": "b"}]), "messages[0].content[1].type:"),
        (of("user", [{"type": "text"}]), "messages[0].content[0].text:"),
        (of("user", 5), "messages[0].content:"),
        (of("assistant", [{"type": "server_tool_use"}]), "messages[0].content[0].type:"),
        (of("assistant", [{**use(), "input": "x"}]), "messages[0].content[0].input:"),
        (
            of("user", [{"type": "image", "source": {"type": "file", "file_id": "f"}}]),
            "messages[0].content[0].source.type:",
        ),
        (
            of("user", [{"type": "document", "source": {"type": "url", "url": "https://x"}}]),
            "messages[0].content[0].source.type:",
        ),
        (
            of("user", [{"type": "document", "source": {"type": "content", "content": [use()]}}]),
            "messages[0].content[0].source.content[0].type:",
        ),
        (of("user", [result([{"type": "video"}])]), "messages[0].content[0].content[0].type:"),
        (of("user", [{"type": "tool_result"}]), "messages[0].content[0].tool_use_id:"),
    ],
)
def test_what_cannot_be_said_is_refused_by_its_place(turn: Json, place: str) -> None:
    with pytest.raises(Refused) as caught:
        turns(turn)
    assert str(caught.value).startswith(place)
