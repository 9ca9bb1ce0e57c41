"""Checks of one file at a time: its place, its name, its first line, its head and tail."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from itertools import pairwise

from loopx_policy.catalog_files import SourceFile
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.rules import RuleFile
from loopx_policy.catalog_source.vocabulary import GROUND, Vocabulary

KEY_ORDER = (
    "id", "name", "family", "importance", "owner", "summary", "user_channel", "agent_channel", "decides", "parameters",
    "candidate", "turn", "obligations", "withholds", "points", "state_contract", "bad_smells", "visual", "validation",
    "seed",
)  # fmt: skip
DIAGRAMS = (
    "flowchart", "graph", "sequenceDiagram", "stateDiagram", "stateDiagram-v2", "classDiagram", "erDiagram", "journey",
    "gantt", "pie", "mindmap", "timeline", "quadrantChart", "requirementDiagram", "gitGraph",
)  # fmt: skip
FILL_IN = "FILL IN"
"""What a new rule file says where its author has to write something."""
_ID = re.compile(r"IP-\d{3}|GR-[a-z0-9-]+")
_MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\s*")


def check_rule_files(rules: Iterable[RuleFile], root: str | None, report: Report) -> None:
    """Each rule file by itself; ``root`` is where ``validation`` paths start, None where they are not checked."""
    for rule in rules:
        _place_holders(rule, report)
        if rule.file.added:
            _added(rule, report)
            continue
        check_modeline(rule.file, "rule", report)
        _file_name(rule, report)
        _folder(rule, report)
        _key_order(rule, report)
        _visual(rule, report)
        if root is not None:
            _validation(rule, root, report)


def check_vocabulary_files(files: Iterable[SourceFile], vocabulary: Vocabulary, report: Report) -> None:
    """The modelines, and the input schemas that points.yaml names."""
    for file in files:
        facts = file.name.startswith("facts/")
        check_modeline(file, "facts" if facts else file.name.removesuffix(".yaml"), report)
        if file.name == "points.yaml":
            folder = os.path.dirname(file.path)
            for point in vocabulary.points.values():
                if point.input and not os.path.exists(os.path.join(folder, point.input)):
                    report.error(
                        point.input_at, "missing-path", f"There is no file {point.input}; write it or mend the path.",
                        fatal=False,
                    )  # fmt: skip


def check_modelines(files: Iterable[SourceFile], report: Report) -> None:
    """The modelines of files that are named after their schema."""
    for file in files:
        check_modeline(file, file.name.removesuffix(".yaml"), report)


def check_modeline(file: SourceFile, kind: str, report: Report) -> None:
    """The first line of a file: the schema that an editor completes from."""
    first = file.data.split(b"\n", 1)[0].decode("utf-8", "replace")
    match = _MODELINE.fullmatch(first)
    depth = file.name.count("/") + (0 if kind != "rule" else 1)
    inside = "schemas" if kind != "rule" else "catalog/schemas"
    wanted = f"{'../' * depth}{inside}/{kind}.schema.json"
    if match is None:
        message = f"The first line does not name the schema; write # yaml-language-server: $schema={wanted}."
    elif not match[1].endswith(f"schemas/{kind}.schema.json"):
        message = f"The first line names another schema than {kind}.schema.json; write $schema={wanted}."
    elif not os.path.exists(os.path.join(os.path.dirname(file.path), match[1])):
        message = f"The schema that the first line names is not there; write $schema={wanted}."
    else:
        return
    report.error(Mark(file.label), "modeline", message, fatal=False)


def _file_name(rule: RuleFile, report: Report) -> None:
    name = os.path.basename(rule.file.name)
    slug = r"(-[a-z0-9-]+)?" if rule.id.startswith("GR-") else r"-[a-z0-9-]+"
    if _ID.fullmatch(rule.id) and not re.fullmatch(re.escape(rule.id) + slug + r"\.yaml", name):
        wanted = f"{rule.id}.yaml" if rule.id.startswith("GR-") else f"{rule.id}-<slug>.yaml"
        report.error(
            rule.place("id"), "wrong-file-name",
            f"The file is called {name} but holds '{rule.id}'; rename it to {wanted}, or mend the id.", fatal=False,
        )  # fmt: skip


def _place_holders(rule: RuleFile, report: Report) -> None:
    for number, line in enumerate(rule.file.data.decode("utf-8", "replace").splitlines(), 1):
        column = line.find(FILL_IN)
        if column >= 0:
            what = line[column + len(FILL_IN) :].strip(" :\"'[]") or "what belongs here"
            said = f"Fill in {what}, and take the words {FILL_IN} out."
            report.error(Mark(rule.file.label, number, column + 1), "fill-in", said, fatal=False)


def _added(rule: RuleFile, report: Report) -> None:
    """An added rule lies in a project, in folders as it likes; only its name and what people read is checked."""
    name = os.path.basename(rule.file.name)
    if rule.id and not re.fullmatch(re.escape(rule.id) + r"(-[a-z0-9-]+)?\.yaml", name):
        message = (
            f"The file is called {name} but holds '{rule.id}'; rename it to {rule.id}-<slug>.yaml, or mend the id."
        )
        report.error(rule.place("id"), "wrong-file-name", message, fatal=False)
    _key_order(rule, report)
    _visual(rule, report)


def _folder(rule: RuleFile, report: Report) -> None:
    folder = os.path.dirname(rule.file.name)
    if rule.family and folder != rule.family:
        report.error(
            rule.place("family"), "wrong-folder",
            f"The file lies in '{folder or '.'}' but its family is '{rule.family}'; move it, or mend the family.",
            fatal=False,
        )  # fmt: skip
    elif rule.id and (rule.family == GROUND) != rule.id.startswith("GR-"):
        report.error(
            rule.place("family"), "wrong-folder",
            "Ground states have GR- ids and patterns have IP- ids; mend the id or the family.", fatal=False,
        )  # fmt: skip


def _key_order(rule: RuleFile, report: Report) -> None:
    known = [key for key in rule.keys if key in KEY_ORDER]
    for before, key in pairwise(known):
        if KEY_ORDER.index(key) < KEY_ORDER.index(before):
            report.warn(
                rule.keys[key], "key-order", f"The key '{key}' comes before '{before}' in other files; move it up."
            )
            return


def _visual(rule: RuleFile, report: Report) -> None:
    text = rule.visual.value.strip()
    if not text or text == "future":
        return
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("%%")]
    keyword = lines[0].split()[0] if lines else ""
    if keyword not in DIAGRAMS:
        message = f"The diagram starts with no Mermaid keyword but with '{keyword}'; start with flowchart LR, say."
    elif len(lines) == 1:
        message = "The diagram has nothing below its keyword; draw it, or write visual: future."
    else:
        return
    report.error(rule.visual.at, "bad-visual", message, fatal=False)


def _validation(rule: RuleFile, root: str, report: Report) -> None:
    for entry in rule.validation:
        path = entry.value
        if path.startswith("future:"):
            continue
        inside = not os.path.isabs(path) and ".." not in path.split("/")
        if not inside or not os.path.exists(os.path.join(root, path)):
            report.error(
                entry.at, "missing-path",
                f"There is no '{path}' in the repository; write it, mend the path, or say 'future: ...'.", fatal=False,
            )  # fmt: skip
