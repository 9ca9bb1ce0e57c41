"""Who says less is never permitted more: what a document leaves unsaid is read in the way that permits less."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point, read_schema
from loopx_policy.facts.points.material_intake import REQUIRED
from loopx_policy.fixtures import load_folder
from loopx_policy.fixtures.change import changed
from loopx_policy.schema_check import misfits
from tests.points.documents import documents

CATALOG = load_catalog()
FOLDER = Path(__file__).parents[2] / "fixtures"
PERMITS = {
    "evidence_count": {"countable"}, "connector_run": {"allow"}, "assistance": {"allow"},
    "material_intake": {"register_tracked", "register_local"}, "packet_field": {"stable"},
}  # fmt: skip
SPEAKS_AGAINST = {
    "evidence_count": {
        "terminal_failure": "a marker is there or is not; no marker needs to be denied",
        "texts": "texts are judged if there are any",
    },
    "connector_run": {
        "owner_decision": "a public probe waits for nobody, so only a refusal stands in its way",
        "policy": "a fixture needs no policy, so only a broken one stands in its way",
    },
    "assistance": {
        "intervention.text": "a text is judged if there is one",
        "intervention.minutes_since_last": "there is none where no help was given before",
    },
    "material_intake": {"material": "fields that no source contract has"},
    "packet_field": {},
}
"""Parts that can only spoil a document, so that leaving one out may permit it."""


def permits(point: str, document: Any) -> bool:
    return decide_point(CATALOG, point, document).verdict in PERMITS[point]


def speaks_against(point: str, document: Any, path: str) -> bool:
    if point == "material_intake" and path.startswith("material."):
        return path.split(".")[1] not in REQUIRED
    if point == "evidence_count" and path == "gates.compact_result_ingested":
        return bool(document["question"] == "process_launch")  # a result without its job root contradicts a launch
    return path in SPEAKS_AGAINST[point] or path.startswith("texts.")


@cache
def shipped(point: str) -> list[str]:
    """Each document of the fixtures of a point, near misses too, as JSON."""
    found = {}
    for fixture in load_folder(str(FOLDER))[0]:
        if fixture.point == point:
            found[json.dumps(fixture.given)] = 1
            for miss in fixture.near_misses:
                document = fixture.given
                for path, value in miss.changes.items():
                    document = changed(document, path, value)
                found[json.dumps(document)] = 1
    return list(found)


def parts(value: Any, here: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of everything that a document says, down to its leaves; list entries stay together."""
    found = []
    if isinstance(value, dict):
        for name, below in value.items():
            found += [(*here, name), *parts(below, (*here, name))]
    return found


def without(document: Any, path: tuple[str, ...]) -> Any:
    made = copy.deepcopy(document)
    place = made
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return made


def said_less(point: str, document: Any) -> list[tuple[str, Any]]:
    """Each document that leaves out one part which does more than speak against it."""
    found = []
    for path in parts(document):
        name = ".".join(path)
        less = without(document, path)
        if not speaks_against(point, document, name) and not misfits(less, read_schema(point)):
            found.append((name, less))
    return found


@pytest.mark.parametrize("point", PERMITS)
def test_no_shipped_document_is_permitted_more_for_saying_less(point: str) -> None:
    wrong = []
    for text in shipped(point):
        document = json.loads(text)
        if not permits(point, document):
            wrong += [(path, document) for path, less in said_less(point, document) if permits(point, less)]
    assert wrong == []


@pytest.mark.parametrize("point", PERMITS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_no_mixture_of_documents_is_permitted_more_for_saying_less(point: str, data: st.DataObject) -> None:
    one = json.loads(data.draw(st.sampled_from(shipped(point))))
    other = json.loads(data.draw(st.sampled_from(shipped(point)))) if data.draw(st.booleans()) else None
    mixed = one | {
        name: part
        for name, part in (other or data.draw(documents(read_schema(point)))).items()
        if data.draw(st.booleans())
    }
    if not permits(point, mixed):
        for path, less in said_less(point, mixed):
            assert not permits(point, less), path


PRECONDITIONS = {
    ("evidence_count", "IP-015.result"): [
        "source", "gates.preflight_ready", "gates.process_started", "gates.job_root_materialized",
        "gates.compact_result_ingested", "gates.comparison_ready", "claim_review", "learning_ledger", "assisted",
        "already_counted",
    ],
    ("evidence_count", "IP-015.case"): ["source", "gates.job_root_materialized", "job_stale", "already_counted"],
    ("connector_run", "IP-028.probe"): [
        "source_status", "policy", "policy.schema_version", "policy.access_mode", "policy.safe_default",
        "policy.browser_open_allowed_before_gate", "policy.allowed_probe_methods",
        "policy.forbidden_url_path_prefixes_before_approval", "policy.forbidden_before_approval", "request.method",
        "request.url", "request.autoloads", "request.collects",
    ],
    ("connector_run", "IP-028.approved_read"): ["policy", "owner_decision"],
    ("assistance", "IP-009.help"): [
        "experiment.assistance_enabled", "experiment.budget", "experiment.used", "experiment.minimum_interval_minutes",
        "experiment.hidden_from_worker", "intervention.source", "intervention.channel", "intervention.reveals",
        "intervention.minutes_since_last",
    ],
    ("assistance", "IP-009.report"): [
        "experiment.assistance_enabled", "experiment.budget", "experiment.used", "experiment.minimum_interval_minutes",
        "experiment.hidden_from_worker", "intervention.source", "intervention.channel", "intervention.reveals",
        "result.label", "result.merged_into_official_score", "result.interventions_recorded",
    ],
    ("material_intake", "IP-011.tracked"): [
        "project", "project.known", "project.goal_id", "project.owns_material", "project.doc_registry", "body_read",
        "conflict", *(f"material.{name}" for name in REQUIRED),
    ],
    ("packet_field", "IP-025.promoted"): [
        "field.route", "field.public_safe", "field.structured", "field.versioned", "field.generic_meaning",
        "promotion.schema_decision", "promotion.consumers", "promotion.boundaries_documented",
        "promotion.failures_generic", "promotion.sidecar_smoke", "promotion.packet_smoke",
    ],
}  # fmt: skip
"""What each permit rests on: its seed passage, part by part."""
ASKED = {"IP-015.result": ("question", "claim"), "IP-028.probe": ("owner_decision", "none")}
"""Of several documents that reach a case, the one that rests on most."""


def shown_otherwise(path: str, document: Any) -> bool:
    """Whether another part says the same: a trial shows its job root, a result that the job moved, a label the help."""
    gates = document.get("gates", {})
    return (
        (path == "gates.job_root_materialized" and gates.get("trial_materialized") is True)
        or (path == "job_stale" and gates.get("compact_result_ingested") is True)
        or (path == "assisted" and document.get("label") == "assisted")
    )


EACH = [(*key, path) for key, paths in PRECONDITIONS.items() for path in paths]


@pytest.mark.parametrize(("point", "case", "path"), EACH)
def test_a_permit_falls_with_each_of_its_preconditions(point: str, case: str, path: str) -> None:
    name, value = ASKED.get(case, ("", None))
    sound = [
        document
        for document in map(json.loads, shipped(point))
        if document.get(name) == value
        and decide_point(CATALOG, point, document).case == case
        and tuple(path.split(".")) in parts(document)
    ]
    assert sound
    for document in sound:
        if shown_otherwise(path, document):
            continue
        assert not permits(point, without(document, tuple(path.split("."))))
