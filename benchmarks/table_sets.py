"""The sets for `benchmarks.tables` out of unpacked clones: PDFs with the tables beside them that a person sees.

`python -m benchmarks.table_sets SOURCES OUT [--reports FOLDER]`
SOURCES holds clones by their names: camelot-dev/camelot as `camelot`, docling-project/docling, kermitt2/grobid,
pdfminer/pdfminer.six as `pdfminer`, apache/tika, py-pdf/sample-files, ocrmypdf/OCRmyPDF as `ocrmypdf`,
docling-project/docling-parse, USEPA/EPA_MOVES_Model, GSA/fpc.gov, GSA/resources.data.gov, OWASP/ASVS and
openmobilityfoundation/governance as `openmobility`. Makes OUT/tables and OUT/no_tables; `--reports` is a folder of
PDFs whose truths are already beside them, to be copied along. Truths are the projects' own expected cells, corrected
by what is drawn (`truths/tables.py`), authors' trees (their copies have none), and words between the columns that a
person read off. OUT/read_tables has tables that a person read off pages that are in neither half of the others
(`truths/read_tables.py`): a part of their own, `read`, which rules are tuned on; OUT/judged_tables has such that no
rule is tuned on (`truths/judged_tables.py`), the part `judged`. A file that is not there is left out, aloud.
"""

from __future__ import annotations

import argparse
import csv
import html
import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pymupdf

from benchmarks.truths.headings import stripped
from benchmarks.truths.judged_tables import JUDGED
from benchmarks.truths.read_tables import READ
from benchmarks.truths.tableless_pages import WITHOUT
from benchmarks.truths.tables import (
    EXPECTED,
    EXPECTED_JSON,
    LISTED,
    TAGGED,
    DoclingFile,
    ListedFile,
    ListedTable,
)
from benchmarks.truths.tagged_pdf import tagged_pages

SAME_LINE = 3.0  # points between the middles of words of one line
MAX_PAGES = 14  # of a tagged document
STRUCK = ("<s>", "</s>")  # how camelot marks raised characters

Rows = list[list[str]]
Cell = tuple[int, int, int, int, str]  # row, column, rows, columns, text
Word = tuple[pymupdf.Rect, str]


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--reports", type=Path)
    args = parser.parse_args()
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    tables, no_tables = args.out / "tables", args.out / "no_tables"
    read, judged = args.out / "read_tables", args.out / "judged_tables"
    for folder in (tables, no_tables, read, judged):
        folder.mkdir(parents=True, exist_ok=True)
    missing = [
        *with_tables(args.sources, tables),
        *without_tables(args.sources, no_tables),
        *with_read_tables(args.sources, read, READ, "read"),
        *with_read_tables(args.sources, judged, JUDGED, "judged"),
    ]
    for truth in sorted(args.reports.glob("*.pdf.md")) if args.reports else ():
        shutil.copy(truth, tables)
        shutil.copy(truth.with_suffix(""), tables)
    print(f"{len(list(tables.glob('*.md')))} files with tables, {len(list(no_tables.glob('*.md')))} without")
    for path in missing:
        print(f"not there: {path}", file=sys.stderr)
    return 0


def with_tables(sources: Path, out: Path) -> Iterator[str]:
    """Write the files that have tables; what is not there."""
    for file in LISTED:
        if not (sources / file.path).exists():
            yield file.path
            continue
        truths = [listed_table(sources, sources / file.path, table) for table in file.tables]
        pages = sorted({table.page for table in file.tables})
        _write(out, sources / file.path, pages, truths)
    for expected in EXPECTED_JSON:
        if (sources / expected.path).exists():
            pages, truths = docling_tables(sources, expected)
            _write(out, sources / expected.path, pages, truths)
        else:
            yield expected.path
    for path in TAGGED:
        if (sources / path).exists():
            _write_tagged(out, sources / path)
        else:
            yield path


def with_read_tables(sources: Path, out: Path, files: Sequence[ListedFile], part: str) -> Iterator[str]:
    """Write a copy without an author's tree for each page with tables that a person read; what is not there."""
    for file in files:
        source = sources / file.path
        if not source.exists():
            yield file.path
            continue
        page = file.tables[0].page
        target = out / f"{source.stem}-p{page}.pdf"
        stripped(source, target)
        truths = [listed_table(sources, source, table) for table in file.tables]
        _write_truth(target, [page], [f"<!-- part: {part} -->", *truths])


def without_tables(sources: Path, out: Path) -> Iterator[str]:
    """Write the files that have none; what is not there."""
    for path, pages in WITHOUT:
        if (sources / path).exists():
            _write(out, sources / path, pages, [])
        else:
            yield path


def listed_table(sources: Path, pdf: Path, table: ListedTable) -> str:
    """The table in HTML."""
    drawn = table.area or table.levels
    rows = words_between(pdf, table) if drawn else _listed_rows(sources, table.source)
    first, end = table.rows
    rows = [[_bare(text) for text in row] for row in rows[first : end or len(rows)]]
    for begin, after in reversed(table.merged):
        rows[begin:after] = [[" ".join(filter(None, column)) for column in zip(*rows[begin:after], strict=True)]]
    for row, column, text in table.texts:
        rows[row][column] = text
    return _html(list(_cells(rows, table)), len(rows))


def words_between(pdf: Path, table: ListedTable) -> Rows:
    """The words in the area of a page by line, or row, and column."""
    x0, y0, x1, y1 = table.area or (table.edges[0], table.levels[0], table.edges[-1], table.levels[-1])
    words = [word for word in _words(pdf, table.page) if x0 <= _middle(word).x <= x1 and y0 <= _middle(word).y <= y1]
    lines = _by_level(words, table.levels) if table.levels else _by_line(words)
    columns = list(pairwise(table.edges))
    cells = [[[word for word in line if a <= _middle(word).x < b] for a, b in columns] for line in lines]
    for row, column, down, across in table.spans if table.levels else ():
        area = [(row + i, column + j) for i in range(down) for j in range(across)]
        words = [word for i, j in area for word in cells[i][j]]
        for i, j in area:
            cells[i][j] = []
        cells[row][column] = words
    return [[_text(cell) for cell in line] for line in cells]


