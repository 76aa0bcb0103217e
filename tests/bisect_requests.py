"""Requests with a prompt of ordinary sentences to plant triggers in, and small ones."""

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


SCHEMA = {"type": "object", "properties": {"path": {"type": "string", "description": "A path."}}}
FUNCTION = {"name": "read", "description": "Reads. Files only.", "parameters": SCHEMA}
OTHER = {"name": "write", "description": "Writes.", "parameters": SCHEMA}

REQUESTS: dict[str, Any] = {
    "anthropic": {
        "system": [{"type": "text", "text": "One. Two."}, {"type": "text", "text": "Three."}],
        "tools": [
            {"name": "read", "description": "Reads.", "input_schema": SCHEMA},
            {"name": "write", "description": "Writes.", "input_schema": SCHEMA},
        ],
        "tool_choice": {"type": "tool", "name": "read"},
        "messages": [{"role": "user", "content": "hi"}],
    },
    "openai_chat": {
        "messages": [{"role": "system", "content": "One. Two."}, {"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": tool} for tool in (FUNCTION, OTHER)],
        "tool_choice": {"type": "function", "function": {"name": "write"}},
        "parallel_tool_calls": True,
    },
    "openai_responses": {
        "instructions": "One. Two.",
        "input": [
            {
                "type": "additional_tools",
                "role": "developer",
                "tools": [{"type": "custom", **OTHER}],
            },
            {"role": "user", "content": "hi"},
        ],
        "tools": [{"type": "function", **FUNCTION}],
        "tool_choice": "required",
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "One. Two."}]},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "tools": [{"functionDeclarations": [FUNCTION]}, {"functionDeclarations": [OTHER]}],
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}},
    },
    "ollama": {
        "messages": [{"role": "system", "content": "One. Two."}, {"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": FUNCTION}],
    },
}
"""One of each protocol, with a prompt of a few sentences, two tools and a choice among them."""
