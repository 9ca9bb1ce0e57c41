"""The versions of a policy that a command compares: the program's own, the approved one, a folder, a git revision."""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.approved import NAME, Version, approved_path, read_approved, version_of
from loopx_policy.errors import UsageError

APPROVED, OWN = "approved", "."


def read_version(spec: str) -> Version:
    """The version that ``spec`` names.

    ``approved`` is the approved catalog; ``.`` the program's own; a ``.json`` file an approved catalog elsewhere; a
    folder with ``rules`` and ``catalog`` in it that repository, one with rule files the program's own words with these.
    Everything else is a git revision of the repository around the working directory.
    """
    if spec == APPROVED:
        return read_approved(approved_path(), f"catalog/{NAME}")
    if spec == OWN:
        return version_of(read_sources(), "the program's own")
    if os.path.isfile(spec):
        return read_approved(spec, spec)
    if os.path.isdir(spec):
        return _folder(spec, spec)
    return _revision(spec)


def _folder(folder: str, label: str) -> Version:
    rules, catalog = os.path.join(folder, "rules"), os.path.join(folder, "catalog")
    if os.path.isdir(rules) and os.path.isdir(catalog):
        return version_of(read_sources([rules], catalog), label)
    return version_of(read_sources([folder]), label)


def _revision(spec: str) -> Version:
    known = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{spec}^{{commit}}")
    if known is None:
        raise UsageError(
            f"{spec} is neither a folder, nor a file, nor a revision of the git repository here.",
            fix="Name a folder with rules and catalog in it, a revision, 'approved', or '.' for the program's own.",
        )
    commit = known.decode().strip()
    top = (_git("rev-parse", "--show-toplevel") or b"").decode().strip()
    archive = _git("-C", top, "archive", "--format=tar", commit, "rules", "catalog")
    if archive is None:
        raise UsageError(
            f"The revision {spec} has no rules and catalog.", fix="Name a revision of the policy's repository."
        )
    with tempfile.TemporaryDirectory(prefix="loopx-revision-") as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
        return _folder(folder, f"{spec} ({commit[:10]})")


def _git(*arguments: str) -> bytes | None:
    """What git says; None where it fails or is not there."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
