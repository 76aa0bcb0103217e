"""The conversations that every client has, with the answers that the backend gives."""

from __future__ import annotations

from base64 import b64decode
from typing import NamedTuple

from e2e.backend import Call, Json, Script
from e2e.conversation import Question, Tool, Turn

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""One pixel."""

TEXT = "Fine, thanks. Schöne Grüße, 你好 🙂."


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


READ = Tool("read_file", "Reads a file.", _object(path={"type": "string"}))
LIST = Tool("list_files", "Lists a folder.", _object(path={"type": "string"}))
CALLS = (Call("call_a", "read_file", {"path": "a.py"}), Call("call_b", "list_files", {"path": "ö"}))


class Exchange(NamedTuple):
    question: Question
    script: Script


EXCHANGES = {
    "text": Exchange(Question(), Script(text=TEXT)),
    "system prompt": Exchange(Question(system="Answer in one short sentence."), Script(text=TEXT)),
    "image": Exchange(Question("What is in it?", image=PNG), Script(text="One pixel.")),
    "one tool": Exchange(
        Question("Read a.py.", tools=(READ,)), Script(calls=CALLS[:1], finish="tool_calls")
    ),
    "parallel tools": Exchange(
        Question("Read a.py and list ö.", tools=(READ, LIST)),
        Script(text="Both at once.", calls=CALLS, finish="tool_calls"),
    ),
    "results": Exchange(
        Question(
            "Read a.py and list ö.",
            tools=(READ, LIST),
            turns=(Turn("Both at once.", CALLS, ("print()", "a.py, ß.py")),),
        ),
        Script(text="It prints an empty line."),
    ),
    "thinking": Exchange(
        Question("How many?", thinking=True), Script(thinking="One, two, three.", text="Three.")
    ),
    "structured output": Exchange(
        Question("Where?", schema=_object(city={"type": "string"})), Script(text='{"city":"Köln"}')
    ),
    "stop sequence": Exchange(Question("Count.", stop=("four", "4")), Script(text="one two three")),
    "token limit": Exchange(
        Question("Count.", limit=16), Script(text="one two thr", finish="length")
    ),
}
"""By the names of what they are about."""
