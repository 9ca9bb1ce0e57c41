"""Seconds since the epoch to ISO 8601 in UTC."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(seconds: int) -> str:
    """``2026-12-01T12:00:00Z``."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
