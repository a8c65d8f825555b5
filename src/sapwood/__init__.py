"""Sapwood: a coding agent around an append-only session tree and context compaction."""

__version__ = "0.1.0"
