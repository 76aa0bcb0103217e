"""Requests with a prompt of ordinary sentences, into which triggers can be planted."""

import json
from random import Random
from typing import Any

WORDS = (
    *("branch", "buffer", "change", "commit", "editor", "engine", "header", "module", "output"),
    *("parser", "prompt", "report", "review", "server", "socket", "source", "string", "window"),
)


def sentence(random: Random) -> str:
    """One of a coding agent's thousand instructions, more or less."""
    words = [random.choice(WORDS) for _ in range(random.randint(6, 16))]
    if len(words) > 9:
        words[len(words) // 2] += ","
    return " ".join(words).capitalize() + "."


def paragraph(random: Random, *, sentences: int = 4) -> str:
    return " ".join(sentence(random) for _ in range(sentences))


def prompt(random: Random, size: int, *planted: str) -> str:
    """Paragraphs of so many characters, with what is planted among the sentences."""
    paragraphs: list[str] = []
    while sum(len(text) for text in paragraphs) < size:
        paragraphs.append(paragraph(random))
    for text in planted:
        index = random.randrange(len(paragraphs))
        first, mark, rest = paragraphs[index].partition(". ")
        paragraphs[index] = f"{first}{mark}{text} {rest}"
    return "\n\n".join(paragraphs)


def tool(random: Random, name: str, *, description: str = "", parameter: str = "") -> Any:
    """A tool as Claude Code declares them."""
    about = f"{paragraph(random)} {description}".strip()
    option = parameter or sentence(random)
    return {
        "name": name,
        "description": f"{about}\n\nUsage:\n- {sentence(random)}\n- {sentence(random)}",
        "input_schema": {
            "type": "object",
            "properties": {"option": {"type": "string", "description": option}},
        },
    }


def anthropic(
    system: Any, tools: list[Any] | None = None, *, stream: bool = True, **more: Any
) -> bytes:
    body = {
        "model": "claude-opus-4-6",
        "max_tokens": 32000,
        "stream": stream,
        "system": system,
        "messages": [{"role": "user", "content": "hi"}],
        **more,
    }
    return json.dumps(body | ({"tools": tools} if tools else {})).encode()


def claude_code(random: Random, *planted: str, size: int = 60_000) -> bytes:
    """As large as a request of Claude Code: three system blocks and dozens of tools."""
    tools = [tool(random, f"Tool{number}") for number in range(30)]
    left = size - len(json.dumps(tools))
    system = [
        {"type": "text", "text": sentence(random)},
        {"type": "text", "text": prompt(random, left // 2, *planted)},
        {"type": "text", "text": prompt(random, left // 2)},
    ]
    return anthropic(system, tools)
