"""Facts of ``decision_write``: a reward or a gate decision on its way into durable state.

Seed: IP-014; reward and gate direct-write contract; dashboard reward write boundary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from loopx_policy import loopback
from loopx_policy.digests import hex16
from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    as_typed,
    flag,
    number,
    part,
    private_texts,
    seconds,
    text,
    texts,
    words_of,
)  # fmt: skip
from loopx_policy.text import cut, public

CONTRACT = (
    "decision_kind", "goal_id", "target_ref", "decision", "reason_summary", "source_of_truth", "write_effect",
    "project_agent_visibility",
)  # fmt: skip
"""Fields that every decision write exposes (``decision_write_contract_v0``)."""
OPTIONAL = ("follow_up", "preview_id", "reward", "operator_gate_resume_contract")
REQUEST = ("goal_id", "run_generated_at", "preview_id", "decision", "reward", "reason_summary", "follow_up")
"""Fields that a browser request may have."""
PAYLOAD = ("decision", "reward", "reason_summary", "follow_up")
"""The compact reward payload that a preview id is bound to."""
SOURCES = {"human_reward": "run_bound_human_reward_overlay", "operator_gate": "operator_gate_decision_run"}
REREAD = ("registry", "active_state", "quota", "repo_snapshot", "policy", "run_status")
"""What the receiver of an approval must read again before it acts."""

_REFUSING = re.compile(r"(?:reject|deny|denied|decline|refuse|defer|hold|wait|keep_blocked)", re.I)
_APPROVING = re.compile(r"(?:approve|accept|allow|grant)", re.I)
_IMPLICIT = re.compile(r"(?:latest|last|newest|current|head|any|all|none)", re.I)


def preview_id(goal_id: str, target_ref: str, run_key: str, payload: Mapping[str, Any], raw_index_count: int) -> str:
    """The opaque id of a preview: 16 hex digits over the run, the compact payload and the length of the run index."""
    compact = {name: payload.get(name) or "" for name in PAYLOAD}
    bound = [goal_id, target_ref, run_key, compact, raw_index_count]
    return hex16([json.dumps(bound, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()])


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``write.*``, ``contract.*``, ``text.*``, ``target.*``, ``preview.*``, ``resume.*``, ``server.*``."""
    made = Projection()
    kind, contract, request = document["decision_kind"], part(document, "contract"), part(document, "request")
    target, effect = part(document, "target"), part(document, "effect")
    made.values.update(
        {
            "write.kind": kind,
            "write.step": document["step"],
            "write.surface": document["surface"],
            "write.by": part(document, "actor").get("kind", "unstated"),
            "write.rows": number(effect, "rows"),
            "write.rewrites": effect.get("rewrites") is not False,
            "target.exact": _is_exact(kind, contract),
            "target.matches": number(target, "matches"),
            "target.near": len(texts(target, "near")),
            "target.artifact": flag(target, "artifact_available"),
            "decision.sense": sense(text(contract, "decision")),
            "reward.known": text(contract, "reward") in words_of(parameters, "reward_values"),
        }
    )
    _contract(made, kind, contract, request)
    private_texts(made, {"contract": dict(contract), "request": dict(request)})
    spoken = {name: each for name in PAYLOAD if isinstance(each := contract.get(name), str)}
    longest = max(map(len, spoken.values()), default=0)
    broken = [name for name, each in spoken.items() if len(each.splitlines()) > 1]
    made.values["text.longest"] = longest
    made.values["text.multiline"] = bool(broken)
    made.say(wordy_fields=broken or [name for name, each in spoken.items() if len(each) == longest])
    _preview(made, contract, target)
    missing = [name for name in REREAD if name not in _rereads(contract)]
    made.values["resume.missing"] = len(missing)
    made.say(
        rereads=missing,
        target=text(contract, "target_ref"),
        goal=text(contract, "goal_id"),
        near=texts(target, "near"),
        deciding_agent=text(part(document, "actor"), "agent_id"),
    )
    said = ("decision", "reward", "reason_summary", "follow_up")
    made.typed["reward_flags"] = as_typed(*(("--" + name.replace("_", "-"), text(contract, name)) for name in said))
    _server(made, part(document, "server"))
    return made


def _contract(made: Projection, kind: str, contract: Document, request: Document) -> None:
    missing = [name for name in CONTRACT if not text(contract, name)]
    unknown = [name for name in contract if name not in (*CONTRACT, *OPTIONAL)]
    unknown += [name for name in request if name not in REQUEST]
    wrong = [name for name in PAYLOAD + CONTRACT if name in contract and not isinstance(contract[name], str)]
    wrong += [name for name in REQUEST if name in request and not isinstance(request[name], (str, type(None)))]
    differing = [name for name in REQUEST if name in request and _differs(name, request, contract)]
    if text(contract, "decision_kind") != kind:
        differing.append("decision_kind")
    if text(contract, "source_of_truth") != SOURCES[kind]:
        differing.append("source_of_truth")
    made.values.update(
        {
            "contract.missing": len(missing),
            "contract.unknown": len(unknown),
            "contract.malformed": len(wrong),
            "contract.differing": len(differing),
        }
    )
    made.say(
        missing_fields=missing,
        unknown_fields=[cut(public(name), 60) if name.isidentifier() else "?" for name in unknown],
        malformed_fields=sorted(set(wrong)),
        differing_fields=differing,
    )


def _differs(name: str, request: Document, contract: Document) -> bool:
    mine = "target_ref" if name == "run_generated_at" else name
    return (request[name] or "") != (contract.get(mine) or "")


def _is_exact(kind: str, contract: Document) -> bool:
    goal, target = text(contract, "goal_id"), text(contract, "target_ref")
    if not re.fullmatch(r"[\w.:@-]{1,120}", goal) or goal.strip(".") == "":
        return False
    if kind == "human_reward":
        return seconds({"at": target}, "at") is not None
    return re.fullmatch(r"[\w.:@-]{1,160}", target) is not None and not _IMPLICIT.fullmatch(target)


def sense(decision: str) -> str:
    """How a word answers a gate: ``approve``, ``refuse``, or ``other`` where it is not known."""
    if _REFUSING.match(decision):
        return "refuse"
    return "approve" if _APPROVING.match(decision) else "other"


def _preview(made: Projection, contract: Document, target: Document) -> None:
    given = text(contract, "preview_id")
    expected = preview_id(
        text(contract, "goal_id"), text(contract, "target_ref"), text(target, "run_key"), contract,
        number(target, "raw_index_count"),
    )  # fmt: skip
    made.values["preview.standing"] = "none" if not given else "matches" if given == expected else "stale"


def _rereads(contract: Document) -> list[str]:
    return texts(part(contract, "operator_gate_resume_contract"), "reread")


def _server(made: Projection, server: Document) -> None:
    origin = server.get("origin")
    if not isinstance(origin, str) or origin in ("", "null"):
        standing = "missing"
    elif not loopback.is_loopback_origin(origin):
        standing = "foreign"
    else:
        standing = "listed" if origin in texts(server, "allowed_origins") else "unlisted"
    media = text(server, "content_type").lower().replace(" ", "")
    made.values.update(
        {
            "server.loopback": loopback.is_loopback(text(server, "bind_host")),
            "server.write_enabled": flag(server, "write_api_enabled"),
            "server.origin": standing,
            "server.host_loopback": loopback.is_loopback_authority(text(server, "host")),
            "server.json": media in ("application/json", "application/json;charset=utf-8"),
        }
    )
