"""A document is for programs: shown as the JSON it is, or where it was written."""

from __future__ import annotations

import json
from typing import Any

from .look import cell, clean

Data = dict[str, Any]


def sentence(data: Data) -> str:
    return f"Wrote {clean(data['written'])} ({data['bytes']} bytes)."


def text(data: Data) -> str:
    """The document as JSON, or where it was written."""
    return sentence(data) if "written" in data else json.dumps(data, ensure_ascii=False, indent=1)


def markdown(data: Data) -> str:
    if "written" in data:
        return cell(sentence(data))
    return f"````json\n{json.dumps(data, ensure_ascii=False, indent=1)}\n````"
