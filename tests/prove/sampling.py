"""Random records that keep the axioms: random wishes for every fact, of which as many are granted as go together."""

from __future__ import annotations

from random import Random

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Value
from loopx_policy.prove.theory import Assumption, Theory


def wish(fact: Fact, chance: Random, default: Value, calm: float) -> Value:
    """A random value; the default one with the probability ``calm``, and small figures more often than large ones."""
    if chance.random() < calm:
        return default
    if fact.type == "bool":
        return chance.random() < 0.5
    if fact.type == "enum":
        return chance.choice(fact.values)
    near = chance.choice((0, 1, 1, 2, 3, 6, 15, 16, 17, 20))
    return min(fact.maximum, near if chance.random() < 0.9 else chance.randint(0, fact.maximum))


def sample(theory: Theory, default: dict[str, Value], chance: Random, *, small: bool = False) -> dict[str, Value]:
    """One random record of a theory; ``small`` ones have counts up to six, and no lane is full."""
    facts, space = theory.space.facts, theory.space
    calm = chance.choice((0.2, 0.5, 0.8, 0.9))
    wishes = {name: wish(fact, chance, default[name], calm) for name, fact in facts.items()}
    asked = [Assumption(name, space.equals(name, value)) for name, value in wishes.items()]
    if small:
        counts = [name for name, fact in facts.items() if fact.type == "count"]
        asked = [item for item in asked if facts[item.name].type != "count" or int(wishes[item.name]) <= 6]
        firm = [
            space.variables[name] <= 6
            for name in counts
            if name.startswith(("frontier", "others", "handoffs", "monitors"))
        ]
        return theory.grant(asked, chance.choice, [*firm, space.equals("lanes.hidden", 0)])
    return theory.grant(asked, chance.choice)
