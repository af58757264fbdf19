"""Are the cells of tables where a person sees them? Ours beside other libraries, on the same files in the same run.

`python -m benchmarks.tables FOLDER... [--peers PYTHON] [--scans scan worn] [--part PART] [--json FILE]`
A folder holds PDFs, each with the tables that a person sees in it beside it (`NAME.pdf.md`; `<!-- pages: 2 5 -->` in it
says which pages it is of). `table` is the measure of the corpus' script; outer rows and columns that are empty are left
aside in truth and result (`table_as_is`: they are not), for the truth of some government reports begins with an empty
row and column that nobody sees. A file without a table scores 1 where none is found: `no_table`. Every second file is
held back: rules are tuned on the others; `held` is what counts. A truth that names its part (`<!-- part: read -->`) is
of that one: `read` are tables that a person read off pages outside of both halves (`truths/read_tables.py`), for rules
to be tuned on; `judged` are such that no rule was tuned on (`truths/judged_tables.py`). `tagged` and `tagged_held` are
pages whose authors tagged tables (`tagged_tables.py`), to tune on and to judge by. `bash
benchmarks/peers/table_peers.sh` makes the peers' Python. Text layers alone are read, without OCR, but by the sides of
`--scans`: `scan` are the same pages as clean pictures, `worn` the same pictures worn (`harness/table_scans.py`), which
our own OCR reads in this process.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.library_ocr import ScanReader
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_replay import facts_of
from benchmarks.harness.server import ROOT
from benchmarks.harness.table_scans import write_scan
from benchmarks.peers.table_sides import SIDES
from benchmarks.truths.rules import corpus_module
from configs.settings import Settings
from documents.document.assemble_document import assemble
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.sandbox.renderer_pool import RendererPool

PAGES = re.compile(r"<!-- pages: ([\d ]+) -->")
PART_OF_A_FILE = re.compile(r"(_|-p)\d+$")  # names that differ in no more are of one document, on one side of the split
PART = re.compile(r"<!-- part: (\w+) -->")
PARTS = ("tuned", "held")  # that the others go to in turn
NAMED = ("read", "judged", "tagged", "tagged_held")
OURS = "ours"
SCANS = ("scan", "worn")  # sides of ours that read pictures


@dataclass(frozen=True, slots=True)
class Material:
    """A PDF, the pages (counted from 1; none: all) that its truth is of, and its part of the split."""

    path: Path
    pages: tuple[int, ...]
    truth: str
    part: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a side made of a file."""

    markdown: str
    seconds: float
    error: str | None = None


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="where score.py is")
    parser.add_argument("--peers", help="a Python that has the other libraries; without it, ours alone")
    parser.add_argument("--scans", nargs="+", choices=SCANS, default=(), help="read the pages as pictures, too")
    parser.add_argument("--part", choices=(*PARTS, *NAMED), help="only this part of the files")
    args = parser.parse_args()
    materials = [material for material in listed(args.folders) if args.part in (None, material.part)]
    answers = {OURS: asyncio.run(ours(materials))}
    answers |= {side: scanned(materials, is_worn=side == "worn") for side in args.scans}
    libraries: dict[str, str] = {}
    for side in SIDES if args.peers else ():
        answers[side], versions = peers(side, args.peers, materials)
        libraries |= versions
    rows = scored(materials, answers, corpus_module(args.corpus))
    figures = means(rows)
    columns = ("file", "part", *(f"{side}_table" for side in answers))
    print(report.table([{name: row.get(name) for name in columns} for row in rows]))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items()]))
    if args.out:
        machine = {"commit": report.commit(), "cpu": report.cpu_model(), "instruction_set": report.capability()}
        report.record(args.out, "tables", figures, rows, machine | {"libraries": libraries})
    return 0


def listed(folders: Sequence[Path]) -> list[Material]:
    """The files with a truth; of each folder, documents in the order of their hash go to the parts in turn."""
    materials: list[Material] = []
    for folder in folders:
        truths = sorted(folder.glob("*.pdf.md"))
        texts = {truth: truth.read_text(encoding="utf-8") for truth in truths}
        named = {truth: part[1] for truth, text in texts.items() if (part := PART.search(text))}
        names = {_document(truth) for truth in truths if truth not in named}
        order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
        for truth, text in texts.items():
            pages = PAGES.search(text)
            materials.append(
                Material(
                    path=truth.with_suffix(""),
                    pages=tuple(map(int, pages[1].split())) if pages else (),
                    truth=text,
                    part=named.get(truth) or PARTS[order.index(_document(truth)) % 2],
                )
            )
    return materials


