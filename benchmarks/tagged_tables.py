"""A set for `benchmarks.tables` out of unpacked clones: pages with the tables that their authors tagged.

`python -m benchmarks.tagged_tables SOURCES OUT`: SOURCES as for `benchmarks.table_sets`, with GSA/idmanagement.gov,
GSA/fedramp-automation, GSA/resources.data.gov, GSA/Section508.gov, usdoj/foia.gov, cagov/drought.ca.gov,
GSA/cto-website, project-open-data/project-open-data.github.io as `project-open-data` and
DOI-ONRR/doi-extractives-data as `doi`. Makes OUT/tagged_tables: a copy of each page alone, without the tree, and the
tables of the tree beside it, of the first pages of a document. Left out are documents that another truth has, large
ones and those whose names begin alike but for numbers. The part `tagged` is what rules were tuned on
(`truths/tagged_tables.py`); of most others, `tagged_held`, the mean was asked after each rule, so it judges less
strictly than `judged` does. A tree tells what the author tagged, sometimes a frame as a table: no side reaches 1.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pymupdf

from benchmarks.truths.headings import stripped
from benchmarks.truths.judged_tables import JUDGED
from benchmarks.truths.read_tables import READ
from benchmarks.truths.tables import TAGGED
from benchmarks.truths.tagged_pdf import TaggedPage, tagged_pages
from benchmarks.truths.tagged_tables import TUNED_ON

FOLDERS = (
    "cto-website",
    "doi",
    "project-open-data",
    "fedramp-automation",
    "idmanagement.gov",
    "resources.data.gov",
    "Section508.gov",
    "fpc.gov",
    "foia.gov",
    "drought.ca.gov",
    "openmobility",
    "docling",
    "docling-parse",
    "tika",
    "ocrmypdf",
    "sample-files",
    "ASVS",
)
JUDGES_OTHERS = re.compile(r"(?:eu|us)-0")  # files of a set that is not for development
NUMBERS = re.compile(r"\bv?\d+|[\W_]+")  # of versions, and what stands between words
MAX_PAGES = 14  # of a document
MAX_BYTES = 20_000_000
MAX_NAME = 24  # letters of a name by which copies of one document are told


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    out: Path = args.out / "tagged_tables"
    out.mkdir(parents=True, exist_ok=True)
    documents = dict(with_tables(args.sources))
    for path, pages in documents.items():
        for page in pages:
            write_page(path, page, out, "tagged" if path.stem in TUNED_ON else "tagged_held")
    print(f"{len(list(out.glob('*.pdf')))} pages of {len(documents)} documents")
    return 0


def with_tables(sources: Path) -> Iterator[tuple[Path, list[TaggedPage]]]:
    """Each document whose author tagged tables, and the pages that have them; what cannot be read is left out."""
    taken = {Path(path).name for path in TAGGED} | {Path(file.path).name for file in (*READ, *JUDGED)}
    known: set[str] = set()
    for folder in FOLDERS:
        for path in sorted((sources / folder).rglob("*.pdf")):
            name = NUMBERS.sub("", path.stem.lower())[:MAX_NAME]
            if path.name in taken or name in known or JUDGES_OTHERS.match(path.name):
                continue
            pages = list(_pages_with_tables(path)) if path.stat().st_size <= MAX_BYTES else []
            if pages:
                known.add(name)
                yield path, pages


def write_page(path: Path, page: TaggedPage, out: Path, part: str) -> None:
    """A copy of one page without the tree, and its truth."""
    target = out / f"{path.stem}-p{page.number}.pdf"
    stripped(path, target)
    with pymupdf.open(target) as document:
        document.select([page.number - 1])
        content = document.tobytes(garbage=3)
    target.write_bytes(content)
    target.with_name(f"{target.name}.md").write_text(f"<!-- part: {part} -->\n\n{page.markdown}\n", encoding="utf-8")


def _pages_with_tables(path: Path) -> Iterator[TaggedPage]:
    try:
        with pymupdf.open(path) as document:
            if document.is_encrypted or "StructTreeRoot" not in document.xref_object(document.pdf_catalog()):
                return
        pages = list(tagged_pages(path, MAX_PAGES))
    except Exception as error:  # whatever MuPDF raises on broken files
        print(f"{path.name}: {error}", file=sys.stderr)
        return
    yield from (page for page in pages if "table" in page.scores and "<table>" in page.markdown)


if __name__ == "__main__":
    sys.exit(main())
