"""Bytes ↔ frames ↔ parts: knows the protocols, knows no layer."""
