"""SARIF is JSON, whoever reads it."""

from __future__ import annotations

import json
from typing import Any


def text(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)


markdown = text
