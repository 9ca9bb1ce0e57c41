"""A snapshot document is for programs: shown as the JSON it is, or where it was written."""

from __future__ import annotations

import json
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, words

Data = dict[str, Any]


def sentence(data: Data) -> str:
    return f"Wrote {data['written']} ({data['bytes']} bytes)."


def rich(data: Data, look: Look) -> RenderableType:
    del look
    if "written" in data:
        return words(sentence(data))
    return Text(json.dumps(data, ensure_ascii=False, indent=1), no_wrap=True, overflow="ignore")


def markdown(data: Data) -> str:
    if "written" in data:
        return cell(sentence(data))
    return f"````json\n{json.dumps(data, ensure_ascii=False, indent=1)}\n````"
