"""What the identity layer rewrites, and what it leaves alone, sentence by sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

import strategies
from mitmproxy_windsurf.text.edits import Edit
from mitmproxy_windsurf.text.identity import IdentityStream, rewrite_identity

MODEL = "claude-opus-4-6"


def outputs(text: str, model: str | None = MODEL) -> set[str]:
    """What becomes of the text, for many ways to cut it."""
    results = set()
    for pieces in strategies.cuttings(text):
        stream = IdentityStream(model)
        results.add("".join(map(stream.feed, pieces)) + stream.flush())
    return results


# Before | after; {M} is the model's name, ⏎ a line break.
NAMES = """
I am Cascade, made by Codeium | I am {M}, made by Anthropic
I'm Cascade | I'm {M}
I’m Cascade. | I’m {M}.
my name is Cascade | my name is {M}
My name's Cascade! | My name's {M}!
My name is: Cascade | My name is: {M}
i am cascade | i am {M}
I AM CASCADE! | I AM {M}!
i'm cascade, hi | i'm {M}, hi
I am called Cascade. | I am called {M}.
I'm actually Cascade | I'm actually {M}
You can call me Cascade. | You can call me {M}.
I go by Cascade. | I go by {M}.
I am **Cascade**. | I am **{M}**.
I am *Cascade* | I am *{M}*
I am __Cascade__, hi | I am __{M}__, hi
I am _Cascade_. | I am _{M}_.
**I am** Cascade | **I am** {M}
I am ***Cascade*** | I am ***{M}***
I am "Cascade". | I am "{M}".
I am “Cascade”. | I am “{M}”.
I am 'Cascade' | I am '{M}'
I am (Cascade) | I am ({M})
I am [Cascade](https://example.org) | I am [{M}](https://example.org)
I am      Cascade | I am      {M}
I am⏎Cascade | I am⏎{M}
Hello—I'm Cascade. | Hello—I'm {M}.
I am Cascade—made by Codeium. | I am {M}—made by Anthropic.
He said "I am Cascade". | He said "I am {M}".
I am Cascade's voice | I am {M}'s voice
I'm an AI coding assistant named Cascade. | I'm an AI coding assistant named {M}.
I'm your AI assistant, Cascade. | I'm your AI assistant, {M}.
I'm the Cascade agent. | I'm the {M} agent.
As Cascade, I can help. | As {M}, I can help.
As **Cascade**, my job is this. | As **{M}**, my job is this.
As Cascade, your assistant, I see. | As {M}, your assistant, I see.
Well, as Cascade, I can. | Well, as {M}, I can.
Acting as Cascade, I can. | Acting as {M}, I can.
acting as Cascade | acting as {M}
Speaking as Cascade: yes. | Speaking as {M}: yes.
I serve as Cascade. | I serve as {M}.
Today I work as Cascade to help. | Today I work as {M} to help.
In my role as Cascade I read files. | In my role as {M} I read files.
I am known as Cascade. | I am known as {M}.
I'm here to help you as Cascade. | I'm here to help you as {M}.
Cascade is an AI coding assistant | {M} is an AI assistant
Cascade is an AI Coding Assistant. | {M} is an AI Assistant.
Cascade is an AI. | {M} is an AI.
Cascade is an AI that helps. | {M} is an AI that helps.
Cascade is an AI assistant. | {M} is an AI assistant.
**Cascade** is an AI coding agent. | **{M}** is an AI agent.
Cascade is your AI pair programmer. | {M} is your AI pair programmer.
Cascade is a powerful agentic AI coding assistant. | {M} is a powerful agentic AI assistant.
Cascade, an AI coding assistant | {M}, an AI coding assistant
Cascade — an AI assistant — helps. | {M} — an AI assistant — helps.
This is Cascade, your AI coding assistant. | This is {M}, your AI coding assistant.
It's Cascade, your AI assistant. | It's {M}, your AI assistant.
"""

MAKERS = """
developed by Windsurf | developed by Anthropic
created by Codeium | created by Anthropic
built by Windsurf. | built by Anthropic.
Made by Codeium! | Made by Anthropic!
I was made by Windsurf. | I was made by Anthropic.
I was designed by codeium | I was designed by Anthropic
I've been trained by Codeium | I've been trained by Anthropic
I have also been built by Codeium | I have also been built by Anthropic
I am provided by Windsurf | I am provided by Anthropic
Was I made by Codeium? | Was I made by Anthropic?
made by the team at Codeium | made by the team at Anthropic
made by engineers from Windsurf | made by engineers from Anthropic
made by the Codeium team | made by the Anthropic team
made by a company called Codeium | made by a company called Anthropic
made by **Codeium** | made by **Anthropic**
- **Developed by:** Codeium | - **Developed by:** Anthropic
made by⏎Codeium | made by⏎Anthropic
I am an assistant⏎developed by Codeium | I am an assistant⏎developed by Anthropic
Made by Codeium. Then more. | Made by Anthropic. Then more.
Hi. I was built by Windsurf. Ask me. | Hi. I was built by Anthropic. Ask me.
I'm an AI assistant, proudly built by Codeium | I'm an AI assistant, proudly built by Anthropic
I'm an LLM, trained and made by Windsurf | I'm an LLM, trained and made by Anthropic
I am an agent that writes code, made by Codeium | I am an agent that writes code, made by Anthropic
I was made by Codeium and trained by Windsurf | I was made by Anthropic and trained by Anthropic
An AI assistant built by Codeium | An AI assistant built by Anthropic
The assistant was made by Codeium | The assistant was made by Anthropic
This AI assistant was made by Codeium | This AI assistant was made by Anthropic
My model was trained by Codeium | My model was trained by Anthropic
Cascade was built by Codeium. | {M} was built by Anthropic.
Cascade, built by Codeium, is here. | {M}, built by Anthropic, is here.
Cascade is an AI assistant developed by Codeium | {M} is an AI assistant developed by Anthropic
I am made by Windsurf (formerly Codeium). | I am made by Anthropic.
I am made by Windsurf (previously Codeium). | I am made by Anthropic.
I am made by Codeium (now Windsurf). | I am made by Anthropic.
I am made by **Windsurf** (formerly Codeium). | I am made by **Anthropic**.
I am made by Windsurf (the surfers). | I am made by Anthropic (the surfers).
"""

WORKSPACES = """
the Cascade workspace | the workspace
The Cascade workspace is clean | The workspace is clean
my Cascade workspace | my workspace
your Cascade workspace. | your workspace.
in this Cascade workspace | in this workspace
Cascade's workspace | the workspace
Cascade’s workspace | the workspace
the Cascade's workspace | the workspace
First a look at Cascade's workspace. | First a look at the workspace.
Done. Cascade's workspace is clean. | Done. The workspace is clean.
"""

OTHER_LANGUAGES = """
我是 Cascade，由 Codeium 开发 | 我是 {M}，由 Anthropic 开发
我是Cascade，由Windsurf开发的AI编程助手。 | 我是{M}，由Anthropic开发的AI编程助手。
你好！我是 **Cascade**。 | 你好！我是 **{M}**。
我叫Cascade。 | 我叫{M}。
我的名字是 Cascade | 我的名字是 {M}
我的名字叫Cascade。 | 我的名字叫{M}。
作为 Cascade，我会帮你。 | 作为 {M}，我会帮你。
Cascade 是一款 AI 编程助手 | {M} 是一款 AI 编程助手
我由 Codeium 创建 | 我由 Anthropic 创建
由 Codeium 打造 | 由 Anthropic 打造
我是由 Windsurf 研发的 | 我是由 Anthropic 研发的
我由 Codeium 团队构建 | 我由 Anthropic 团队构建
我由 Windsurf（原 Codeium）开发 | 我由 Anthropic开发
我是 Codeium 开发的 AI 助手 | 我是 Anthropic 开发的 AI 助手
本助手由 Codeium 推出 | 本助手由 Anthropic 推出
私はCascadeです。 | 私は{M}です。
私は、Cascade です。 | 私は、{M} です。
私は Cascade と申します | 私は {M} と申します
私の名前は Cascade です | 私の名前は {M} です
こんにちは、Cascadeです。 | こんにちは、{M}です。
私は Codeium によって開発されました | 私は Anthropic によって開発されました
Codeiumによって作られました | Anthropicによって作られました
私は Codeium が開発した AI です | 私は Anthropic が開発した AI です
Soy Cascade. | Soy {M}.
Hola, yo soy Cascade | Hola, yo soy {M}
Me llamo Cascade. | Me llamo {M}.
Mi nombre es **Cascade** | Mi nombre es **{M}**
Fui creado por Windsurf | Fui creado por Anthropic
Soy un asistente de IA creado por Codeium | Soy un asistente de IA creado por Anthropic
He sido construida por Codeium | He sido construida por Anthropic
Hecho por Codeium | Hecho por Anthropic
Como Cascade, puedo leer | Como {M}, puedo leer
"""

CHANGED = [
    tuple(part.strip().replace("⏎", "\n").replace("{M}", MODEL) for part in row.split(" | "))
    for table in (NAMES, MAKERS, WORKSPACES, OTHER_LANGUAGES)
    for row in table.strip().split("\n")
]

UNCHANGED = """
A cascade of bells
A Cascade of bells
the CSS cascade decides, as cascade layers do
REFERENCES b(id) ON DELETE CASCADE
I set ON DELETE as CASCADE
windsurfing is fun, and so is Windsurf
Cascade Locks lies on the river
I am in the Cascade mountains near Cascade Locks
One outage can act as cascade failure trigger
How does Windsurf Cascade compare with the others?
Windsurf Cascade is an AI coding assistant
Windsurf's Cascade is an AI assistant
What can Cascade do?
Open Cascade workspace
class SuperCascade workspace = 1
the Windsurf Cascade workspace
the Cascade workspaces
I am not Cascade
I am SuperCascade
I am Cascades
I am Cascade2
I am Cascade_x
I am my_Cascade
I am Cascade-based
I am x-Cascade
I am /Cascade
I am .Cascade
I am @Cascade
I am  the Cascade range
As cascade, I fall
tools such as Cascade
I use tools such as Cascade
I saved it as Cascade
I saved the file as Cascade
It works as well as Cascade, I think
You should act as Cascade
The clerk worked as Cascade County treasurer
She will serve as Cascade County treasurer
I was told that the river serves as Cascade County's border
I am⏎⏎Cascade Locks is a town
Cascade is a river
Cascade is an easy trail
Cascade is an AI company
Cascade is an AI-first company
Cascade is an AI codec
Cascade, a town
Cascade    is an AI assistant
The Windsurf editor was developed by Codeium in 2024.
Windsurf was developed by Codeium
The editor was⏎developed by Codeium
I use an editor developed by Codeium
I was told the Windsurf editor was developed by Codeium
The tool I use was made by Windsurf
I made an AI assistant by hand, the editor was made by Codeium
I have an assistant built by Codeium
I built an assistant provided by Codeium
I supply an assistant built by Codeium
I am not the agent built by Codeium
I am a developer, and the editor was built by Codeium
I am an assistant, and Windsurf was built by Codeium
My editor was made by Windsurf
My code was made by Windsurf
Unlike me, Windsurf was developed by Codeium
It was developed by Codeium
This was made by Windsurf
They were trained by Codeium
The Windsurf agent was built by Codeium
Windsurf Cascade was developed by Codeium
Copilot is not made by Codeium
Devin, an agent, was not built by Windsurf
Software developed by Codeium
Extensions made by Codeium are free
a board built by Windsurf Hawaii
I was built by Windsurf Hawaii
I was built by Windsurfers
I was built by Windsurf-Labs
I was built by codeium.com
I was built by windsurf instructors
I was built near Codeium
I was rebuilt⏎⏎by Codeium
The page says: “made by Codeium”
Windsurf 编辑器由 Codeium 开发
我用的编辑器由 Codeium 开发
我的代码由 Codeium 提供
我们的工具由 Codeium 开发
Codeium 开发的编辑器很好用
由 Codeium 收购
我不是 Cascade
我喜欢 Cascade
私は Cascade を使います
私は Cascade が好きです
私は Cascade ではありません
私のエディタは Codeium によって開発されました
Codeium が開発したエディタ
El editor Windsurf fue desarrollado por Codeium
Yo uso un editor creado por Codeium
La herramienta que uso fue creada por Codeium
No soy Cascade
""".strip().split("\n")


@pytest.mark.parametrize(("before", "after"), CHANGED, ids=[before for before, _ in CHANGED])
def test_what_the_assistant_says_of_itself_is_rewritten(before: str, after: str) -> None:
    assert outputs(before) == {after}


@pytest.mark.parametrize("after", [after for _, after in CHANGED])
def test_idempotence_of_every_row(after: str) -> None:
    assert rewrite_identity(after, MODEL) == after


@pytest.mark.parametrize("row", UNCHANGED)
def test_everything_else_keeps_its_words(row: str) -> None:
    text = row.replace("⏎", "\n")
    assert outputs(text) == {text}


CODE = {
    "inline code": "Type `i am cascade` to go on, `made by Codeium`.",
    "inline code with two backticks": "Type ``I am ` Cascade`` now",
    "a fence": "```python\nassert bot.hello() == 'I am Cascade'\n```\n",
    "a fence of tildes": "~~~\nI am Cascade\n~~~\n",
    "a fence without end": "```\nI am Cascade\nmade by Codeium",
    "a name in code": "I am `Cascade`",
    "a name cut by code": "I am Cas`cade`",
    "a lead-in in code": "`I am` Cascade",
    "a sentence with code": "`x` was made by Codeium",
    "a speaker in code": "the `I` was made by Codeium",
    "code between": "I use `x`, made by Codeium",
    "code that stands for a name": "The `Windsurf` was made by Codeium",
}


@pytest.mark.parametrize("text", CODE.values(), ids=CODE)
def test_code_keeps_its_bytes(text: str) -> None:
    assert outputs(text) == {text}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("`x` I am Cascade", "`x` I am {M}"),
        ("I am Cascade`x`", "I am {M}`x`"),
        ("I am `x\nI am Cascade", "I am `x\nI am {M}"),
        ("```\nx\n```\nMade by Codeium", "```\nx\n```\nMade by Anthropic"),
        ("~~I am Cascade~~", "~~I am {M}~~"),
        (
            "I am made by Codeium`x` (formerly Windsurf)",
            "I am made by Anthropic`x` (formerly Windsurf)",
        ),
    ],
)
def test_prose_beside_code_is_rewritten(before: str, after: str) -> None:
    assert outputs(before) == {after.replace("{M}", MODEL)}


JSON = {
    "an object": '{"speaker":"Cascade","line":"I am Cascade"}',
    "an array": '[{"line":"I was created by Codeium."}]',
    "after blanks": ' \n\t{"line":"I am Cascade"}\n',
    "lines": '{"line":"I am Cascade"}\n{"line":"I am Cascade"}\n[1]',
    "cut off": '{"line":"I am Cascade',
    "escapes": '{"line":"\\"I am Cascade\\" \\u0049"}',
    "then prose": '{"a":1}\n\nHope this helps',
}


@pytest.mark.parametrize("text", JSON.values(), ids=JSON)
def test_json_keeps_its_bytes(text: str) -> None:
    assert outputs(text) == {text}


@pytest.mark.parametrize("text", JSON.values(), ids=JSON)
def test_json_streams(text: str) -> None:
    stream = IdentityStream(MODEL, unwrap=False)
    for char in text:
        assert stream.feed(char) == char


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("{not json, I am Cascade", "{not json, I am {M}"),
        ("[Note] I am Cascade", "[Note] I am {M}"),
        ("[Cascade is an AI assistant]", "[{M} is an AI assistant]"),
        ('{"a": I am Cascade', '{"a": I am {M}'),
        ('{"a":1} I am Cascade', '{"a":1} I am {M}'),
        ('["I am Cascade"] I am Cascade', '["I am Cascade"] I am {M}'),
        ('{"a":1}\nMade by Codeium', '{"a":1}\nMade by Anthropic'),
        ('["I am \nCascade', '["I am \nCascade'),
        ("[```\nI am Cascade", "[```\nI am {M}"),
        ("{}\n```\nI am Cascade\n```", "{}\n```\nI am Cascade\n```"),
        ('"I am Cascade"', '"I am {M}"'),
        ("1. I am Cascade", "1. I am {M}"),
    ],
)
def test_what_only_begins_like_json_is_prose(before: str, after: str) -> None:
    assert outputs(before) == {after.replace("{M}", MODEL)}


@pytest.mark.parametrize(
    ("model", "after"),
    [
        ("openai/gpt-5", "I am openai/gpt-5, made by OpenAI."),
        ("o1-mini", "I am o1-mini, made by OpenAI."),
        ("sonnet-4.6", "I am sonnet-4.6, made by Anthropic."),
        ("private-x", "I am private-x, made by Codeium."),
        ("swe-1", "I am swe-1, made by Windsurf."),
        (r"\1\g<0>$1{0}%s", r"I am \1\g<0>$1{0}%s, made by Codeium."),
        ("g\x00p\nt\x1b[0m", "I am gpt[0m, made by OpenAI."),
        ("x" * 200, f"I am {'x' * 128}, made by Codeium."),
        (" gpt-5 ", "I am gpt-5, made by OpenAI."),
        (None, "I am Cascade, made by Codeium."),
        ("", "I am Cascade, made by Codeium."),
        (" \n", "I am Cascade, made by Codeium."),
    ],
)
def test_model_names_are_data(model: str | None, after: str) -> None:
    assert outputs("I am Cascade, made by Codeium.", model) == {after}
    assert rewrite_identity(after, model) == after


def test_without_a_model_nothing_is_held_or_unwrapped() -> None:
    stream = IdentityStream(None)
    text = '{"name":"Cascade","provider":"","model":"","description":"I am Cascade"}'
    for char in text:
        assert stream.feed(char) == char
        assert stream.held == ""
    assert (stream.flush(), stream.release(), stream.edits) == ("", "", [])


def test_vendors_can_be_added() -> None:
    stream = IdentityStream("house-7", vendors={"house": "House\x07 Inc"})
    assert stream.feed("I am Cascade, made by Codeium, ") == "I am house-7, made by House Inc, "


@pytest.mark.parametrize(
    ("fed", "held"),
    [
        ("I am ", ""),
        ("I am C", "C"),
        ("I am Cas", "Cas"),
        ("I am Cascade", "Cascade"),
        ("I am Cascade.", ""),
        ("I am Cash", ""),
        ("I was made by ", ""),
        ("I was made by Codeium", "Codeium"),
        ("I was made by Codeium ", "Codeium "),
        ("I was made by Codeium (", " ("),
        ("I was made by Codeium (formerly Win", " (formerly Win"),
        ("I was made by Codeium (formerly the", ""),
        ("It was made by Codeium", ""),
        ("The ", ""),
        ("The C", "C"),
        ("the Cascade work", "Cascade work"),
        ("Cascade is an AI cod", "Cascade is an AI cod"),
        ("Cascade is an AI codec", ""),
        ("W", "W"),
        ("A W", ""),
        ("SuperCas", ""),
    ],
)
def test_held(fed: str, held: str) -> None:
    stream = IdentityStream(MODEL)
    out = stream.feed(fed)
    assert stream.held == held
    if not held:
        assert len(out) >= len(fed) - 1
    assert stream.release() == held


@pytest.mark.parametrize("distance", [0, 1, 4, 100])
def test_the_past_counts_for_640_characters(distance: int) -> None:
    lead, tail = "I", " am" + " " * 636 + "Cascade"
    assert len(tail) == 646
    text = "x. " + lead + tail
    assert rewrite_identity(text, MODEL) == text.replace("Cascade", MODEL)
    beyond = "x. " + lead + " am" + " " * (637 + distance) + "Cascade"
    assert outputs_at_some_cuts(beyond) == {beyond}


def outputs_at_some_cuts(text: str) -> set[str]:
    results = set()
    for size in (len(text), 1, 3, 7):
        stream = IdentityStream(MODEL)
        results.add("".join(map(stream.feed, strategies.every(text, size))) + stream.flush())
    return results


def test_edits_tell_rule_place_before_and_after() -> None:
    stream = IdentityStream(MODEL)
    text = "Hi. I am Cascade, made by Codeium (now Windsurf), in Cascade's workspace."
    for char in text:
        stream.feed(char)
    edit = Edit("name", "Cascade", MODEL, layer="identity", start=9)
    assert stream.edits == [
        edit,
        replace(edit, rule="vendor", before="Codeium", after="Anthropic", start=26),
        replace(edit, rule="vendor", before=" (now Windsurf)", after="", start=33),
        replace(edit, rule="workspace", before="Cascade's ", after="the ", start=53),
    ]
    assert all(text.startswith(edit.before, edit.start) for edit in stream.edits)


def test_what_stays_the_same_is_no_edit() -> None:
    stream = IdentityStream("swe-1")
    stream.feed("I was made by Windsurf.")
    assert stream.edits == []


def test_surrogates_in_halves_survive() -> None:
    text = "Done \ud83d\ude00 \ud83d"
    stream = IdentityStream(MODEL)
    assert "".join(map(stream.feed, text)) + stream.flush() == text
