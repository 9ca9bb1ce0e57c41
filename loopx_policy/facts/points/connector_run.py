"""Facts of ``connector_run``: a connector about to touch a real service, against its runtime policy.

Seed: IP-028.
"""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, texts, words_of

SCHEMA_VERSION = "content_ops_connector_runtime_policy_v0"
SAFE_DEFAULTS = {
    "public_metadata_only": "head_only_metadata_probe",
    "private_metadata_only": "gate_projection_only",
    "synthetic_fixture_only": "fixture_only",
}
"""The safe default that belongs to each access mode."""
LISTS = ("allowed_probe_methods", "forbidden_url_path_prefixes_before_approval", "forbidden_before_approval")
_PERCENT = re.compile(r"%([0-9A-Fa-f]{2})")


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``policy.*``, ``source.*``, ``request.*`` and ``owner.*``."""
    made = Projection()
    policy, request = part(document, "policy"), part(document, "request")
    faults = _faults(policy)
    kind, path = text(request, "kind"), _path(text(request, "url"))
    forbidden = texts(policy, "forbidden_url_path_prefixes_before_approval")
    collects = [_plain(name) for name in texts(request, "collects")]
    withheld = {_plain(name) for name in texts(policy, "forbidden_before_approval")}
    beyond = [name for name in collects if name not in words_of(parameters, "metadata_kinds")]
    methods = [name.upper() for name in texts(policy, "allowed_probe_methods")]
    access = text(policy, "access_mode")
    made.values.update(
        {
            "policy.standing": "absent" if "policy" not in document else "invalid" if faults else "valid",
            "policy.access": access if access in SAFE_DEFAULTS else "unknown",
            "policy.browser_before_gate": flag(policy, "browser_open_allowed_before_gate"),
            "source.status": text(document, "source_status") or "unstated",
            "request.kind": kind,
            "request.method_allowed": text(request, "method").upper() in methods,
            "request.path_forbidden": path is None or any(_below(path, prefix) for prefix in forbidden),
            "request.autoloads": request.get("autoloads") is not False if kind == "browser_open" else flag(request, "autoloads"),
            "request.collects_withheld": len(withheld.intersection(collects)),
            "request.beyond_metadata": len(beyond),
            "owner.decision": text(document, "owner_decision") or "none",
        }
    )
    made.say(
        policy_faults=faults,
        probe_methods=methods,
        withheld_kinds=sorted(withheld.intersection(collects)),
        beyond_kinds=beyond,
        access_mode=access,
    )
    return made


def _faults(policy: Document) -> list[str]:
    """Names of the policy's fields that are absent, unknown or at odds with each other."""
    access = text(policy, "access_mode")
    faults = [] if text(policy, "schema_version") == SCHEMA_VERSION else ["schema_version"]
    if access not in SAFE_DEFAULTS:
        faults.append("access_mode")
    elif text(policy, "safe_default") != SAFE_DEFAULTS[access]:
        faults.append("safe_default")
    if not isinstance(policy.get("browser_open_allowed_before_gate"), bool):
        faults.append("browser_open_allowed_before_gate")
    elif policy["browser_open_allowed_before_gate"] and access == "private_metadata_only":
        faults.append("browser_open_allowed_before_gate")
    return faults + [name for name in LISTS if name not in policy]


def _path(url: str) -> str | None:
    """The path of an address as a server would read it; None where there is none that can be trusted."""
    for _ in range(4):
        decoded = _PERCENT.sub(lambda match: chr(int(match[1], 16)), url)
        if decoded == url:
            break
        url = decoded
    else:
        return None
    rest = re.sub(r"^[a-z][a-z0-9+.-]*://[^/?#]*", "", url.replace("\\", "/").strip(), flags=re.I)
    if not rest.startswith("/"):
        return "/" if not rest and url else None
    parts: list[str] = []
    for segment in re.split(r"[?#]", rest)[0].split("/"):
        if segment == "..":
            parts = parts[:-1]
        elif segment not in ("", "."):
            parts.append(segment)
    return "/" + "/".join(parts).lower()


def _below(path: str, prefix: str) -> bool:
    """Whether a path begins with a forbidden prefix, letters and a trailing slash aside."""
    return path.startswith(_path(prefix if prefix.startswith("/") else f"/{prefix}") or "/")


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
