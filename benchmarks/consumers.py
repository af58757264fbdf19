"""Do programs that send documents to a server cite what our server read where it is printed?

`python -m benchmarks.consumers --open-webui FOLDER --ragflow FOLDER --python PYTHON` runs the published loaders of Open
WebUI and RAGFlow, Haystack's and LangChain's converters, all unchanged, and a client that asks as Dify's published API
describes, against one server, over 40 pages: upright, turned, cropped, in columns, with ruled tables, scanned. Every
paragraph and table has words of its own. A unit (document, section, chunk, record) that has more than half of these
words must name the page on which they are printed, in the client's own way of counting; where units have boxes, the box
around those of the unit is compared with the box around the paragraphs that it holds (intersection over union);
of a table, either that around its words or that around its rules.

OPEN_WEBUI holds the package `open_webui`, RAGFLOW holds `mineru_parser.py` and `docling_parser.py`, PYTHON has
`docling-slim[service-client]`, `docling-core[chunking]`, `docling-serve-haystack`, `langchain-docling`, `pdfplumber`
and `ftfy`. A client that is not there is left out, and its row says so. RAGFlow's docling parser and Open WebUI's
MinerU loader drop pages themselves: of these only the arrival of the words is counted.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from benchmarks.harness.options import parser_of
from benchmarks.harness.report import record, table
from benchmarks.harness.server import ROOT, server
from benchmarks.loads.marked_pages import Box, Mark, around, marked_pages
from benchmarks.peers.consumers.units import CLIENTS

Unit = dict[str, Any]
FOLDERS = {"open_webui": "open_webui", "ragflow": "ragflow"}  # a client's first words, and the option that it needs
WITHOUT_PAGES = ("ragflow_docling", "open_webui_mineru")
GOOD_OVERLAP = 0.9
TIMEOUT_S = 1800.0
NUM_RECORDS = 4  # what Dify's form offers


@dataclass(frozen=True, slots=True)
class Judgement:
    """Of one mark and one client."""

    mark: Mark
    arrived: bool
    right_page: bool | None  # None of a client without pages
    overlap: float | None  # None without boxes

    @property
    def good(self) -> bool:
        """Nothing that the client carries is wrong."""
        return self.arrived and self.right_page is not False and (self.overlap is None or self.overlap >= GOOD_OVERLAP)


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("--open-webui", type=Path, help="folder with the package open_webui")
    parser.add_argument("--ragflow", type=Path, help="folder with RAGFlow's parsers")
    parser.add_argument("--python", type=Path, help="a Python with the clients' packages")
    parser.add_argument("--clients", nargs="+", choices=(*CLIENTS, "dify"), default=(*CLIENTS, "dify"))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        marks = marked_pages(folder)
        files = sorted(folder.glob("*.pdf"))
        with server(folder / "data") as running:
            rows: list[dict[str, Any]] = []
            for client in args.clients:
                rows += _rows(client, running.url, marks, files, args)
    print(table([row for row in rows if row["pages"] == "all" or not row["measured"]]))
    if args.out:
        record(args.out, "consumers", _figures(rows), rows)
    return 0


def _rows(client: str, url: str, marks: Sequence[Mark], files: Sequence[Path], args: Namespace) -> list[dict[str, Any]]:
    """One over all pages, and one per kind of page."""
    try:
        if client == "dify":
            version, units = "", dify_units(url, marks, files)
        else:
            version, units = loader_units(client, url, files, args)
    except NotHere as reason:
        return [{"client": client, "pages": "all", "measured": False, "reason": str(reason)}]
    judgements = [judged(mark, units[mark.file], marks, client in WITHOUT_PAGES) for mark in marks]
    for one in judgements:
        if not one.good:
            print(f"{client}: {one}", file=sys.stderr)
    kinds = {"all": judgements}
    for one in judgements:
        kinds.setdefault(Path(one.mark.file).stem, []).append(one)
    return [
        {"client": client, "pages": kind, "measured": True, "version": version, **_shares(kind_judgements)}
        for kind, kind_judgements in kinds.items()
    ]


class NotHere(Exception):
    """A client cannot be run."""


def loader_units(client: str, url: str, files: Sequence[Path], args: Namespace) -> tuple[str, dict[str, list[Unit]]]:
    """The client's version, and what it makes of each file.

    Raises:
        NotHere: a folder or Python is missing.
    """
    option = next((name for first, name in FOLDERS.items() if client.startswith(first)), None)
    folder = getattr(args, option) if option else Path()
    if folder is None:
        raise NotHere(f"no --{option.replace('_', '-')}" if option else "")
    if args.python is None:
        raise NotHere("no --python")
    command = [str(args.python), "-m", "benchmarks.peers.consumers.units", client, url, str(folder), *map(str, files)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=TIMEOUT_S, cwd=files[0].parent, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{client} ended with {done.returncode}: {done.stderr[-3000:]}")
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["version"], answer["units"]


def dify_units(url: str, marks: Sequence[Mark], files: Sequence[Path]) -> dict[str, list[Unit]]:
    """The records that the text of each mark finds, by the file that they are of."""
    units: dict[str, list[Unit]] = {file.name: [] for file in files}
    with httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False) as client:
        for file in files:
            answer = client.post("/v1/documents", params={"wait": 600}, files={"file": (file.name, file.read_bytes())})
            answer.raise_for_status()
        for mark in marks:
            body = {
                "knowledge_id": "default",
                "query": mark.text,
                "retrieval_setting": {"top_k": NUM_RECORDS, "score_threshold": 0.0},
            }
            answer = client.post("/retrieval", json=body, headers={"Authorization": "Bearer any"})
            answer.raise_for_status()
            for item in answer.json()["records"]:
                metadata = item["metadata"]
                one = {
                    "text": item["content"],
                    "pages": [metadata["page"]],
                    "boxes": [[box["page"], *box["box"].values()] for box in metadata["boxes"]],
                    "link": metadata["link"],
                }
                if one not in units[metadata["file_name"]]:
                    units[metadata["file_name"]].append(one)
    return units


def judged(mark: Mark, units: Sequence[Unit], marks: Sequence[Mark], without_pages: bool = False) -> Judgement:
    """Every unit that has more than half of the words must name the right page; the one with most is compared."""
    shares = [len(mark.words & words_of(unit["text"])) / len(mark.words) for unit in units]
    carriers = [unit for unit, share in zip(units, shares, strict=True) if share > 0.5]
    if without_pages:
        return Judgement(mark, bool(carriers), None, None)
    if not carriers:
        return Judgement(mark, False, False, None)
    right_page = all(mark.page in unit["pages"] for unit in carriers)
    best = units[max(range(len(units)), key=shares.__getitem__)]
    return Judgement(mark, True, right_page, _overlap_of(mark, best, marks))


def _overlap_of(mark: Mark, unit: Unit, marks: Sequence[Mark]) -> float | None:
    if not unit["boxes"]:
        return None
    words = words_of(unit["text"])
    held = [
        other
        for other in marks
        if (other.file, other.page) == (mark.file, mark.page) and len(other.words & words) > len(other.words) / 2
    ]
    drawn = [tuple(box) for page, *box in unit["boxes"] if page == mark.page]
    if not drawn:
        return 0.0
    words_alone = around([other.box for other in held])
    with_rules = around([other.frame or other.box for other in held])
    return max(overlap(around(drawn), words_alone), overlap(around(drawn), with_rules))


def words_of(text: str) -> set[str]:
    """In lower case, without punctuation."""
    return set(re.findall(r"[a-z]+", text.lower()))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    shared = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    return shared / (sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - shared)


def _shares(judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Null where the client has no pages, or no boxes."""
    count = len(judgements)
    pages = [one.right_page for one in judgements if one.right_page is not None]
    overlaps = [one.overlap for one in judgements if one.overlap is not None]
    return {
        "marks": count,
        "arrived_share": sum(one.arrived for one in judgements) / count,
        "right_page_share": sum(pages) / count if pages else None,
        "median_overlap": statistics.median(overlaps) if overlaps else None,
        "min_overlap": min(overlaps, default=None),
        "good_overlap_share": sum(one >= GOOD_OVERLAP for one in overlaps) / count if overlaps else None,
    }


def _figures(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    return dict(_named(rows))


def _named(rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, float]]:
    for row in rows:
        if row["pages"] == "all":
            for name, value in row.items():
                if isinstance(value, float):
                    yield f"{name}_{row['client']}", value


if __name__ == "__main__":
    sys.exit(main())
