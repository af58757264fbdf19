"""How well is the structure of born-digital pages read, and what CPU time does each stage of reading take?

`python -m benchmarks.structure FOLDER... [--half tuned|held] [--without EVIDENCE...] [--when needed|always]
[--peer PYTHON] [--results FOLDER] [--json FILE]`
A folder holds PDFs with the Markdown that a person sees beside them (`NAME.pdf.md`), or is a corpus with its
`manifest.csv`; of that, files whose pages have sound text layers are read. One process reads the text layer, finds
regions and composes pages, without a server and without OCR. Scores are those of the corpus' script; `no_heads` and
`no_table` are 1 where the truth has none and none is read; `cut` and `joined` are paragraphs that are cut, or joined
with the next one, per 100 of the truth. Files are in groups by folder and the first word of their
name (`pages/dps`, `corpus/real`), and in two halves by their names: what is tuned on one is judged by the other.
Milliseconds are CPU time per page of this process and its children: `inspection` of the file's page, `blocks` of the
structure network, `picture` that the layout network sees, `network`, and `structure`, which is all rules of page and
document; `looks` counts the pages that the layout network looks at, by `--when`. `--without` takes evidence away:
`trees` of tagged PDFs, `regions` of the layout network; `type`, `words` or `graphics` from what the structure network
knows. `--peer` scores pymupdf4llm with its layout model on the same files.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import pymupdf

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.page_networks import EVIDENCE, PageNetworks
from benchmarks.harness.peer_pages import peer_pages
from benchmarks.harness.rule_replay import facts_of
from benchmarks.harness.server import ROOT
from benchmarks.harness.stage_clock import StageClock
from benchmarks.truths.headings import HALVES, half_of
from benchmarks.truths.paragraph_breaks import breaks
from benchmarks.truths.rules import Score, Scores, corpus_module, corpus_score, public_corpus
from configs.model_settings import LayoutSettings
from configs.settings import Settings
from documents.document.assemble_document import assemble
from documents.errors import IngestError
from documents.exports.markdown import markdown
from documents.render_limits import RenderLimits
from documents.sandbox.renderer_pool import RendererPool
from documents.values import Document

SCORES = ("text", "words", "order", "table", "heads", "furn", "no_heads", "no_table", "cut", "joined")
STAGES = ("inspection", "picture", "network", "blocks", "structure")


@dataclass(frozen=True, slots=True)
class Sample:
    """A PDF, its truth, the scores that the truth is good for, its group and its half."""

    path: Path
    truth: str
    scores: frozenset[str]
    group: str
    half: str


@dataclass(frozen=True, slots=True)
class Result:
    """The Markdown of a document, its number of pages, the CPU seconds of each stage, and the pages looked at."""

    markdown: str
    num_pages: int
    seconds: Mapping[str, float]
    num_looks: int = 0


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--half", choices=HALVES, help="this one alone")
    parser.add_argument("--without", nargs="+", choices=EVIDENCE, default=[], help="evidence that is taken away")
    parser.add_argument("--when", choices=("needed", "always"), help="pages that the layout network looks at")
    parser.add_argument("--peer", help="a Python that has pymupdf4llm and pymupdf-layout")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="its score.py is used")
    parser.add_argument("--results", type=Path, help="keep the Markdown of every document here, by group")
    args = parser.parse_args()
    samples = [sample for folder in args.folders for sample in samples_of(folder)]
    samples = [sample for sample in samples if args.half in (None, sample.half)]
    results = asyncio.run(read(samples, args.without, args.when))
    if args.results:
        keep(samples, results, args.results)
    rows = rows_of(samples, results, structure_score(args.corpus))
    figures = figures_of(rows)
    if args.peer:
        theirs = rows_of(samples, peer_results(args.peer, samples), structure_score(args.corpus))
        print(report.table(by_group(theirs)))
        figures |= {f"peer_{name}": value for name, value in figures_of(theirs).items() if "ms_" not in name}
    print(report.table(rows))
    print(report.table(by_group(rows)))
    print(report.table([{"figure": name, "value": value} for name, value in figures.items() if "ms_" in name]))
    if args.out:
        report.record(args.out, "structure", figures, rows)
    return 0


def samples_of(folder: Path) -> list[Sample]:
    """The files of a folder that have a truth; of a corpus those that can be read without OCR."""
    if (folder / "manifest.csv").exists():
        truths = [(m.path, truth.markdown, truth.scores) for m in public_corpus(folder) for truth in m.truths]
    else:
        paths = sorted(folder.glob("*.pdf.md"))
        truths = [(path.with_suffix(""), path.read_text(encoding="utf-8"), frozenset(SCORES)) for path in paths]
    name = folder.resolve().name
    return [
        Sample(path, truth, scores, f"{name}/{path.stem.split('_')[0]}", half_of(path.stem))
        for path, truth, scores in truths
    ]


async def read(
    samples: Sequence[Sample], without: Collection[str] = (), when: Literal["needed", "always"] | None = None
) -> list[Result]:
    """One document after the other; the first one is read once before, so that no stage is charged for beginning."""
    layout = LayoutSettings() if when is None else LayoutSettings(when=when)
    networks = PageNetworks.of(Settings(layout=layout), without)
    pool = RendererPool(1, RenderLimits(structure_trees="trees" not in without))
    try:
        for sample in samples[:1]:
            await _result(sample, pool, networks)
        return [await _result(sample, pool, networks) for sample in samples]
    finally:
        await pool.close()


async def _result(sample: Sample, pool: RendererPool, networks: PageNetworks) -> Result:
    clock = StageClock()
    try:
        document = await read_pages(sample.path, pool, networks, clock)
    except IngestError as error:
        print(f"{sample.path.name}: {error.code}", file=sys.stderr)
        return Result("", 0, clock.seconds)
    return Result(markdown(document), len(document.pages), clock.seconds, clock.num_laps.get("network", 0))


async def read_pages(path: Path, pool: RendererPool, networks: PageNetworks, clock: StageClock) -> Document:
    """The document of a file as the library reads it: what the pages say, then all rules; pages that fail are left out.

    Raises:
        IngestError: the file cannot be opened.
    """
    opened, facts = await facts_of(path, (), pool, networks, clock.lap)
    document = assemble(path.name, 1, opened, [page.page() for page in facts])
    clock.lap("structure")
    return document


def peer_results(python: str, samples: Sequence[Sample]) -> list[Result]:
    """As the peer reads the same files."""
    requests: list[tuple[Path, range]] = []
    for sample in samples:
        with pymupdf.open(sample.path) as pdf:
            requests.append((sample.path, range(1, pdf.page_count + 1)))
    return [
        Result("\n\n".join(read.pages), len(read.pages), {"structure": read.seconds})
        for read in peer_pages(python, requests)
    ]


def structure_score(corpus: Path) -> Score:
    """As the corpus' script scores one document; no heading where the truth has none; paragraphs that broke."""
    module, corpus_scores = corpus_module(corpus), corpus_score(corpus)

    def score(truth: str, result: str) -> Scores:
        row = corpus_scores(truth, result)
        no_heads = None if module.HEADING.search(truth) else float(not module.HEADING.search(result))
        broken = breaks(truth, result, module.plain)
        count = broken.num_paragraphs
        return row | {
            "no_heads": no_heads,
            "cut": _percent(broken.num_cut, count),
            "joined": _percent(broken.num_joined, count),
        }

    return score


