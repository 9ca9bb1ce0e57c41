"""``loopx prove``: the proof as data, its witnesses as projects."""

from __future__ import annotations

import os
import tempfile

from loopx_policy.catalog_cache import cache_folder, load_catalog
from loopx_policy.catalog_files import default_folder
from loopx_policy.catalog_source.laws import load_laws
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import CatalogError

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
        catalog = _with(add_rules)
    folder = witnesses or tempfile.mkdtemp(prefix="loopx-witness-")
    proof = prove_catalog(
        catalog, load_laws(catalog), records=records, base=base, folder=folder, every=witnesses is not None
    )
    if witnesses is None and not os.listdir(folder):
        os.rmdir(folder)
    return Result({"schema_version": "loopx_proof_v0", **proof.to_dict()}, "proof", 0 if proof.ok else 1)


def _with(folders: tuple[str, ...]) -> Catalog:
    """The catalog with folders added to it: whole rule files, which may grant, or a project's, which may not."""
    cache = cache_folder(os.environ)
    try:
        return load_catalog([default_folder("rules"), *folders], cache_dir=cache)
    except CatalogError:
        return load_catalog(cache_dir=cache, overlays=folders)
