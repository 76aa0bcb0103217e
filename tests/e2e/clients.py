"""The official SDKs, by the protocol that each speaks."""

from __future__ import annotations

from e2e.anthropic_sdk import AnthropicClient
from e2e.conversation import Client
from e2e.gemini_sdk import GeminiClient
from e2e.openai_chat_sdk import ChatClient
from e2e.openai_responses_sdk import ResponsesClient

CLIENTS: dict[str, type[Client]] = {
    "anthropic": AnthropicClient,
    "chat": ChatClient,
    "responses": ResponsesClient,
    "gemini": GeminiClient,
}
