"""Checks the docs: links, settings table, first sentences, error codes, metrics, figures, length of ARCHITECTURE.md.

`python scripts/check_docs.py` prints what is wrong; with `--write` it renews the table of docs/settings.md
and the figures that name their result (`doc_figures.py`).
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import doc_figures
import doc_files

from configs.settings_table import settings_table

ROOT = Path(__file__).resolve().parents[1]
MADE = ("build", "data", "runs")  # folders that are not ours
MAX_ARCHITECTURE_LINES = 80
MEASURED = ("docs/performance.md", "docs/quality.md")  # pages whose decimal numbers all come from a result
SETTINGS = re.compile(r"(<!-- settings -->\n).*?(<!-- /settings -->)", re.S)
SOURCE_PATH = re.compile(r"`([\w./-]+\.(?:py|js|cpp))`")
HISTORY = ("CHANGELOG.md", "docs/decisions")  # texts that name files as they were called then
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")
CODE = re.compile(
    r"""\bcode(?:: ClassVar\[str\])?\s*=\s*"([a-z_]+)\""""  # of an error class, a warning or a job's error
    r"""|answer\(\s*request,\s*[\w.]+,\s*"([a-z_]+)\""""
    r"""|HTTPStatus\.\w+: "([a-z_]+)\""""
    r"""|RequestRefused: "([a-z_]+)\""""  # of what batching refuses
    r"""|[fF]ailed\(\s*"([a-z_]+)\""""  # of an answer that was not written
)
METRIC = re.compile(r'(?:Counter|Gauge|Histogram)\(\s*"(pagemill_[a-z_]+)"')
ROW = re.compile(r"^\| `([a-z_]+)` \|", re.M)


def main() -> int:
    page = ROOT / "docs" / "settings.md"
    renewed = SETTINGS.sub(lambda m: f"{m[1]}{settings_table()}\n{m[2]}", page.read_text(encoding="utf-8"))
    if "--write" in sys.argv:
        page.write_text(renewed, encoding="utf-8")
        for path in _pages():
            path.write_text(doc_figures.renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
    wrong = [
        *_settings(page, renewed),
        *_files(),
        *_length(),
        *_links(),
        *_paths(),
        *_codes(),
        *_metrics(),
        *_figures(),
    ]
    print("\n".join(wrong) or "docs: all true")
    return bool(wrong)


def _settings(page: Path, renewed: str) -> Iterator[str]:
    if page.read_text(encoding="utf-8") != renewed:
        yield "docs/settings.md is not what configs/ says; renew it with scripts/check_docs.py --write"


def _files() -> Iterator[str]:
    yield from (f"{file} begins without a sentence that says what it decides" for file in doc_files.undescribed())
    yield from (f"{folder} has more than {doc_files.MAX_FILES} files" for folder in doc_files.crowded())


def _length() -> Iterator[str]:
    count = len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines())
    if count > MAX_ARCHITECTURE_LINES:
        yield f"ARCHITECTURE.md: {count} lines, at most {MAX_ARCHITECTURE_LINES}"


def _pages() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("[a-z]*/**/README.md")]
    return [page for page in pages if page.relative_to(ROOT).parts[0] not in MADE]


def _figures() -> Iterator[str]:
    """Every figure that names its result is right, and those of `MEASURED` all name one."""
    for page in _pages():
        text = page.read_text(encoding="utf-8")
        name = page.relative_to(ROOT)
        yield from (f"{name}: {message}" for message in doc_figures.outdated(text))
        if str(name) in MEASURED:
            yield from (f"{name}: {figure} names no result" for figure in doc_figures.unbacked(text))


def _links() -> Iterator[str]:
    for page in _pages():
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: no {target}"


def _paths() -> Iterator[str]:
    """Every source file that a page names is there, by its path or the end of it."""
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    sources = subprocess.run(git, check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()
    for page in _pages():
        name = str(page.relative_to(ROOT))
        for path in SOURCE_PATH.findall(page.read_text(encoding="utf-8")) if not name.startswith(HISTORY) else ():
            if not any(source == path or source.endswith(f"/{path}") for source in sources):
                yield f"{name}: {path} is no file"


def _codes() -> Iterator[str]:
    """Every code that the source gives is in docs/warnings.md, and nothing else is."""
    documented = set(ROW.findall((ROOT / "docs" / "warnings.md").read_text(encoding="utf-8")))
    codes: set[str] = set()
    for room in ("documents", "deployments", "retrieval"):
        for file in (ROOT / room).rglob("*.py"):
            codes |= {code for groups in CODE.findall(file.read_text(encoding="utf-8")) for code in groups if code}
    yield from (f"docs/warnings.md: no row for {code}" for code in sorted(codes - documented))
    yield from (f"docs/warnings.md: nothing gives {code}" for code in sorted(documented - codes))


def _metrics() -> Iterator[str]:
    """Every metric that the source names is in docs/operations.md."""
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    for file in sorted((ROOT / "deployments").rglob("*.py")):
        for name in METRIC.findall(file.read_text(encoding="utf-8")):
            if f"`ray_{name}" not in text:
                yield f"docs/operations.md: no row for {name} of {file.relative_to(ROOT)}"


if __name__ == "__main__":
    sys.exit(main())