def _percent(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None


def rows_of(samples: Sequence[Sample], results: Sequence[Result], score: Score) -> list[dict[str, Any]]:
    """A row for each file: the scores that its truth is good for, and milliseconds per page of each stage."""
    rows: list[dict[str, Any]] = []
    for sample, result in zip(samples, results, strict=True):
        scores = score(sample.truth, result.markdown)
        row: dict[str, Any] = {"file": sample.path.name, "group": sample.group, "half": sample.half}
        row |= {"pages": result.num_pages, "looks": result.num_looks}
        row |= {name: _rounded(scores.get(name)) if _says(sample.scores, name) else None for name in SCORES}
        per_page = 1000 / max(1, result.num_pages)
        rows.append(row | {f"{stage}_ms": round(per_page * result.seconds.get(stage, 0.0), 2) for stage in STAGES})
    return rows


def _says(scores: frozenset[str], name: str) -> bool:
    """Whether a truth that is good for `scores` says this one: it says words wherever it says text."""
    return {"words": "text", "cut": "text", "joined": "text", "no_heads": "heads", "no_table": "table"}.get(
        name, name
    ) in scores


def by_group(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The means of each group, its halves, and all."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        for name in (row["group"], f"{row['group']} {row['half']}", "all"):
            groups.setdefault(name, []).append(row)
    return [
        {"group": name, "files": len(groups[name])} | {score: _mean(groups[name], score) for score in SCORES}
        for name in sorted(groups)
    ]


def figures_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The means of `by_group` by score and group, and milliseconds per page by stage, as many pages weigh more."""
    figures: dict[str, float] = {}
    for means in by_group(rows):
        name = means["group"].replace(" ", "_")
        figures[f"files_{name}"] = means["files"]
        figures |= {f"{score}_{name}": means[score] for score in SCORES if means[score] is not None}
    num_pages = sum(row["pages"] for row in rows)
    for stage in STAGES:
        all_ms = sum(row[f"{stage}_ms"] * row["pages"] for row in rows)
        figures[f"ms_{stage}"] = round(all_ms / max(1, num_pages), 2)
    return figures | {"pages": num_pages, "looks": sum(row["looks"] for row in rows)}


def keep(samples: Sequence[Sample], results: Sequence[Result], folder: Path) -> None:
    """Write `folder/GROUP/NAME.pdf.md` for each."""
    for sample, result in zip(samples, results, strict=True):
        target = folder / sample.group / f"{sample.path.name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(result.markdown, encoding="utf-8")


def _mean(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [row[name] for row in rows if row[name] is not None]
    return _rounded(fmean(values)) if values else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


if __name__ == "__main__":
    sys.exit(main())
