"""Who sends a request, and whose own API it is going to.

Layer 1 never touches a request to the vendor of the very client that sends it: there the client's
own words are what is expected.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from mitmproxy import http

from mitmproxy_windsurf.proxy.logs import printable

LONGEST_NAME = 64

VENDOR_HOSTS: dict[str, tuple[str, ...]] = {
    "claude-cli": ("anthropic.com", "claude.ai", "claude.com"),
    "codex": ("openai.com", "chatgpt.com"),
    "geminicli": ("googleapis.com", "google.com"),
    "qwencode": ("aliyuncs.com", "qwen.ai", "modelscope.cn"),
    "grok": ("x.ai",),
    "opencode": ("opencode.ai",),
    "cline": ("cline.bot",),
    "cursor": ("cursor.sh", "cursor.com"),
}
"""Words of a User-Agent, in lower case, and the domains of the vendor behind it."""


def user_agent(request: http.Request) -> str:
    return str(request.headers.get("user-agent", ""))


def client_name(request: http.Request) -> str:
    """The product that the User-Agent names first, such as "claude-cli/2.1.332"; may be empty."""
    return printable(user_agent(request).partition(" ")[0], LONGEST_NAME)


def is_one_of(request: http.Request, words: Sequence[str]) -> bool:
    """Whether the User-Agent has one of these words."""
    agent = user_agent(request).lower()
    return any(word.lower() in agent for word in words)


def matches(host: str, patterns: Sequence[str]) -> bool:
    """Whether a host is one of these, `*` standing for anything."""
    host = host.lower().rstrip(".")
    return any(fnmatchcase(host, pattern) for pattern in patterns)


def is_own_vendor(request: http.Request, host: str) -> bool:
    """Whether the request goes to the vendor of the client that sends it."""
    host = host.lower().rstrip(".")
    return any(
        host == domain or host.endswith(f".{domain}")
        for word, domains in VENDOR_HOSTS.items()
        if is_one_of(request, [word])
        for domain in domains
    )
