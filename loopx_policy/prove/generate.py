"""Witnesses as fixtures: a project for what no fixture covers, and one for each pair of neighbours in the order.

Two cases are neighbours when the first leads a state that the second would lead without it, and no case between them
has such a state with the first. What the order declares is the expectation of a pair; what ought to come of anything
else is left for a person to write, with today's answer beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.prove.minimal import minimal
from loopx_policy.prove.realise import back, realise
from loopx_policy.prove.realise.scene import UnrealisableError
from loopx_policy.prove.result import Shown
from loopx_policy.prove.space import Term
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.theory import TURN
from loopx_policy.prove.witness import happening
from loopx_policy.workshop.bench import Situation, distinct

Json = dict[str, Any]
MODELINE = "# yaml-language-server: $schema=../../catalog/schemas/fixture.schema.json\n"


@dataclass(slots=True)
class Made:
    """A fixture: ``name`` is its path below the folder of fixtures; ``judged`` is false where a person has to write
    what ought to come of it.
    """

    name: str
    document: Json
    judged: bool
    today: str = ""

    def yaml(self) -> str:
        """The text of the file."""
        note = "" if self.judged else f"# TODO: write what its seed demands. Today's answer: {self.today}\n"
        return MODELINE + note + yaml.safe_dump(self.document, sort_keys=False, allow_unicode=True, width=118)


@dataclass(slots=True)
class Generated:
    """``made`` are the fixtures that were missing; ``without`` says for the others why there is none."""

    pairs: int = 0
    shown: int = 0
    made: list[Made] = field(default_factory=list)
    without: dict[str, str] = field(default_factory=dict)


def neighbours(theories: Theories) -> Iterator[tuple[Case, Case]]:
    """The pairs of neighbours of the turn, in its order."""
    theory = theories.of(TURN)
    cases = theories.catalog.cases[TURN]
    for place, first in enumerate(cases):
        leads = theory.translation.leads(first.key)
        for second in cases[place + 1 :]:
            if theory.possible(leads, *_next(theories, first, second)):
                yield first, second
                break


def _next(theories: Theories, first: Case, second: Case) -> list[Term]:
    """That the second case matches and none between the two does: it would lead without the first."""
    theory = theories.of(TURN)
    cases = theories.catalog.cases[TURN]
    between = cases[cases.index(first) + 1 : cases.index(second)]
    matches = theory.translation.case
    return [matches(second.key), *(theory.space.z3.Not(matches(case.key)) for case in between)]


def generate(theories: Theories, found: Sequence[Situation], uncovered: Iterable[str]) -> Generated:
    """What is missing of ``uncovered`` cases, obligations and withholdings, and of the pairs of neighbours.

    ``found`` are the situations of the fixtures that there are.
    """
    result, writer = Generated(), _Writer(theories)
    for key in uncovered:
        if key.partition(":")[0] == TURN:
            name = key.partition(":")[2]
            writer.alone(result, key, name, theories.of(TURN).translation.leads(name))
        else:
            result.without[key] = "Only a case that leads a turn is laid out as a project."
    seen = _seen(theories, found)
    for first, second in neighbours(theories):
        result.pairs += 1
        if (first.key, second.key) in seen:
            result.shown += 1
        else:
            writer.pair(result, first, second)
    return result


def _seen(theories: Theories, found: Iterable[Situation]) -> set[tuple[str, str]]:
    """The leads of the situations, each with the next case that matches there."""
    catalog = theories.catalog
    interpreter = Interpreter(conditions(catalog, TURN))
    pairs: set[tuple[str, str]] = set()
    for record, _ in distinct(found, TURN):
        matched = interpreter.matched(record)
        names = [case.key for case in catalog.cases[TURN] if f"case:{case.key}" in matched]
        if len(names) > 1:
            pairs.add((names[0], names[1]))
    return pairs


class _Writer:
    """Lays records out as fixtures."""

    def __init__(self, theories: Theories) -> None:
        self.theories = theories
        self.policy = Policy(theories.catalog)

    def pair(self, result: Generated, first: Case, second: Case) -> None:
        """The first leads where both match; the near miss is the nearest state in which the second leads."""
        translation = self.theories.of(TURN).translation
        subject = f"{first.key} > {second.key}"
        shown = self.theories.shown(TURN, translation.leads(first.key), *_next(self.theories, first, second))
        assert shown is not None
        made = self._document(result, subject, shown, translation.leads(second.key))
        if made is None:
            return
        given, changes = made
        document = {
            "point": TURN,
            "covers": f"{TURN}:{first.key}",
            "seed": f"Order: {first.key} ({first.stratum}) comes before {second.key} ({second.stratum}).",
            "given": given,
            "expect": {"lead": first.key},
            "near_misses": [
                {"name": "what the first rests on is gone", "change": changes, "expect": {"lead": second.key}}
            ],
        }
        result.made.append(Made(f"{first.pattern}/{first.id}_before_{_file(second)}.yaml", document, True))

    def alone(self, result: Generated, key: str, name: str, leads: Term) -> None:
        """A state in which a case leads, and the nearest in which it does not."""
        shown = self.theories.shown(TURN, leads)
        if shown is None:
            result.without[key] = "It leads in no state."
            return
        made = self._document(result, key, shown, self.theories.of(TURN).space.z3.Not(leads))
        if made is None:
            return
        given, changes = made
        miss = {"name": "TODO: the one thing that differs", "change": changes, "expect": {}}
        document = {
            "point": TURN, "covers": key, "seed": "TODO", "given": given, "expect": {}, "near_misses": [miss]
        }  # fmt: skip
        today = happening(back(self.policy, given))
        pattern, _, case = name.partition(".")
        result.made.append(Made(f"{pattern}/{case}.yaml", document, False, f"{today['lead']}, {today['mode']}"))

    def _document(self, result: Generated, subject: str, shown: Shown, other: Term) -> tuple[Json, Json] | None:
        """The document of a record, and the one change that leads to the nearest record of another kind."""
        near = minimal(self.theories.of(TURN), [other], shown.record)
        if near is None:
            result.without[subject] = "There is no other state."
            return None
        try:
            given, after = realise(self.policy, shown.record), realise(self.policy, near)
        except UnrealisableError as error:
            result.without[subject] = error.message
            return None
        changes = dict(_changes(given, after))
        tops = {path.partition(".")[0] for path in changes}
        if len(changes) == 1:
            return given, changes
        if len(tops) == 1:
            return given, {top: after.get(top) for top in tops}
        result.without[subject] = f"No single change of a project leads there; {', '.join(changes)} differ."
        return None


def _changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The changes, as dotted paths, that make ``after`` of ``before``; a removed key becomes ``None``."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            if before.get(key) != after.get(key):
                yield from _changes(before.get(key), after.get(key), f"{path}.{key}" if path else key)
        return
    if path == "todos" and before and after:
        old, new = ({todo["todo_id"]: todo for todo in todos} for todos in (before, after))
        if [name for name in new if name in old] == [name for name in old if name in new]:
            yield from _changes(old, new, path)
            return
    yield path, after


def _file(case: Case) -> str:
    return f"{case.pattern.lower().replace('-', '')}_{case.id}"
