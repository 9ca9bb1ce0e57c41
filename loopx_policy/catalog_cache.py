"""The compiled catalog, from a cache where one matches the files, else compiled and cached.

A cache file is named after the digest over all rule and vocabulary files and the shape of the compiled form,
so it is never stale: a changed file or program means another name. It is one JSON document whose first bytes
are a header of fixed length with a checksum of the rest, so that a torn or edited file is noticed and rebuilt.
It is written to a file of its own and renamed, so that any number of first runs may go on at once. Where it
cannot be written, nothing is lost but the time to compile.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping, Sequence

from loopx_policy.catalog_files import FORMAT, Sources, read_sources
from loopx_policy.catalog_json import SHAPE, from_json, to_json
from loopx_policy.digests import hex16
from loopx_policy.engine.catalog import Catalog

KEEP = 4
"""Cache files that stay: a few, so that a branch switch or a second project finds its own again."""
PRECOMPILED = "_compiled.json"
_PREFIX, _SUFFIX = "catalog-", ".json"
_HEADER = '{"loopx_policy_catalog":"%d-%s","digest":"%s","check":"%s","catalog":'
_FOOTER = b"}\n"
_STALE_SECONDS = 60


def cache_folder(environ: Mapping[str, str]) -> str | None:
    """``$XDG_CACHE_HOME/loopx-policy``, else ``~/.cache/loopx-policy``; None where neither is set."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG rules: a relative path counts as unset
        home = environ.get("HOME", "")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "loopx-policy")


def load_catalog(
    rules_dirs: Sequence[str] | None = None,
    catalog_dir: str | None = None,
    cache_dir: str | None = None,
    overlays: Sequence[str] = (),
) -> Catalog:
    """The catalog of these folders (the program's own by default), with the rules of ``overlays``, which only withhold.

    ``cache_dir`` comes from ``cache_folder(os.environ)`` in the command line; without one nothing is written.
    Raises CatalogError where a file is wrong (the first finding) or a folder is missing.
    """
    sources = read_sources(rules_dirs, catalog_dir, overlays)
    carried = os.path.join(os.path.dirname(os.path.abspath(__file__)), PRECOMPILED)
    # What lies beside the code is trusted as the code is, whoever installed it.
    catalog = _read(carried, sources.digest, owned=False)
    if catalog is None and cache_dir is not None:
        catalog = _read(_cache_path(cache_dir, sources.digest), sources.digest, owned=True)
    if catalog is not None:
        return catalog
    catalog = compile_sources(sources)
    if cache_dir is not None:
        _write(cache_dir, sources.digest, encode(catalog))
    return catalog


def compile_sources(sources: Sources) -> Catalog:
    """Compile what was read, without any cache; imports yaml and jsonschema."""
    from loopx_policy.catalog_source.compile import compile_catalog

    return compile_catalog(sources)


def encode(catalog: Catalog) -> bytes:
    """The bytes of a cache file, or of the precompiled file that a wheel carries beside this module."""
    body = json.dumps(to_json(catalog), separators=(",", ":"), ensure_ascii=False).encode()
    return _header(catalog.digest, body) + body + _FOOTER


def decode(data: bytes, digest: str) -> Catalog | None:
    """The catalog in ``data``; None unless it is whole, of this format, and of this digest."""
    body = data[len(_header(digest, b"")) : -len(_FOOTER)]
    if data != _header(digest, body) + body + _FOOTER:
        return None
    try:
        return from_json(json.loads(body), digest)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return None  # whole, and yet not one of ours


def _header(digest: str, body: bytes) -> bytes:
    return (_HEADER % (FORMAT, SHAPE, digest, hex16([body]))).encode()


def _cache_path(folder: str, digest: str) -> str:
    return os.path.join(folder, f"{_PREFIX}{digest}-{SHAPE}{_SUFFIX}")


def _read(path: str, digest: str, *, owned: bool) -> Catalog | None:
    """The catalog in a file; None where there is none, where it is not whole, or where it is not ours.

    ``owned`` asks that nobody else (but root) owns the file or may write it: policy must not come from a
    stranger in a shared cache folder.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if owned and (status.st_mode & stat.S_IWOTH or status.st_uid not in (0, os.geteuid())):
            return None
        data = os.read(descriptor, status.st_size)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return decode(data, digest)


def _write(folder: str, digest: str, data: bytes) -> None:
    """Put the file in place as a whole; a folder that cannot be written is no error."""
    temporary = os.path.join(folder, f".{_PREFIX}{digest}.{os.getpid()}.tmp")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(descriptor, "wb") as file:
                file.write(data)
            os.replace(temporary, _cache_path(folder, digest))
        except OSError:
            os.unlink(temporary)
            return
        _prune(folder, os.stat(_cache_path(folder, digest)).st_mtime)
    except OSError:
        return


def _prune(folder: str, newest: float) -> None:
    """Keep the latest few cache files; remove temporary files that a killed run left a while ago."""
    ages: list[tuple[float, str]] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                ages.append((entry.stat(follow_symlinks=False).st_mtime, entry.name))
            elif (
                entry.name.startswith(f".{_PREFIX}")
                and entry.name.endswith(".tmp")
                and entry.stat(follow_symlinks=False).st_mtime < newest - _STALE_SECONDS
            ):
                os.unlink(entry.path)
    for _, name in sorted(ages, reverse=True)[KEEP:]:
        os.unlink(os.path.join(folder, name))
