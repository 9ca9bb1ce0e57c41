"""What is wrong in the canary data by itself: its shape, its first lines, and names that lead nowhere."""

from __future__ import annotations

from loopx_policy.canary.names import check_names
from loopx_policy.canary.read import OWN, canary_files, read_data
from loopx_policy.canary.shapes import Data
from loopx_policy.catalog_source.findings import Finding, Report
from loopx_policy.catalog_source.lint_files import check_modeline


def lint_canary(root: str = "", catalog_dir: str | None = None) -> list[Finding]:
    """All findings of the program's canary data, and of that of the project at ``root``, sorted by place."""
    report = Report()
    checked_data(report, root, catalog_dir)
    return report.sorted()


def checked_data(report: Report, root: str = "", catalog_dir: str | None = None) -> Data:
    """The data as far as it can be read; what is wrong goes to ``report``."""
    files = canary_files(root, catalog_dir)
    data = read_data(files, report)
    check_names(data, report)
    for file in files:
        if file.name != OWN:
            check_modeline(file, "canary", report)
    return data
