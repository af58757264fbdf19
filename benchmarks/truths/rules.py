"""The documents by which rules are judged, each with a truth of a person or of its author; and how it is scored."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from benchmarks.truths.tagged_pdf import tagged_pages
from documents.exports.markdown import markdown
from documents.values import Document

MAX_PAGES = 12  # of one document
ALIKE = 0.5  # words that two documents share, of those that either has: then one of them is enough
SCORES = ("text", "order", "table", "heads", "furn", "no_table")

Scores = dict[str, float | None]
Score = Callable[[str, str], Scores]  # truth and result, both Markdown; None: the truth does not say


@dataclass(frozen=True, slots=True)
class Truth:
    """What `pages` (counted from 1; empty: all) say; only `scores` are taken from it."""

    pages: frozenset[int]
    markdown: str
    scores: frozenset[str]


@dataclass(frozen=True, slots=True)
class Material:
    """One file with its truths."""

    path: Path
    truths: tuple[Truth, ...]
    pages: frozenset[int] = frozenset()  # to read; empty: all


def development(folders: Sequence[Path], corpus: Path) -> list[Material]:
    """PDFs with Markdown beside them, and tagged ones; none of the corpus, and of those that are alike the first."""
    tuned_on = {row["sha256"] for row in _listed(corpus)}
    materials: list[Material] = []
    word_sets: list[set[str]] = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.pdf")):
        material = _material(path)
        words = {word for truth in material.truths for word in truth.markdown.split()}
        if not words or hashlib.sha256(path.read_bytes()).hexdigest() in tuned_on:
            continue
        if all(len(words & other) <= ALIKE * len(words | other) for other in word_sets):
            word_sets.append(words)
            materials.append(material)
    return materials


def public_corpus(corpus: Path) -> list[Material]:
    """The documents on which rules were tuned, those aside that only OCR can read."""
    rows = [row for row in _listed(corpus) if row["truth"] and row["ocr_pages"] == "0"]
    return [
        Material(
            path=corpus / row["file"],
            truths=(_whole(corpus / row["truth"], frozenset(row["scores"].split() or SCORES)),),
        )
        for row in rows
    ]


def corpus_module(corpus: Path) -> ModuleType:
    """The corpus' own script, `score.py`."""
    spec = importlib.util.spec_from_file_location("corpus_score", corpus / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def corpus_score(corpus: Path) -> Score:
    """As the corpus' own script scores one document; `no_table` is 1 where no table comes of a truth without one."""
    module = corpus_module(corpus)

    def score(truth: str, result: str) -> Scores:
        row: Scores = module.score(truth, result)
        return row | {"no_table": None if module.tables(truth) else float(not module.tables(result))}

    return score


def scores_of(document: Document, truth: Truth, score: Score) -> Scores:
    """The scores that the truth is good for."""
    pages = tuple(page for page in document.pages if not truth.pages or page.number in truth.pages)
    result = score(truth.markdown, markdown(document.model_copy(update={"pages": pages})))
    return {name: result.get(name) if name in truth.scores else None for name in SCORES}


def _material(path: Path) -> Material:
    beside = path.with_name(f"{path.name}.md")
    if beside.exists():
        return Material(path=path, truths=(_whole(beside, frozenset({"table"})),))
    tagged = tagged_pages(path, MAX_PAGES)
    return Material(
        path=path,
        truths=tuple(Truth(frozenset({page.number}), page.markdown, page.scores) for page in tagged),
        pages=frozenset(range(1, MAX_PAGES + 1)),
    )


def _whole(file: Path, scores: frozenset[str]) -> Truth:
    return Truth(pages=frozenset(), markdown=file.read_text(encoding="utf-8"), scores=scores)


def _listed(corpus: Path) -> list[dict[str, str]]:
    with (corpus / "manifest.csv").open(encoding="utf-8", newline="") as manifest:
        return list(csv.DictReader(manifest))
