"""The same project in other words: for the law that prose never decides."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

from tests.support.chooser import RandomChooser
from tests.support.document import PROSE_KEYS, Document
from tests.support.projects import Project
from tests.support.words import LAST_PROSE, prose

ROW_PROSE = frozenset(
    ("recommended_action", "rule", "superseded", "validation", "text", "title", "summary", "reason", "no_writeback")
)
"""Keys of run rows and rollout events, at any depth, whose values are free text."""

GOAL_PROSE = ("recommended_action", "next_probe")
"""Keys of a registry entry whose values are free text."""


class _Wording:
    """Replaces texts one to one: equal texts by equal ones, different texts by different ones.

    So all that may be read from the *equality* of two texts (a repeated action, a note that quotes a
    lesson) stays, and nothing else does. An empty text stays empty.
    """

    def __init__(self, seed: int) -> None:
        self._choose = RandomChooser(f"reword:{seed}")
        self._new: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        if text and text not in self._new:
            words = prose(self._choose.integer(0, LAST_PROSE))
            self._new[text] = f"{words} ({len(self._new) + 1})"
        return self._new.get(text, "")


def reword(project: Project, seed: int) -> Project:
    """A copy of the project in which every free text is another one, and nothing else differs.

    Free text: todo texts and their continuation lines, ``note``, ``reason`` and ``evidence``, the
    objective, prose around the ids of a Next Action, paragraphs of other sections, archived todos,
    recommended actions, lessons, plans, proposals, rewards, rollout summaries. What a todo's derived
    id depends on is its text, so a todo without ``todo_id`` gets another id.
    """
    words = _Wording(seed)
    registry = copy.deepcopy(project.registry)
    for goal in registry["goals"]:
        for key in GOAL_PROSE:
            if key in goal:
                goal[key] = words(goal[key])
    return replace(
        project,
        registry=registry,
        document=_document(project.document, words),
        rows=_values(project.rows, words),
        rollout=_values(project.rollout, words),
        payloads=_values(project.payloads, words),
    )


def _document(document: Document, words: _Wording) -> Document:
    document = copy.deepcopy(document)
    document.objective = words(document.objective)
    for section in document.sections:
        section.lead = [words(line) for line in section.lead]
        for todo in section.todos:
            todo.text = words(todo.text)
            todo.more = [words(line) for line in todo.more]
            for key in PROSE_KEYS:
                if key in todo.meta:
                    todo.meta[key] = words(todo.meta[key])
        for bullet in section.bullets:
            bullet.text = words(bullet.text)
    return document


def _values(value: Any, words: _Wording, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _values(inner, words, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_values(inner, words, key) for inner in value]
    if isinstance(value, str) and key in ROW_PROSE:
        return words(value)
    return value
