"""Everything that is wrong in a catalog, for the people who keep it.

Compilation stops at what leaves no meaning; lint goes on to what a catalog can live with but should not:
names of files and folders, unread vocabulary, missing fixtures, diagrams, cases that can never lead.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from loopx_policy.catalog_files import SourceFile, Sources, default_folder, read_beside, read_sources
from loopx_policy.catalog_source.compile import build, load_source
from loopx_policy.catalog_source.findings import Finding
from loopx_policy.catalog_source.laws import FILES, read_laws
from loopx_policy.catalog_source.lint_files import check_modelines, check_rule_files, check_vocabulary_files
from loopx_policy.catalog_source.lint_use import check_cases, check_use


def lint(
    sources: Sources, root: str | None = None, laws: Mapping[str, SourceFile] = MappingProxyType({})
) -> list[Finding]:
    """All findings, sorted by place. ``root`` is where ``validation`` paths start; None leaves them unchecked.

    ``laws`` are the files of axioms, invariants and phrases, read where the catalog can be compiled.

    Vocabulary that is read by nobody is only reported where everything else could be read, since a broken
    rule would make its facts look unread.
    """
    loaded = load_source(sources)
    report = loaded.report
    check_vocabulary_files(sources.vocabulary, loaded.vocabulary, report)
    check_rule_files(loaded.rules, root, report)
    if not any(finding.fatal for finding in report.findings):
        check_cases(loaded.bound, report)
        check_use(loaded, report)
        check_modelines(laws.values(), report)
        read_laws(laws, build(loaded, sources.digest), report)
    return report.sorted()


def lint_folders(
    rules_dirs: Sequence[str] | None = None, catalog_dir: str | None = None, overlays: Sequence[str] = ()
) -> list[Finding]:
    """Lint these folders (the program's own by default); ``validation`` paths start beside the first rules folder.

    An installed program carries no fixtures: there the paths are not checked. Raises CatalogError where a
    folder is missing.
    """
    first = rules_dirs[0] if rules_dirs else default_folder("rules")
    beside = os.path.dirname(os.path.abspath(first))
    root = beside if os.path.isdir(os.path.join(beside, "fixtures")) else None
    return lint(read_sources(rules_dirs, catalog_dir, overlays), root, read_beside(FILES, catalog_dir))
