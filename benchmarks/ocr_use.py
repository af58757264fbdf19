"""Whether OCR reads where it must and nowhere else, and how well it reads single printed lines of the corpus' PDFs.

A page of the manifest's `ocr_pages` that OCR did not touch is missed; one outside of them that it read is needless.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from batching import Request, SamplingParams, generate
from benchmarks.harness.server import ROOT
from documents.media_types import PDF
from documents.ocr_input.line_strips import Strip, cut
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

CHECKPOINT = ROOT / "checkpoints" / "ocr-compact"
DPI = 144.0  # the setting's own
KINDS = ("real", "order", "table")
LINES_A_PAGE = 4
LETTERS = (8, 90)  # of a line: the least and the most
LAST = "\u024f"  # of Latin
MAX_TOKENS = 128
FOLDED = str.maketrans("‘’‚“”„–—−‐‑•", "'''\"\"\"-----*")


def pages_read(job: Mapping[str, Any]) -> list[int]:
    """The pages of a job in which any text came from OCR."""
    return [page["number"] for page in job.get("pages", ()) if page.get("text_source") in ("ocr", "mixed")]


def figures(corpus: Path, jobs: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """`needless_ocr`, `missed_ocr` (pages) and `cer_strips`; each job has its `document` and its `ocr_pages`."""
    needless = missed = 0
    texts_by_file = _wanted(corpus)
    for job in jobs:
        read, needed = set(job["ocr_pages"]), texts_by_file.get(job["document"], set())
        needless, missed = needless + len(read - needed), missed + len(needed - read)
    return {"needless_ocr": needless, "missed_ocr": missed, "cer_strips": cer_strips(corpus)}


def cer_strips(corpus: Path, checkpoint: Path = CHECKPOINT) -> float:
    """Character error rate of the compact reader on printed lines, truth from the text layer: edits a true letter."""
    from batching.loading.models import load_got_ocr2  # here: the counts need no model

    texts, strips = zip(*printed_lines(corpus), strict=True)
    sampling = SamplingParams(max_tokens=MAX_TOKENS)
    requests = [Request(image=part, sampling=sampling) for strip in strips for part in strip.squares]
    completions = iter(generate(load_got_ocr2(checkpoint), requests))
    read = [" ".join(next(completions).text.strip() for _ in strip.squares) for strip in strips]
    edits = sum(Levenshtein.distance(folded(text), folded(reading)) for text, reading in zip(texts, read, strict=True))
    return edits / sum(len(folded(text)) for text in texts)


def printed_lines(corpus: Path) -> list[tuple[str, Strip]]:
    """Level lines of Latin letters, spread over the first pages of the corpus' born-digital PDFs, and their strips."""
    printed: list[tuple[str, Strip]] = []
    for row in _manifest(corpus):
        if row["kind"] not in KINDS or not row["file"].endswith(".pdf"):
            continue
        pdf = PdfFile(Source(path=str(corpus / row["file"]), media_type=PDF), RenderLimits())
        lines = [line for line in pdf.inspect(1).lines if _plain(line.text) and not line.angle and line.hidden is None]
        for line in lines[:: max(1, len(lines) // LINES_A_PAGE)][:LINES_A_PAGE]:
            strips = cut(pdf.picture(1, None, DPI, line.box, 0))
            if len(strips) == 1:  # neighbours may reach into the box
                printed.append((line.text, strips[0]))
        pdf.close()
    return printed


def folded(text: str) -> str:
    """One kind of quote, dash and blank."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text).translate(FOLDED)).strip()


def _plain(text: str) -> bool:
    least, most = LETTERS
    return least <= len(text) <= most and text.isprintable() and all(sign <= LAST or sign in "‘’“”–—•" for sign in text)


def _wanted(corpus: Path) -> dict[str, set[int]]:
    return {
        Path(row["file"]).name: {number for number in map(int, re.findall(r"\d+", row["ocr_pages"])) if number}
        for row in _manifest(corpus)
    }


def _manifest(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        return [row for row in csv.DictReader(manifest) if row["truth"]]
