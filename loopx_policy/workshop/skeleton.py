"""A new pattern as files to fill in: its rule, and a fixture that reaches it and one that narrowly misses it.

What is there at first is whole: it compiles, its fixture passes, and its comparison is covered. Whatever is only a
place-holder says FILL IN, which lint reports line by line.
"""

from __future__ import annotations

import re

_PATTERN = """\
# yaml-language-server: $schema=../../catalog/schemas/rule.schema.json
id: {id}
name: {name}
family: {family}
importance: P1
owner: "FILL IN: who acts on it first, as Agent"
summary: "FILL IN: what happens, and what the pattern makes of it"
user_channel: "FILL IN: whether a person is told or asked, and what"
agent_channel: "FILL IN: what the agent must, may and must not do"
decides: [turn]
obligations:
  - id: tell
    kind: view
    when: {{todos.open: {{gte: 1}}}}
    text: "FILL IN: what has to be done or shown"
state_contract: ["FILL IN: the durable fields that it rests on"]
bad_smells: ["FILL IN: how things go wrong without it"]
visual: future
validation: [fixtures/{id}/]
seed: "FILL IN: the passage that demands it"
"""

_ADDED = """\
id: {id}
name: {name}
summary: "FILL IN: what happens, and what the rule withholds or demands"
decides: [turn]
obligations:
  - id: tell
    kind: view
    when: {{todos.open: {{gte: 1}}}}
    text: "FILL IN: what has to be done or shown"
"""

_FIXTURE = """\
{modeline}point: turn
covers: {id}.tell
seed: "FILL IN: the sentence that demands it, in your own words"
given:
  now: 2026-12-01T12:00:00Z
  goal: {{id: harbor}}
  todos:
    - {{todo_id: todo_a01, text: Chart the basin}}
expect:
  obligations: [{id}.tell]
  obligation_kinds: {{{id}.tell: view}}
near_misses:
  - name: nothing is open
    change: {{todos.todo_a01.status: done}}
    expect: {{not_obligations: [{id}.tell]}}
"""

_MODELINE = "# yaml-language-server: $schema=../../catalog/schemas/fixture.schema.json\n"
PATTERN_ID = re.compile(r"IP-\d{3}")


def skeleton(pattern: str, name: str, family: str) -> dict[str, str]:
    """``{path: text}`` from the top of the repository; for an added rule, which has no family, from ``.loopx``."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "rule"
    shown = f'"{name}"' if re.search(r"[^\w \-]", name) else name
    own = PATTERN_ID.fullmatch(pattern) is not None
    words = {"id": pattern, "name": shown, "family": family, "modeline": _MODELINE if own else ""}
    rule = f"rules/{family}/{pattern}-{slug}.yaml" if own else f"rules/{pattern}-{slug}.yaml"
    return {
        rule: (_PATTERN if own else _ADDED).format(**words),
        f"fixtures/{pattern}/tell.yaml": _FIXTURE.format(**words),
    }
