"""Rewriting proxy for LLM clients: the addon behind `mitmdump -s addons/windsurf.py`."""