def _words(pdf: Path, page: int) -> list[Word]:
    """Words with their boxes on the page as it is seen."""
    with pymupdf.open(pdf) as document:
        drawn = document[page - 1]
        words = cast("list[Any]", drawn.get_text("words"))
        return [(pymupdf.Rect(word[:4]) * drawn.rotation_matrix, word[4]) for word in words]


def _middle(word: Word) -> pymupdf.Point:
    box = word[0]
    return pymupdf.Point((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2)


def _by_line(words: Sequence[Word]) -> list[list[Word]]:
    lines: list[tuple[float, list[Word]]] = []
    for word in sorted(words, key=lambda word: _middle(word).y):
        y = _middle(word).y
        if not lines or y - lines[-1][0] > SAME_LINE:
            lines.append((y, []))
        lines[-1][1].append(word)
    return [line for _, line in lines]


def _by_level(words: Sequence[Word], levels: Sequence[float]) -> list[list[Word]]:
    return [[word for word in words if low <= _middle(word).y < high] for low, high in pairwise(levels)]


def _text(words: Sequence[Word]) -> str:
    """Words line by line; of sideways text, which is taller than wide, from the bottom."""
    if sum(box.height > box.width for box, text in words if len(text) > 2) > len(words) / 2:
        return " ".join(text for _, text in sorted(words, key=lambda word: -word[0].y1))
    return " ".join(text for line in _by_line(words) for _, text in sorted(line, key=lambda word: word[0].x0))


def docling_tables(sources: Path, file: DoclingFile) -> tuple[list[int], list[str]]:
    """The pages of the tables, and they in HTML."""
    pdf = sources / file.path
    expected = json.loads((pdf.parent.parent / "groundtruth" / f"{pdf.stem}.json").read_text(encoding="utf-8"))
    pages: set[int] = set()
    truths: list[str] = []
    for number in file.tables:
        table = expected["tables"][number]
        pages.add(table["prov"][0]["page_no"])
        cells = [
            (
                cell["start_row_offset_idx"],
                cell["start_col_offset_idx"],
                cell["row_span"],
                cell["col_span"],
                _bare(cell["text"]),
            )
            for cell in table["data"]["table_cells"]
        ]
        num_rows, num_columns = table["data"]["num_rows"], table["data"]["num_cols"]
        pages_with_tables = {
            (row + i, column + j) for row, column, down, across, _ in cells for i in range(down) for j in range(across)
        }
        places = {(row, column) for row in range(num_rows) for column in range(num_columns)}
        truths.append(
            _html([*cells, *((row, column, 1, 1, "") for row, column in places - pages_with_tables)], num_rows)
        )
    return sorted(pages), truths


def _write_tagged(out: Path, pdf: Path) -> None:
    pages = [page for page in tagged_pages(pdf, MAX_PAGES) if "table" in page.scores and "<table>" in page.markdown]
    target = out / pdf.name
    stripped(pdf, target)
    numbers = " ".join(str(page.number) for page in pages)
    truth = "\n\n".join(page.markdown for page in pages)
    target.with_name(f"{pdf.name}.md").write_text(f"<!-- pages: {numbers} -->\n\n{truth}\n", encoding="utf-8")


def _write(out: Path, pdf: Path, pages: Sequence[int], truths: Sequence[str]) -> None:
    shutil.copy(pdf, out / pdf.name)
    _write_truth(out / pdf.name, pages, truths)


def _write_truth(pdf: Path, pages: Sequence[int], truths: Sequence[str]) -> None:
    head = [f"<!-- pages: {' '.join(map(str, pages))} -->"] if pages else []
    pdf.with_name(f"{pdf.name}.md").write_text("\n\n".join([*head, *truths]) + "\n", encoding="utf-8")


def _listed_rows(sources: Path, source: str) -> Rows:
    if source.endswith(".csv"):
        with (sources / source).open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    spec = importlib.util.spec_from_file_location("expected_cells", sources / EXPECTED)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [list(row) for row in getattr(module, source)]


def _bare(text: str) -> str:
    for mark in STRUCK:
        text = text.replace(mark, "")
    return " ".join(text.split())


def _cells(rows: Rows, table: ListedTable) -> Iterator[Cell]:
    spans = {(row, column): (down, across) for row, column, down, across in table.spans}
    covered: set[tuple[int, int]] = set()
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            if (row, column) in covered:
                continue
            down, across = spans.get((row, column), (1, 1))
            if table.repeats and (row, column) not in spans:
                while row and text and row + down < len(rows) and rows[row + down][column] == text:
                    down += 1
            area = [(row + i, column + j) for i in range(down) for j in range(across)]
            covered.update(area)
            parts = [text] if table.repeats else [rows[i][j] for i, j in area]
            yield row, column, down, across, " ".join(filter(None, parts))


def _html(cells: Sequence[Cell], num_rows: int) -> str:
    lines = [""] * num_rows
    for row, _, down, across, text in sorted(cells):
        spans = f' rowspan="{down}"' * (down > 1) + f' colspan="{across}"' * (across > 1)
        lines[row] += f"<td{spans}>{html.escape(text, quote=False)}</td>"
    return "\n".join(["<table>", *(f"<tr>{line}</tr>" for line in lines), "</table>"])


if __name__ == "__main__":
    sys.exit(main())
