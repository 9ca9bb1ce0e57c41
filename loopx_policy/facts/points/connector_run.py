"""Facts of ``connector_run``: a connector about to touch a real service.

Seed: IP-028 (``content_ops_connector_runtime_policy_v0``).
"""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, texts

SCHEMA = "content_ops_connector_runtime_policy_v0"
DEFAULTS = {
    "public_metadata_only": "head_only_metadata_probe",
    "private_metadata_only": "gate_projection_only",
    "synthetic_fixture_only": "fixture_only",
}
"""The safe default that goes with each access mode."""

_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")


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
    """The prefix with which the path of ``url`` begins, or ``an unreadable path``.

    A prefix is a beginning of the text, as ``/api/conversations`` is of ``/api/conversations.history``. What
    cannot be read as a path lies under every prefix.
    """
    path = _path(url)
    for prefix in prefixes:
        if path is None:
            return "an unreadable path"
        if path.startswith(_path("/" + prefix.lstrip("/")) or "/"):
            return prefix
    return None


def _path(url: str) -> str | None:
    """The path of an address as the most lenient server would read it: decoded, without dots, in small letters."""
    for _ in range(5):
        decoded = _ENCODED.sub(lambda match: chr(int(match[1], 16)), url)
        if decoded == url:
            break
        url = decoded
    else:
        return None
    rest = re.sub(r"^(?:[a-z][a-z0-9+.-]*:)?//[^/?#]*", "", url.replace("\\", "/").strip(), flags=re.I)
    parts: list[str] = []
    for segment in re.split(r"[?#]", rest)[0].split("/"):
        if segment == "..":
            parts = parts[:-1]
        elif segment not in ("", "."):
            parts.append(segment.lower())
    return "/" + "/".join(parts)
