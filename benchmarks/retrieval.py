"""Are the passages that answer found, and how fast? Questions over the corpus, and an index of many chunks.

`python -m benchmarks.retrieval [--quick] [--json FILE] [--corpus FOLDER] [--rows 10000 100000] [--shards 1 4]`
The corpus is read by its text layer in this process. The many chunks are made of sentences and vectors of the corpus.
With `--shards` only this: the same chunks in as many tables (`harness/retrieval_shards.py`).
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks.harness import report, retrieval_scale, retrieval_shards
from benchmarks.harness.retrieval_corpus import arguments, load
from benchmarks.truths.questions import Question, letters, questions, rank, scores
from documents.boxes import BoundingBox
from retrieval.chunking.chunk import Chunk
from retrieval.embedding.embedder import Embedder
from retrieval.index.index import Index
from retrieval.search.passage import Passage
from retrieval.search.query import Mode, Query
from retrieval.search.search import Searcher

MODES: dict[str, Mode] = {"bm25": "full_text", "vector": "vector", "hybrid": "hybrid"}
SLACK = 2.0  # points that a line may stand out of the boxes of its passage


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--shards", type=int, nargs="*", default=[], help="compare as many tables, the first with each")
    args = parser.parse_args()
    corpus = load(args.corpus)
    if corpus is None:
        return 1
    chunks, model = corpus.chunks, corpus.model
    if args.shards:
        rows = asyncio.run(retrieval_shards.measure(chunks, model, args.shards))
        print(report.table(rows))
        if args.out:
            report.record(args.out, "retrieval", retrieval_shards.figures(rows), rows)
        return 0
    figures, rows = asyncio.run(answers_of(chunks, model, args.corpus))
    num_queries = 100 if args.quick else 500
    measured = asyncio.run(retrieval_scale.measure(chunks, model, args.rows, num_queries))
    print(report.table(rows), report.table(measured), sep="\n\n")
    for row in measured:
        figures |= {f"{name}_{row['rows'] // 1000}k": row[name] for name in ("add_rows_s", "p50_ms", "p95_ms")}
    indexed = [row for row in measured if row["recall10"] is not None]
    figures |= {"recall10_ann": min(row["recall10"] for row in indexed)} if indexed else {}
    print(" ".join(f"{name}={value:.3f}" for name, value in figures.items()))
    if args.out:
        report.record(args.out, "retrieval", figures, [*rows, *measured])
    return 0


async def answers_of(
    chunks: dict[str, list[Chunk]], model: Embedder, corpus: Path
) -> tuple[dict[str, float], list[dict[str, Any]]]:
    """Figures and a row for each way to search, with headings searched and embedded, and without."""
    figures: dict[str, float] = {}
    rows: list[dict[str, Any]] = []
    asked_questions = questions()
    for suffix, context in (("", True), ("_no_headings", False)):
        answers = await answered(chunks, model, asked_questions, context=context)
        for name, passages in answers.items():
            ranks = [rank(question, hits) for question, hits in zip(asked_questions, passages, strict=True)]
            row = scores(ranks)
            missed = [
                question.question
                for question, place in zip(asked_questions, ranks, strict=True)
                if not place or place > 5
            ]
            rows.append(
                {"search": name, "headings": context, "questions": len(asked_questions), **row, "missed": missed}
            )
            figures |= {f"{figure}_{name}{suffix}": value for figure, value in row.items()}
        if context:
            figures |= cited(asked_questions, answers["hybrid"], corpus)
    return figures, rows


async def answered(
    chunks: dict[str, list[Chunk]], model: Embedder, asked_questions: Sequence[Question], *, context: bool
) -> dict[str, list[tuple[Passage, ...]]]:
    """The ten best passages of each question, by the name of each way to search."""
    with tempfile.TemporaryDirectory(prefix="pagemill-retrieval-") as folder:
        index = await Index.open(folder)
        for name, chunks_of_file in chunks.items():
            cut = chunks_of_file if context else [one.model_copy(update={"heading_path": ()}) for one in chunks_of_file]
            if cut:
                await index.replace(name, "default", 1, cut, model.embed([one.embedding_text for one in cut]))
        searcher = Searcher(index)
        passages_by_mode: dict[str, list[tuple[Passage, ...]]] = {name: [] for name in MODES}
        for question in asked_questions:
            vectors = model.embed([question.question], "query")
            for name, mode in MODES.items():
                result = await searcher.search(Query(text=question.question, mode=mode, k=10), vectors)
                passages_by_mode[name].append(result.passages)
        await index.close()
        return passages_by_mode


def cited(
    asked_questions: Sequence[Question], passages: Sequence[tuple[Passage, ...]], corpus: Path
) -> dict[str, float]:
    """Of the first hits: how many stand on the page of the answer, and of those that answer, how many have boxes that
    cover the line where the PDF itself has those words.
    """
    on_page = covered = judged = 0
    for question, hits in zip(asked_questions, passages, strict=True):
        best = hits[0]
        on_page += best.document_id in question.documents and question.page == best.page
        if question.answered_by(best):
            lines = _lines(corpus / "pages" / best.document_id, question)
            judged += bool(lines)
            boxes = [place.box for place in best.boxes if place.page == question.page and place.box is not None]
            covered += bool(lines) and any(all(_covered(word, boxes) for word in line) for line in lines)
    return {"page1_hybrid": on_page / len(asked_questions), "boxes_cover": covered / judged, "boxes_judged": judged}


def _lines(path: Path, question: Question) -> list[list[BoundingBox]]:
    """The words of each place of the page where the answer's first words stand."""
    first_words = [letters(word) for word in question.passage.split()][:4]
    with pymupdf.open(path) as pdf:
        page = pdf[question.page - 1]
        page_words: Any = page.get_text("words")
    words = [(letters(text), BoundingBox(x0=x0, y0=y0, x1=x1, y1=y1)) for x0, y0, x1, y1, text, *_ in page_words]
    starts = range(len(words) - len(first_words) + 1)
    return [
        [box for _, box in words[k : k + len(first_words)]]
        for k in starts
        if all(part in words[k + n][0] for n, part in enumerate(first_words))
    ]


def _covered(word: BoundingBox, boxes: Sequence[BoundingBox]) -> bool:
    x, y = word.center
    return any(box.x0 - SLACK <= x <= box.x1 + SLACK and box.y0 - SLACK <= y <= box.y1 + SLACK for box in boxes)


if __name__ == "__main__":
    sys.exit(main())
