"""A proposal is a near miss that shows what no fixture shows."""

from __future__ import annotations

from pathlib import Path

import yaml

from loopx_policy.workshop.coverage import cover
from loopx_policy.workshop.missing import propose

from .samples import ALSO, ELSEWHERE, PLAN, REMARK, RULES, answered, invented
from .test_coverage import CONNECTED


def test_appending_the_proposal_closes_the_gap(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    (tmp_path / "before").mkdir()
    found = answered(catalog, tmp_path / "before", PLAN, REMARK + ALSO)
    gaps = cover(catalog, [situation for situation in found if situation.fixture.covers == "IP-101.loose"], {}).missing
    assert [leaf.id for leaf in gaps] == [CONNECTED]
    proposal = propose(catalog, gaps[0], found)
    assert proposal is not None
    (entry,) = yaml.safe_load(proposal.yaml())
    assert entry["expect"] == {}, "what ought to come of it is for a person to say"
    (tmp_path / "after").mkdir()
    text = yaml.safe_dump([{**entry, "expect": {"verdict": "allow"}}], sort_keys=False)
    mended = PLAN + "".join(f"  {line}\n" for line in text.splitlines())
    result = cover(catalog, answered(catalog, tmp_path / "after", mended), {})
    assert result.missing == []


def test_the_proposal_names_its_fixture_and_todays_answer(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    found = answered(catalog, tmp_path, PLAN, REMARK + ALSO)
    leaf = next(leaf for leaf in cover(catalog, found[:2], {}).missing if leaf.id == CONNECTED)
    proposal = propose(catalog, leaf, found)
    assert proposal is not None
    head = proposal.yaml().splitlines()[:2]
    assert head[0] == f"# {proposal.situation.label}"
    assert "verdict allow" in head[1]


def test_where_no_change_of_any_near_miss_shows_it_there_is_no_proposal(tmp_path: Path) -> None:
    catalog = invented(*RULES)
    found = answered(catalog, tmp_path, PLAN)
    (leaf,) = cover(catalog, found, {}).missing
    assert propose(catalog, leaf, found) is None
    assert propose(catalog, leaf, answered(catalog, tmp_path, PLAN + ELSEWHERE)) is not None
