"""Facts of ``connector_run``: a connector about to touch a real service.

Seed: IP-028 (``content_ops_connector_runtime_policy_v0``).
"""

from __future__ import annotations

from loopx_policy.facts.points.connector_paths import forbidden_prefix
from loopx_policy.facts.points.projection import Document, Parameters, Projection, part, text, texts

SCHEMA = "content_ops_connector_runtime_policy_v0"
DEFAULTS = {
    "public_metadata_only": "head_only_metadata_probe",
    "private_metadata_only": "gate_projection_only",
    "synthetic_fixture_only": "fixture_only",
}
"""The safe default that goes with each access mode."""

BOUNDS = ("allowed_probe_methods", "forbidden_url_path_prefixes_before_approval", "forbidden_before_approval")
"""What a policy has to say, if only with an empty list."""


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``source.*``, ``policy.*``, ``request.*`` and ``owner.*``."""
    del parameters
    made = Projection()
    policy, request = part(document, "policy"), part(document, "request")
    access = text(policy, "access_mode")
    known = access in DEFAULTS and DEFAULTS[access] == text(policy, "safe_default")
    method = text(request, "method").upper()
    collected = set(texts(request, "collects")) & set(texts(policy, "forbidden_before_approval"))
    prefix = forbidden_prefix(text(request, "url"), texts(policy, "forbidden_url_path_prefixes_before_approval"))
    unsaid = [bound for bound in BOUNDS if "policy" in document and bound not in policy]
    made.values.update(
        {
            "source.status": text(document, "source_status") or "unstated",
            "policy.present": "policy" in document,
            "policy.known": known and text(policy, "schema_version") == SCHEMA,
            "policy.access": access if access in DEFAULTS else "other" if access else "unstated",
            "policy.unsaid": len(unsaid),
            "policy.opens_browser": policy.get("browser_open_allowed_before_gate") is not False,
            "request.kind": request["kind"],
            "request.method_allowed": method in [each.upper() for each in texts(policy, "allowed_probe_methods")],
            "request.path_forbidden": prefix is not None,
            "request.material_said": "collects" in request,
            "request.takes_forbidden": len(collected),
            "request.autoloads": request.get("autoloads") is not False,
            "owner.decision": text(document, "owner_decision") or "none",
        }
    )
    made.say(
        access_mode=access,
        method=method or "no method",
        unsaid_bounds=unsaid,
        forbidden_path=prefix or "",
        forbidden_material=sorted(collected),
        owner_decision=text(document, "owner_decision") or "none",
    )
    return made
