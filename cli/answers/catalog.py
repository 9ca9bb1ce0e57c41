"""``loopx catalog``: the rule files and the vocabulary as data for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from loopx_policy.canary.lint import lint_canary
from loopx_policy.canary.read import canary_files
from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.compile import Loaded, load_source
from loopx_policy.catalog_source.findings import PAGE, RULES, nearest
from loopx_policy.catalog_source.lint import lint_folders
from loopx_policy.catalog_source.rules import CaseDoc, RuleFile
from loopx_policy.catalog_source.vocabulary import ParameterDoc, Vocabulary
from loopx_policy.catalog_source.yaml_nodes import Node, plain
from loopx_policy.errors import UsageError

from ..request import Globals, Result
from .policy import load, overlays

Data = dict[str, Any]
ADDED = {
    "purpose": "What a project adds; such rules withhold and oblige, and grant nothing.",
    "start_here_when": "The shipped rules would allow what this project does not want.",
}


def loaded(options: Globals) -> Loaded:
    """Everything that the files say, with the findings of reading them."""
    return load_source(read_sources(overlays=overlays(options)))


def list_patterns(options: Globals) -> Result:
    """``{families: [{id, name, purpose, start_here_when, patterns: [{id, name, importance, decides, summary}]}]}``."""
    found = loaded(options)
    families = [
        {
            "id": family.id,
            "name": family.name,
            "purpose": family.purpose,
            "start_here_when": family.start_here_when,
            "patterns": [
                _line(rule) for rule in _sorted(found.rules) if rule.family == family.id and not rule.file.added
            ],
        }
        for family in found.vocabulary.families.values()
    ]
    added = [_line(rule) for rule in _sorted(found.rules) if rule.file.added]
    if added:
        families.append({"id": "added", "name": "Added rules", **ADDED, "patterns": added})
    return Result({"schema_version": "loopx_catalog_list_v0", "families": families}, "catalog_list")


def _sorted(rules: Iterable[RuleFile]) -> list[RuleFile]:
    return sorted(rules, key=lambda rule: (rule.importance, rule.id))


def _line(rule: RuleFile) -> Data:
    return {
        "id": rule.id,
        "name": rule.name,
        "importance": rule.importance,
        "decides": list(rule.decides),
        "file": rule.file.label,
        "summary": rule.summary.strip(),
    }


def show(options: Globals, pattern: str) -> Result:
    """One pattern in full, conditions as they stand in the file. An unknown id is a usage error."""
    found = loaded(options)
    rules = {rule.id.lower(): rule for rule in found.rules}
    rule = rules.get(pattern.lower())
    if rule is None:
        near = nearest(pattern.upper(), [rule.id for rule in found.rules])
        fix = f"Did you mean {near}?" if near else "loopx catalog list shows them all."
        raise UsageError(f"There is no pattern {pattern}.", fix=fix)
    return Result({"schema_version": "loopx_catalog_show_v0", **_full(rule, found.vocabulary)}, "catalog_show")


def _full(rule: RuleFile, vocabulary: Vocabulary) -> Data:
    family = vocabulary.families.get(rule.family)
    facts = {name: doc.meaning for facts in vocabulary.facts.values() for name, doc in facts.items()}
    data: Data = _line(rule) | {
        "family": rule.family,
        "family_name": family.name if family else rule.family,
        "owner": rule.owner,
        "user_channel": rule.user_channel.strip(),
        "agent_channel": rule.agent_channel.strip(),
        "parameters": {name: _parameter(doc) for name, doc in rule.parameters.items()},
        "trigger": _condition(rule.trigger),
        "cases": {point: [_case(case) for case in cases] for point, cases in rule.cases.items()},
        "obligations": [
            {"id": item.id, "kind": item.kind, "when": _condition(item.when), "text": item.text.value}
            for item in rule.obligations
        ],
        "withholds": [{"id": item.id, "what": item.what, "when": _condition(item.when)} for item in rule.withholdings],
        "state_contract": list(rule.state_contract),
        "bad_smells": list(rule.bad_smells),
        "visual": rule.visual.value,
        "validation": [item.value for item in rule.validation],
        "seed": rule.seed,
    }
    read = sorted(_names(data["trigger"], data["cases"], data["obligations"], data["withholds"]) & facts.keys())
    data["facts"] = {name: facts[name] for name in read}
    shared = _parameters_read(data["trigger"], data["cases"], data["obligations"], data["withholds"])
    for name in sorted(shared & vocabulary.parameters.keys() - data["parameters"].keys()):
        data["parameters"][name] = _parameter(vocabulary.parameters[name])
    return data


def _parameter(doc: ParameterDoc) -> Data:
    return {"value": doc.value, "unit": doc.unit, "meaning": doc.meaning}


def _parameters_read(*parts: Any) -> set[str]:
    """The names behind every ``$name`` in ``parts``."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, dict):
            found |= _parameters_read(*part.values())
        elif isinstance(part, list):
            found |= _parameters_read(*part)
        elif isinstance(part, str) and part.startswith("$"):
            found.add(part[1:])
    return found


