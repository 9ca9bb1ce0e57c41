"""The console entry."""

from __future__ import annotations


def main() -> None:
    """Placeholder."""
