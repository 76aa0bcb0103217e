"""Measurements, one table per section. They compare within one run; no figure is a limit."""
