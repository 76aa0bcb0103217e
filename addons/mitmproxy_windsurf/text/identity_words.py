"""The words that the identity rules look for, as data. Some are regular expressions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

NAME_CHARS: Final = "0-9A-Za-zÀ-ÖØ-öø-ÿ"
"""What continues a word, as the inside of a regex class: a name may touch CJK text."""
WORD: Final = f"[{NAME_CHARS}]"


def words(text: str) -> tuple[str, ...]:
    """The words in `text`; `~` is a blank within one."""
    return tuple(word.replace("~", " ") for word in text.split())


def either(*groups: str | Iterable[str]) -> str:
    """A regex for one of these words, the longer ones first; a blank is any white space."""
    listed = [word for group in groups for word in ((group,) if isinstance(group, str) else group)]
    listed.sort(key=len, reverse=True)
    return f"(?:{'|'.join(listed)})".replace(" ", r"\s+")


OPENERS: Final = "*_\"“‘'(（「『《【["
"""Emphasis and quotes that may stand right before a name."""
CLOSERS: Final = "*_\"”’')）」』》】]"

ADVERBS: Final = words(
    "actually again also already always currently first here indeed initially just now once only "
    "originally previously really simply still then today together too"
)
NOT_ADVERBS: Final = words(
    "ally apply assembly comply family fly imply italy july multiply rely reply supply"
)
"""They end in -ly all the same."""
BE: Final = words("am is are was were be been being")
MADE: Final = words("developed created built made designed trained provided")
"""What the maker of an assistant did."""
ALSO_MADE: Final = words(
    "brought crafted engineered fine-tuned introduced known launched maintained operated powered "
    "programmed released run"
)
"""What may be said of it besides, on the way to the maker."""
LINKS: Final = words("and or but as that which who while")
PARTICLES: Final = words("a an the of for by with in on at to from not")
"""With `BE`, `MADE` and `LINKS`: what no name for an assistant has inside."""

KINDS: Final = (
    *words("assistant agent chatbot companion co-pilot copilot helper programmer partner bot LLM"),
    *words("language~model AI~model"),
)
"""What an assistant may be called, with any article."""
LOOSE_KINDS: Final = words("model system tool program product software creation project service")
"""What it may be called with `a` or `an`: with `the` these are other things."""
QUALITIES: Final = words(
    "AI-powered AI-based AI coding programming software development developer engineering agentic "
    "helpful powerful friendly intelligent smart advanced autonomous capable modern new personal "
    "virtual digital conversational interactive collaborative large language pair expert "
    "professional general-purpose"
)

ZH_KINDS: Final = ("助手", "助理", "智能体", "模型")
ZH_QUALITIES: Final = words(
    "AI 人工智能 智能 编程 编码 代码 强大的 强大 专业的 专业 全新的 大语言 语言"
)
ZH_WORDS: Final = (
    *ZH_KINDS,
    *ZH_QUALITIES,
    *words(
        "代理 机器人 专门 最初 同时 而且 并且 名叫 叫做 名为 一个 一款 一名 一位 一种 您的 你的"
    ),
    *"也均都并是叫的被且款个",
)
ZH_MADE: Final = words("开发 创建 打造 研发 制作 构建 推出 训练 设计 提供 创造 制造")

JA_KINDS: Final = ("アシスタント", "エージェント", "モデル")
JA_QUALITIES: Final = words(
    "AI 大規模言語 言語 人工知能 プログラミング コーディング ペア 開発支援 開発 支援"
)
JA_WORDS: Final = (
    *JA_KINDS,
    *JA_QUALITIES,
    *words("プログラマー 名前 として です という であり"),
    *"でのはもがとた",
)
JA_MADE: Final = words("開発 作 訓練 設計 構築 提供 創 製造")

ES_KINDS: Final = ("asistente", "agente", "modelo", "compañero", "programador")
ES_LINKS: Final = words("y e he sido fue fui ha también que originalmente orgullosamente")
ES_WORDS: Final = (
    *ES_KINDS,
    *words("un una el la tu su de inteligencia artificial ia programación código codificación"),
    *words("lenguaje grande virtual inteligente potente"),
)
ES_MADE: Final = r"(?:desarrollad|cread|hech|construid|entrenad|diseñad)[oa]s?"
