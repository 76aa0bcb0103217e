"""The built-in backend: refuses and leaks like a real upstream, without any model.

Deterministic, without key or network: the same request gets the same bytes (only the gate that is
flaky on purpose counts). It knows nothing of the layers; it is what they are for. A request is read
into an `Ask`, the gates may refuse it, a scenario plays a list of neutral parts, and `openai_chat`
writes them; other protocols are translated, as for every backend. Send `help` as the prompt to see
the scenarios.
"""

from __future__ import annotations

from mitmproxy_windsurf.upstream.demo.backend import DemoBackend

__all__ = ["DemoBackend"]