async def ours(materials: Sequence[Material]) -> list[Answer]:
    """By the library's way: inspection, layout network, rules of page structure."""
    networks = PageNetworks.of(Settings())
    pool = RendererPool(1)
    answers: list[Answer] = []
    try:
        for material in materials:
            begun = time.perf_counter()
            text, error = "", None
            try:
                opened, facts = await facts_of(material.path, material.pages, pool, networks)
                text = markdown(assemble(material.path.name, 1, opened, [page.page() for page in facts]))
            except IngestError as failure:
                error = failure.code
            answers.append(Answer(text, time.perf_counter() - begun, error))
    finally:
        await pool.close()
    return answers


def scanned(materials: Sequence[Material], *, is_worn: bool) -> list[Answer]:
    """By our OCR, of the pages as pictures: nothing is known of their text layers."""
    reader = ScanReader()
    answers: list[Answer] = []
    try:
        with tempfile.TemporaryDirectory(prefix="pagemill-tables-") as folder:
            for material in materials:
                scan = Path(folder) / material.path.name
                write_scan(material.path, material.pages, scan, is_worn=is_worn)
                begun = time.perf_counter()
                text, error = "", None
                try:
                    text = markdown(reader.document(scan))
                except IngestError as failure:
                    error = failure.code
                answers.append(Answer(text, time.perf_counter() - begun, error))
    finally:
        reader.close()
    return answers


def peers(side: str, python: str, materials: Sequence[Material]) -> tuple[list[Answer], dict[str, str]]:
    """The answers of another library, and its versions; files after its process has ended have none."""
    command = [python, str(ROOT / "benchmarks" / "peers" / "table_sides.py"), side]
    tasks = "".join(json.dumps({"path": str(m.path.resolve()), "pages": m.pages}) + "\n" for m in materials)
    run = subprocess.run(command, input=tasks, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]  # a library may print, too
    versions = lines[0]["versions"] if lines else {}
    answers = [Answer(**line) for line in lines[1:]]
    lost = Answer("", 0.0, (run.stderr.strip().splitlines() or ["it ended"])[-1])
    return [*answers, *[lost] * (len(materials) - len(answers))], versions


def scored(materials: Sequence[Material], answers: Mapping[str, Sequence[Answer]], corpus: Any) -> list[dict[str, Any]]:
    """A row for each file with the scores of all sides."""
    rows: list[dict[str, Any]] = []
    for k, material in enumerate(materials):
        true_tables = corpus.tables(material.truth)
        row = {
            "file": f"{material.path.parent.name}/{material.path.name}",
            "part": material.part,
            "num_tables": len(true_tables),
        }
        for side, all_of_side in answers.items():
            answer = all_of_side[k]
            tables_read = corpus.tables(answer.markdown)
            row |= {f"{side}_found": len(tables_read), f"{side}_s": round(answer.seconds, 3)}
            if answer.error is not None:
                row[f"{side}_error"] = answer.error
            if true_tables:
                row[f"{side}_table"] = corpus.table_score(
                    [_seen(t) for t in true_tables], [_seen(t) for t in tables_read]
                )
                row[f"{side}_table_as_is"] = corpus.table_score(true_tables, tables_read)
            else:
                row[f"{side}_no_table"] = float(not tables_read)
        rows.append(row)
    return rows


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Means by side, score, folder and part; the parts of each folder together count as its whole."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        folder = row["file"].split("/")[0]
        for name, value in row.items():
            if name.endswith(("_table", "_table_as_is")):
                for group in (f"{name}_{folder}", f"{name}_{folder}_{row['part']}", f"{name}_{row['part']}"):
                    groups.setdefault(group, []).append(value)
            if name.endswith(("_no_table", "_s")):
                groups.setdefault(f"{name}_{row['part']}", []).append(value)
    return {name: round(fmean(values), 4) for name, values in sorted(groups.items())}


def _document(truth: Path) -> str:
    return PART_OF_A_FILE.sub("", truth.name.removesuffix(".pdf.md"))


def _seen(table: list[list[Any]]) -> list[list[Any]]:
    """A table without the rows at its top and the columns at its left that hold nothing."""
    while len(table) > 1 and all(not cell.text and cell.rows == 1 for cell in table[0]):
        table = table[1:]
    while max(map(len, table)) > 1 and all(
        row and not row[0].text and (row[0].rows, row[0].cols) == (1, 1) for row in table
    ):
        table = [row[1:] for row in table]
    return table


if __name__ == "__main__":
    sys.exit(main())
