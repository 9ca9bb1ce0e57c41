"""Facts of ``connector_run``: a connector about to touch a real service.

Seed: IP-028 (``content_ops_connector_runtime_policy_v0``).
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote, urlsplit

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, texts

SCHEMA = "content_ops_connector_runtime_policy_v0"
DEFAULTS = {
    "public_metadata_only": "head_only_metadata_probe",
    "private_metadata_only": "gate_projection_only",
    "synthetic_fixture_only": "fixture_only",
}
"""The safe default that goes with each access mode."""


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``source.*``, ``policy.*``, ``request.*`` and ``owner.*``."""
    del parameters
    made = Projection()
    policy, request = part(document, "policy"), part(document, "request")
    access = text(policy, "access_mode")
    known = access in DEFAULTS and DEFAULTS[access] == text(policy, "safe_default")
    method = text(request, "method").upper()
    collected = set(texts(request, "collects")) & set(texts(policy, "forbidden_before_approval"))
    prefix = _forbidden(text(request, "url"), texts(policy, "forbidden_url_path_prefixes_before_approval"))
    made.values.update(
        {
            "source.status": text(document, "source_status") or "unstated",
            "policy.present": bool(policy),
            "policy.known": known and text(policy, "schema_version") == SCHEMA,
            "policy.access": access if access in DEFAULTS else "other" if access else "unstated",
            "policy.opens_browser": policy.get("browser_open_allowed_before_gate") is not False,
            "request.kind": request["kind"],
            "request.method_allowed": method in [each.upper() for each in texts(policy, "allowed_probe_methods")],
            "request.path_forbidden": prefix is not None,
            "request.takes_forbidden": len(collected),
            "request.autoloads": flag(request, "autoloads"),
            "owner.decision": text(document, "owner_decision") or "none",
        }
    )
    made.say(
        access_mode=access,
        method=method or "no method",
        forbidden_path=prefix or "",
        forbidden_material=sorted(collected),
        owner_decision=text(document, "owner_decision") or "none",
    )
    return made


def _forbidden(url: str, prefixes: list[str]) -> str | None:
    """The prefix that the path of ``url`` lies under, read as a server reads it: decoded and without dots."""
    path = posixpath.normpath("/" + unquote(unquote(urlsplit(url).path)).lstrip("/"))
    for prefix in prefixes:
        wanted = posixpath.normpath("/" + unquote(prefix).strip("/"))
        if wanted == "/" or path == wanted or path.startswith(wanted + "/"):
            return prefix
    return None
