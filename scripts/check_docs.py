"""Whether the docs are true: links lead somewhere, tables say what the code says, ARCHITECTURE.md is short.

`python scripts/check_docs.py` prints what is wrong; with `--write` it renews the table of docs/settings.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from configs.table import settings_table

ROOT = Path(__file__).resolve().parents[1]
MADE = ("build", "data", "runs")  # folders that are not ours
MAX_ARCHITECTURE_LINES = 80
SETTINGS = re.compile(r"(<!-- settings -->\n).*?(<!-- /settings -->)", re.S)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
CODE = re.compile(
    r"""\bcode(?:: ClassVar\[str\])?\s*=\s*"([a-z_]+)\""""  # of an error class, a warning or a job's error
    r"""|answer\(\s*request,\s*[\w.]+,\s*"([a-z_]+)\""""
    r"""|HTTPStatus\.\w+[:,] "([a-z_]+)\""""
    r"""|[fF]ailed\(\s*"([a-z_]+)\""""  # of an answer that was not written
)
METRIC = re.compile(r'(?:Counter|Gauge|Histogram)\(\s*"(pagemill_[a-z_]+)"')
ROW = re.compile(r"^\| `([a-z_]+)` \|", re.M)


def main() -> int:
    page = ROOT / "docs" / "settings.md"
    renewed = SETTINGS.sub(lambda m: f"{m[1]}{settings_table()}\n{m[2]}", page.read_text(encoding="utf-8"))
    if "--write" in sys.argv:
        page.write_text(renewed, encoding="utf-8")
    wrong = [*_settings(page, renewed), *_length(), *_links(), *_codes(), *_metrics()]
    print("\n".join(wrong) or "docs: all true")
    return bool(wrong)


def _settings(page: Path, renewed: str) -> Iterator[str]:
    if page.read_text(encoding="utf-8") != renewed:
        yield "docs/settings.md is not what configs/ says; renew it with scripts/check_docs.py --write"


def _length() -> Iterator[str]:
    count = len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines())
    if count > MAX_ARCHITECTURE_LINES:
        yield f"ARCHITECTURE.md: {count} lines, at most {MAX_ARCHITECTURE_LINES}"


def _links() -> Iterator[str]:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[a-z]*/**/README.md")]
    for page in (page for page in pages if page.relative_to(ROOT).parts[0] not in MADE):
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: no {target}"


def _codes() -> Iterator[str]:
    """Every code that the source gives is in docs/warnings.md, and nothing else is."""
    told = set(ROW.findall((ROOT / "docs" / "warnings.md").read_text(encoding="utf-8")))
    given: set[str] = set()
    for room in ("documents", "deployments", "retrieval"):
        for file in (ROOT / room).rglob("*.py"):
            given |= {code for found in CODE.findall(file.read_text(encoding="utf-8")) for code in found if code}
    yield from (f"docs/warnings.md: no row for {code}" for code in sorted(given - told))
    yield from (f"docs/warnings.md: nothing gives {code}" for code in sorted(told - given))


def _metrics() -> Iterator[str]:
    """Every metric that the source names is in docs/operations.md."""
    told = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    for file in sorted((ROOT / "deployments").rglob("*.py")):
        for name in METRIC.findall(file.read_text(encoding="utf-8")):
            if f"`ray_{name}" not in told:
                yield f"docs/operations.md: no row for {name} of {file.relative_to(ROOT)}"


if __name__ == "__main__":
    sys.exit(main())
