"""Reasons why a comparison cannot be shown, or a mutant cannot be noticed: ``excuses.yaml`` beside the fixtures."""

from __future__ import annotations

import os
from typing import Any

from loopx_policy.errors import StateError
from loopx_policy.fixtures.load import EXCUSES
from loopx_policy.project.files import open_regular
from loopx_policy.project.parse import parse_document


def read_excuses(folder: str, kind: str) -> dict[str, str]:
    """``{id: reason}`` of ``coverage`` or ``mutants``, empty where there is no file; ``StateError`` for a bad one."""
    path = os.path.join(folder, EXCUSES)
    try:
        with open_regular(path) as stream:
            document = parse_document(stream.read(), EXCUSES)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StateError(f"The excuses cannot be read: {error.strerror}.", at=EXCUSES, fix="Mend the file.") from None
    return _checked(document).get(kind, {})


def _checked(document: Any) -> dict[str, dict[str, str]]:
    kinds = ("coverage", "mutants")
    if not isinstance(document, dict) or not set(document) <= set(kinds):
        raise StateError("The excuses are not what they should be.", at=EXCUSES, fix=f"Keys: {', '.join(kinds)}.")
    for kind, reasons in document.items():
        if not isinstance(reasons, dict) or not all(
            isinstance(text, str) and text.strip() for text in reasons.values()
        ):
            raise StateError(f"{kind} is no mapping of reasons.", at=EXCUSES, fix="Write id: reason.")
    return document
