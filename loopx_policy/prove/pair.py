"""Two versions of the policy over one space of facts, so that a difference between them is a question to the solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loopx_policy.catalog_source.approved import Version
from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Catalog, Fact
from loopx_policy.engine.conditions import Condition
from loopx_policy.engine.evaluate import conditions
from loopx_policy.errors import CatalogError
from loopx_policy.prove.space import Space
from loopx_policy.prove.theory import Theory
from loopx_policy.prove.translate import Translation, facts_of


@dataclass(slots=True)
class Pair:
    """One decision point of two versions. ``theory`` is of the new one, with its axioms; ``before`` is the old one.

    ``unknown`` are facts that only the old version has: what the projection would make of them nobody knows today, so
    they may have any value.
    """

    point: str
    old: Version
    new: Version
    theory: Theory
    before: Translation
    unknown: tuple[str, ...]

    @property
    def after(self) -> Translation:
        return self.theory.translation

    def same(self, key: str) -> bool:
        """Whether both versions have a case, obligation or withholding of this key with one and the same condition."""
        mine = conditions(self.new.catalog, self.point).get(key)
        return mine is not None and mine == conditions(self.old.catalog, self.point).get(key)

    def changed(self) -> Iterator[tuple[str, Condition]]:
        """Every condition that only one of the versions has as it stands, under its key."""
        new, old = conditions(self.new.catalog, self.point), conditions(self.old.catalog, self.point)
        for key in dict.fromkeys((*old, *new)):
            if old.get(key) != new.get(key):
                yield from ((key, found[key]) for found in (old, new) if key in found)


def pair_up(old: Version, new: Version, laws: Laws, point: str) -> Pair:
    """Both versions of a decision point. ``CatalogError`` where a fact has changed its type."""
    space = Space(_merged(old.catalog, new.catalog, point))
    theory = Theory(new.catalog, laws, point, space=space)
    before = Translation(old.catalog, point, space)
    unknown = tuple(name for name in facts_of(old.catalog, point) if name not in facts_of(new.catalog, point))
    return Pair(point, old, new, theory, before, unknown)


def _merged(old: Catalog, new: Catalog, point: str) -> dict[str, Fact]:
    """The facts of both: the values of an enum together, the larger maximum of a count."""
    found = facts_of(new, point)
    for name, fact in facts_of(old, point).items():
        mine = found.get(name)
        if mine is None:
            found[name] = fact
        elif mine.type != fact.type:
            raise CatalogError(
                f"The fact {name} was declared as {fact.type} and is {mine.type} now.",
                fix="Give the new fact another name; the versions cannot be compared in one.",
            )
        else:
            values = tuple(dict.fromkeys((*mine.values, *fact.values)))
            found[name] = Fact(name, fact.type, values, max(mine.maximum, fact.maximum))
    return found
