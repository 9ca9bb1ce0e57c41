"""The catalog for people, made from the rule files: a page a pattern and a family, the order, facts and modes."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from loopx_policy.catalog_source.bind import BoundRule
from loopx_policy.catalog_source.compile import Loaded, build
from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Case, Catalog
from loopx_policy.engine.conditions import AllOf, Condition
from loopx_policy.fixtures.load import Fixture
from loopx_policy.prove.phrases import say_condition

NOTE = "<!-- Made by `loopx catalog docs` from the rule files; a test compares. Change those, not this. -->\n"
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.+)$", re.M)


class Pages:
    """Makes the pages. ``up`` leads from their folder to the top of the repository; empty where there is none."""

    def __init__(self, loaded: Loaded, laws: Laws, fixtures: Sequence[Fixture], up: str) -> None:
        self.loaded, self.laws, self.up = loaded, laws, up
        self.catalog: Catalog = build(loaded, "")
        self.fixtures = fixtures
        self.bound = {bound.rule.id: bound for bound in loaded.bound}

    def all(self) -> dict[str, str]:
        """``{path: text}``, by paths relative to the folder."""
        vocabulary = self.loaded.vocabulary
        pages = {f"patterns/{name}.md": self.pattern(bound) for name, bound in sorted(self.bound.items())}
        pages |= {f"families/{name}.md": self.family(name) for name in vocabulary.families}
        pages |= {"README.md": self.index(), "order.md": self.order(), "states.md": self.states()}
        pages |= {"facts.md": self.facts(), "modes.md": self.modes()}
        return {path: NOTE + text.rstrip("\n") + "\n" for path, text in sorted(pages.items())}

    def index(self) -> str:
        families = self.loaded.vocabulary.families.values()
        lines = ["# The catalog", ""]
        lines += ["[The order of the cases](order.md) · [states](states.md) · [facts](facts.md) · [modes](modes.md)"]
        for family in families:
            lines += ["", f"## [{family.name}](families/{family.id}.md)", "", family.purpose.strip(), ""]
            lines += [self._entry(bound, "patterns/") for bound in self._of(family.id)]
        return "\n".join(lines)

    def family(self, name: str) -> str:
        family = self.loaded.vocabulary.families[name]
        lines = [f"# {family.name}", "", family.purpose.strip()]
        lines += ["", f"**Start here when:** {family.start_here_when.strip()}", ""]
        for bound in self._of(name):
            lines += [self._entry(bound, "../patterns/"), f"  {bound.rule.summary.strip()}"]
        return "\n".join([*lines, "", "[All families](../README.md)"])

    def pattern(self, bound: BoundRule) -> str:
        rule = bound.rule
        lines = [f"# {rule.id} {rule.name}", ""]
        lines += [
            f"{rule.importance} · [{rule.family}](../families/{rule.family}.md) · {rule.owner}{self._source(bound)}"
        ]
        lines += ["", rule.summary.strip()]
        for label, text in (("The person", rule.user_channel), ("The agent", rule.agent_channel)):
            if text.strip():
                lines += ["", f"**{label}.** {text.strip()}"]
        if bound.trigger != AllOf(()):
            lines += ["", "## Trigger", "", f"Each case of a turn needs that {self._said(bound.trigger, 'turn')}."]
        lines += self._cases(bound)
        lines += self._duties(bound)
        lines += self._neighbours(bound)
        if rule.visual.value.strip() not in ("", "future"):
            lines += ["", "## Picture", "", "```mermaid", rule.visual.value.rstrip(), "```"]
        if rule.bad_smells:
            lines += ["", "## Bad smells", "", *(f"* {smell}" for smell in rule.bad_smells)]
        lines += self._shown(rule.id)
        return "\n".join(lines)

    def order(self) -> str:
        lines = ["# The order of the strata", "", "The first case that matches leads a turn, from the top."]
        for stratum in self.loaded.vocabulary.strata.values():
            lines += ["", f"## {stratum.name}", "", stratum.why.strip(), ""]
            cases = [case for case in self.catalog.cases["turn"] if case.stratum == stratum.name]
            lines += [f"1. {_case_link(case, 'patterns/')}: {_mode_link(case.mode, '')}" for case in cases]
        return "\n".join(lines)

    def states(self) -> str:
        cases = self.catalog.cases["turn"]
        edges = dict.fromkeys((case.state, case.mode) for case in cases)
        lines = ["# States of a turn", "", "```mermaid", "stateDiagram-v2", "    [*] --> judged"]
        for state in dict.fromkeys(state for state, _ in edges):
            modes = ", ".join(mode for found, mode in edges if found == state)
            lines += [f"    judged --> {state}: {modes}"]
        lines += ["```", "", "| state | meaning | cases |", "|---|---|---|"]
        for name, doc in self.loaded.vocabulary.states.items():
            led = ", ".join(_case_link(case, "patterns/") for case in cases if case.state == name)
            lines += [f"| `{name}` | {_cell(doc.meaning)} | {led} |"]
        return "\n".join(lines)

    def facts(self) -> str:
        lines = ["# Facts", "", "What conditions may read, by decision point."]
        for point, facts in self.loaded.vocabulary.facts.items():
            meaning = self.loaded.vocabulary.points[point].meaning if point in self.loaded.vocabulary.points else ""
            lines += ["", f"## {point}", "", meaning.strip(), "", "| fact | type | meaning |", "|---|---|---|"]
            for name, doc in facts.items():
                kind = f"{doc.type} ({', '.join(doc.values)})" if doc.type == "enum" else doc.type
                lines += [f"| `{name}` | {_cell(kind)} | {_cell(doc.meaning)} |"]
        return "\n".join(lines)

    def modes(self) -> str:
        lines = ["# Modes", "", "A case picks one of these; every flag of the answer follows from it."]
        for name, doc in self.loaded.vocabulary.modes.items():
            mode = doc.mode
            flags = {
                "must attempt": mode.must_attempt,
                "may deliver": mode.delivery_allowed,
                "may rest quietly": mode.quiet_noop_allowed,
                "may spend after validation": mode.spend_after_validation,
                "tells a person": mode.notify,
                "lists candidates": mode.lists_candidates,
            }
            lines += ["", f"## {name}", "", doc.meaning.strip(), ""]
            lines += [f"* {label}: {'yes' if value else 'no'}" for label, value in flags.items()]
            cases = [case for case in self.catalog.cases["turn"] if case.mode == name]
            if cases:
                lines += [f"* picked by {', '.join(_case_link(case, 'patterns/') for case in cases)}"]
        return "\n".join(lines)

    def _of(self, family: str) -> list[BoundRule]:
        found = [bound for bound in self.bound.values() if bound.rule.family == family]
        return sorted(found, key=lambda bound: (bound.rule.importance, bound.rule.id))

    def _entry(self, bound: BoundRule, folder: str) -> str:
        rule = bound.rule
        return f"* [{rule.id}]({folder}{rule.id}.md) {rule.name} ({rule.importance}; {', '.join(rule.decides)})"

    def _source(self, bound: BoundRule) -> str:
        name = f"rules/{bound.rule.file.name}"
        return f" · [{name}](../{self.up}{name})" if self.up else ""

    def _said(self, condition: Condition, point: str) -> str:
        return say_condition(self.laws, condition, self.catalog.points[point].facts)

    def _cases(self, bound: BoundRule) -> Iterator[str]:
        for point in self.catalog.points:
            cases = [case for case, _ in bound.cases if case.point == point]
            if not cases:
                continue
            yield from ["", f"## Cases of {point}", "", "| case | when | decides | reason |", "|---|---|---|---|"]
            for case in cases:
                yield (
                    f"| `{case.id}` | {_cell(self._said(case.when, point))} | {_decides(case)} | {_cell(case.reason)} |"
                )

    def _duties(self, bound: BoundRule) -> Iterator[str]:
        if bound.obligations:
            yield from ["", "## Obligations", "", "| obligation | for | when | text |", "|---|---|---|---|"]
        for duty in bound.obligations:
            when = _cell(self._said(duty.when, "turn"))
            yield f"| `{duty.id}` | {duty.kind} | {when} | {_cell(duty.text)} |"
        if bound.withholdings:
            yield from ["", "## Withholds", "", "| | what | when |", "|---|---|---|"]
        for item in bound.withholdings:
            yield f"| `{item.id}` | {item.what} | {_cell(self._said(item.when, 'turn'))} |"

    def _neighbours(self, bound: BoundRule) -> Iterator[str]:
        turn = self.catalog.cases["turn"]
        mine = [place for place, case in enumerate(turn) if case.pattern == bound.rule.id]
        if mine:
            yield from ["", "## Neighbours in the order", "", "| before | case | after |", "|---|---|---|"]
        for place in mine:
            before = _case_link(turn[place - 1], "") if place else ""
            after = _case_link(turn[place + 1], "") if place + 1 < len(turn) else ""
            stratum = turn[place].stratum
            yield f"| {before} | `{turn[place].key}` in [{stratum}](../order.md#{_anchor(stratum)}) | {after} |"

    def _shown(self, pattern: str) -> Iterator[str]:
        found = [fixture for fixture in self.fixtures if fixture.patterns[1] == pattern]
        if found:
            yield from ["", "## Fixtures", ""]
        for fixture in found:
            name = f"fixtures/{fixture.file}"
            shown = f"[{fixture.file}](../{self.up}{name})" if self.up else f"`{fixture.file}`"
            misses = "; ".join(miss.name for miss in fixture.near_misses)
            yield f"* {shown}: `{fixture.covers}`, and not where {misses}"


def broken_links(pages: dict[str, str], exists: Iterable[str] = ()) -> list[str]:
    """``page: target`` of links that lead nowhere; ``exists`` are further files, by paths relative to the folder."""
    known = {*pages, *exists}
    found = []
    for page, text in pages.items():
        for target, anchor in _LINK.findall(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            anchors = {_anchor(heading) for heading in _HEADING.findall(pages.get(path, ""))}
            if path not in known or (anchor and anchor not in anchors):
                found.append(f"{page}: {target}{'#' + anchor if anchor else ''}")
    return found


def linked_files(pages: dict[str, str]) -> list[str]:
    """The targets outside the pages, by paths relative to the folder."""
    paths = {
        posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        for page, text in pages.items()
        for target, _ in _LINK.findall(text)
    }
    return sorted(paths - set(pages))


def write_pages(folder: str, pages: dict[str, str]) -> list[str]:
    """Write what differs and remove pages of patterns that are gone; the paths that changed."""
    changed = [path for path, text in pages.items() if _read(os.path.join(folder, path)) != text]
    for path in changed:
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
            file.write(pages[path])
    for path in stale(folder, pages):
        os.unlink(os.path.join(folder, path))
        changed.append(path)
    return sorted(changed)


def stale(folder: str, pages: dict[str, str]) -> list[str]:
    """Pages in the folder that were made here and that the catalog no longer has."""
    found = []
    for root, _, files in os.walk(folder):
        for name in files:
            path = os.path.relpath(os.path.join(root, name), folder).replace(os.sep, "/")
            if path not in pages and (_read(os.path.join(folder, path)) or "").startswith(NOTE):
                found.append(path)
    return sorted(found)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _decides(case: Case) -> str:
    if case.point != "turn":
        blocks = f" as {case.blocks}" if case.blocks else ""
        return _cell(f"{case.verdict}{blocks}")
    return f"{_mode_link(case.mode, '../')}, {case.state}, {case.effective_action}"


def _mode_link(mode: str, folder: str) -> str:
    return f"[{mode}]({folder}modes.md#{_anchor(mode)})"


def _case_link(case: Case, folder: str) -> str:
    return f"[{case.key}]({folder}{case.pattern}.md)"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _anchor(heading: str) -> str:
    """The anchor that Markdown viewers give a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
