"""How well is real paper read: scans with a person's truth, by kind, beside Tesseract on the same images, in one run.

`python -m benchmarks.paper FOLDER [--split judge] [--kinds forms ...] [--pages 30] [--tesseract] [--json FILE]`
FOLDER holds a folder per kind with `truth.json`: a list of `{file, split, text}`; `file` is an image below it. Pages
are taken evenly from those of the split; `--set ocr.dpi=200` and the like change settings. Words are runs of letters
and digits, case folded, their order left aside; `benchmarks.truths.paper_words` says what counts as misread and what as
invented. Seconds per page are of one process that reads one page at a time, as are Tesseract's (`tesseract IMAGE -
--psm 3`, one thread). A page over which Tesseract takes longer than `TIMEOUT_S` counts as one of which it read nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.library_ocr import ScanReader
from benchmarks.harness.options import parser_of
from benchmarks.truths.paper_words import WordScore, score, total
from configs.settings import Settings
from configs.settings_sources import with_options
from documents.exports.plain_text import plain_text

KINDS = ("books", "forms", "receipts", "labels")
TIMEOUT_S = 300
Row = dict[str, Any]


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--split", choices=("tune", "judge"), default="tune")
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--pages", type=int, default=30, help="maximum pages per kind")
    parser.add_argument("--tesseract", action="store_true", help="read the same images by Tesseract too")
    parser.add_argument("--set", nargs="*", default=[], dest="options", metavar="NAME=VALUE", help="settings")
    parser.add_argument("--keep", type=Path, help="write the document of every page here, as JSON")
    args = parser.parse_args()
    settings = Settings.model_validate(with_options({}, dict(option.split("=", 1) for option in args.options)))
    rows = read_all(args.folder, args.kinds, args.split, args.pages, settings, tesseract=args.tesseract, keep=args.keep)
    table = by_kind(rows)
    print(report.table(table))
    if args.out:
        figures = {f"{name}_{row['kind']}_{row['reader']}": row[name] for row in table for name in row.keys() - NAMES}
        report.record(args.out, "paper", figures, rows, {"split": args.split, "options": args.options})
    return 0


NAMES = {"kind", "reader"}


def read_all(
    folder: Path,
    kinds: Sequence[str],
    split: str,
    num_pages: int,
    settings: Settings,
    *,
    tesseract: bool,
    keep: Path | None = None,
) -> list[Row]:
    """A row for each page and reader."""
    reader = ScanReader(settings)
    rows: list[Row] = []
    try:
        for kind in kinds:
            for page in sample(folder / kind, split, num_pages):
                image = folder / kind / page["file"]
                begun = time.perf_counter()
                document = reader.document(image)
                seconds = time.perf_counter() - begun
                stages = {name: round(value, 3) for name, value in reader.seconds.items()}
                rows.append(row_of(kind, image, "pagemill", page["text"], plain_text(document), seconds) | stages)
                if keep is not None:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{kind}-{image.stem}.json").write_text(document.model_dump_json(), encoding="utf-8")
                if tesseract:
                    begun = time.perf_counter()
                    text = by_tesseract(image)
                    row = row_of(kind, image, "tesseract", page["text"], text or "", time.perf_counter() - begun)
                    rows.append(row | {"timed_out": int(text is None)})
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    finally:
        reader.close()
    return rows


def sample(folder: Path, split: str, num_pages: int) -> list[Row]:
    """So many pages of a set at most, evenly from all of its split."""
    pages = [page for page in json.loads((folder / "truth.json").read_text(encoding="utf-8")) if page["split"] == split]
    if len(pages) <= num_pages:
        return pages
    return [pages[k * len(pages) // num_pages] for k in range(num_pages)]


def by_tesseract(image: Path, timeout_s: float = TIMEOUT_S) -> str | None:
    """What Tesseract reads of an image, with its usual page segmentation, in one thread; None: it took too long."""
    command = ["tesseract", str(image), "-", "--psm", "3"]
    environment = os.environ | {"OMP_THREAD_LIMIT": "1"}
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout


def row_of(kind: str, image: Path, reader: str, truth: str, text: str, seconds: float) -> Row:
    """What one reader made of one page."""
    words = score(truth, text)
    counts = {name: getattr(words, name) for name in ("num_true", "num_read", "num_right", "num_invented")}
    return {"kind": kind, "reader": reader, "page": image.name, **counts, "seconds": round(seconds, 3)}


def by_kind(rows: Sequence[Row]) -> list[Row]:
    """The figures of each kind and reader, and of all kinds: their mean, so that long pages do not decide."""
    table: list[Row] = []
    for reader in dict.fromkeys(row["reader"] for row in rows):
        summary: list[Row] = []
        for kind in dict.fromkeys(row["kind"] for row in rows):
            rows_of_kind = [row for row in rows if row["kind"] == kind and row["reader"] == reader]
            whole = total([_score(row) for row in rows_of_kind])
            seconds = sum(row["seconds"] for row in rows_of_kind) / len(rows_of_kind)
            summary.append(
                {"kind": kind, "reader": reader, **whole.figures(), "seconds_per_page": round(seconds, 3)}
                | {"pages": len(rows_of_kind), "timed_out": sum(row.get("timed_out", 0) for row in rows_of_kind)}
            )
        means = {name: round(sum(row[name] for row in summary) / len(summary), 4) for name in summary[0].keys() - NAMES}
        table += summary
        table.append({"kind": "mean", "reader": reader, **{name: means[name] for name in summary[0] if name in means}})
    return table


def _score(row: Row) -> WordScore:
    return WordScore(**{name: row[name] for name in ("num_true", "num_read", "num_right", "num_invented")})


if __name__ == "__main__":
    sys.exit(main())