def _condition(node: Node | None) -> Any:
    return plain(node) if node is not None else None


def _case(case: CaseDoc) -> Data:
    fields = {
        "id": case.id,
        "stratum": case.stratum.value,
        "mode": case.mode.value,
        "state": case.state.value,
        "effective_action": case.effective_action.value,
        "verdict": case.verdict.value,
        "blocks": case.blocks.value,
        "after": [item.value for item in case.after],
        "requires": [item.value for item in case.requires],
        "reason": case.reason.value,
        "user_reason": case.user_reason.value,
        "primary_action": case.primary_action.value,
    }
    return {name: value for name, value in fields.items() if value} | {"when": _condition(case.when)}


def _names(*parts: Any) -> set[str]:
    """Every mapping key in ``parts``: the facts are among them."""
    found: set[str] = set()
    for part in parts:
        if isinstance(part, dict):
            found |= {str(key) for key in part} | _names(*part.values())
        elif isinstance(part, list):
            found |= _names(*part)
    return found


def order(options: Globals) -> Result:
    """``{strata: [{name, why, cases: [{key, name, importance, mode, state, after}]}]}``: who may lead before whom."""
    found = loaded(options)
    names = {rule.id: rule for rule in found.rules}
    turn = found.cases.get("turn", ())
    strata = [
        {
            "name": stratum.name,
            "why": stratum.why,
            "cases": [
                {
                    "key": case.key,
                    "name": names[case.pattern].name,
                    "importance": names[case.pattern].importance,
                    "mode": case.mode,
                    "state": case.state,
                    "after": list(case.after),
                }
                for case in turn
                if case.stratum == stratum.name
            ],
        }
        for stratum in found.vocabulary.strata.values()
    ]
    return Result({"schema_version": "loopx_catalog_order_v0", "strata": strata}, "catalog_order")


def lint(options: Globals, fix: bool = False) -> Result:
    """``{ok, files, findings: [{at, rule, severity, message, suggestion, page}]}``; exit code 1 on errors only."""
    if fix:
        mend(options)
    findings = [
        finding.to_dict() | {"page": f"{PAGE}#{finding.rule}" if finding.rule in RULES else ""}
        for finding in (*lint_folders(overlays=overlays(options)), *lint_canary())
    ]
    sources = read_sources(overlays=overlays(options))
    ok = not any(finding["severity"] == "error" for finding in findings)
    data = {
        "schema_version": "loopx_catalog_lint_v0",
        "ok": ok,
        "files": len(sources.rules) + len(sources.vocabulary) + len(canary_files()),
        "findings": findings,
    }
    return Result(data, "catalog_lint", 0 if ok else 1)


def mend(options: Globals) -> None:
    """Write anew the rule files in which something mechanical is wrong."""
    from loopx_policy.workshop.fix import fixed

    found: dict[str, set[str]] = {}
    for finding in lint_folders(overlays=overlays(options)):
        found.setdefault(finding.at.rsplit(":", 2)[0], set()).add(finding.rule)
    for file in read_sources(overlays=overlays(options)).rules:
        text = file.data.decode("utf-8", "surrogateescape")
        mended = fixed(text, found.get(file.label, set()))
        if mended != text:
            with open(file.path, "w", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(mended)


def test(options: Globals, fixtures: str, patterns: tuple[str, ...], allow_missing: bool) -> Result:
    """``{ok, passed, failed, errors, missing, outcomes: [{fixture, name, covers, passed, error, differences}]}``.

    ``differences`` are ``[{field, wanted, found, at}]``; ``missing`` is what no fixture covers, which is a failure
    unless ``allow_missing``. Exit code 3 where a fixture could not be judged, so that a slip in one is told from a
    policy that decides otherwise.
    """
    from loopx_policy.fixtures import run_folder

    report = run_folder(load(options), fixtures, patterns)
    errors = [str(error) for error in report.errors]
    ok = not (report.failed or errors or (report.missing and not allow_missing))
    data: Data = {
        "schema_version": "loopx_catalog_test_v0",
        "ok": ok,
        "passed": report.passed,
        "failed": report.failed,
        "errors": errors,
        "missing": report.missing,
        "outcomes": [outcome.to_dict() for outcome in report.outcomes],
    }
    return Result(data, "catalog_test", 0 if ok else 3 if errors else 1)
