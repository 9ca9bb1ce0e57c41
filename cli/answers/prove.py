"""``loopx prove``: the proof as data, its witnesses as projects."""

from __future__ import annotations

import os
import tempfile

from loopx_policy.catalog_cache import cache_folder, load_catalog
from loopx_policy.catalog_files import default_folder
from loopx_policy.catalog_source.laws import load_laws

from ..request import Result
from .policy import load


def prove(add_rules: tuple[str, ...], records: int, witnesses: str | None) -> Result:
    """``{ok, catalog_digest, engine, checks: [{name, says, ok, number, findings}]}``; exit code 1 where one failed.

    A witness of a failure has ``project.folder``, the root of a project that shows it, in a new temporary folder unless
    ``witnesses`` names one.
    """
    from loopx_policy.prove.run import prove as prove_catalog
    from loopx_policy.prove.space import solver

    solver()  # the extra is missed before anything else is done
    base = None
    catalog = load()
    if add_rules:
        base = catalog
        catalog = load_catalog([default_folder("rules"), *add_rules], cache_dir=cache_folder(os.environ))
    folder = witnesses or tempfile.mkdtemp(prefix="loopx-witness-")
    proof = prove_catalog(
        catalog, load_laws(catalog), records=records, base=base, folder=folder, every=witnesses is not None
    )
    if witnesses is None and not os.listdir(folder):
        os.rmdir(folder)
    return Result({"schema_version": "loopx_proof_v0", **proof.to_dict()}, "proof", 0 if proof.ok else 1)
