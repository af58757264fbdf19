"""Does each rule of page structure earn its place, and is each of its numbers right? Each is changed alone.

`python -m benchmarks.rules [FOLDER...] [--corpus FOLDER] [--json benchmarks/results/rules.json]`
Each rule is left out, and each number of its thresholds is moved by 20 % down and up (a whole number by one at least).
Pages are drawn by the recipes of training, of seeds that none uses (`training/structure/drawings/trial_pages.py`):
their truth lies in the drawing, and some are pictures that an OCR without errors reads. Folders may add development
material that rules were not tuned on: PDFs with their truth beside them (`NAME.pdf.md`), and tagged ones, whose
authors' trees are the truth. Files are read once; only rules run again. Differences are `changed - unchanged`: minus
says that the rule, or its number, is right. Drawn documents are split in two halves, four by four, so that what
helps shows in both; the public corpus, on which rules were tuned, is a guard and no judge. It needs Chromium and the
fonts and texts that `training/structure/drawings/texts.py` names: other faces draw other pages.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import report
from benchmarks.harness.options import parser_of
from benchmarks.harness.rule_trials import DocumentResult, TrialDocument, tried
from benchmarks.harness.rule_variants import RuleSet, fingerprint_of_source, fingerprint_of_values, moved, numbers
from benchmarks.harness.server import ROOT
from benchmarks.truths.drawn_scores import Count, Counts
from benchmarks.truths.drawn_truth import drawn_truth
from benchmarks.truths.rules import development, public_corpus

GAIN = 0.0005  # a score that moves by no more than this has not moved
HALVES = ("even", "odd")
DEVELOPMENT = "development"
GUARD = "corpus"
PARTS = (*HALVES, DEVELOPMENT, GUARD)
DRAW = "training.structure.drawings.trial_pages"  # run by name: no benchmark imports training
FORMS = 4  # documents in a row that are read in all ways, and belong to one half
NUM_PROCESSES = 2
NUM_SHARES = 8  # of the documents, one after the other for the next free process
Totals = dict[tuple[str, str], Count]  # by part and score


def main() -> int:
    args = _options()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        documents = [*_drawn(args.drawn or _draw(Path(folder))), *_given(args)]
        results = trials_of(documents, args.corpus)
    rules = RuleSet()
    figures = sizes(results) | {f"{name}_{part}": _score(own) for (part, name), own in totals(results).items()}
    rows = rows_of(results, rules)
    figures["seconds"] = round(time.monotonic() - begun)
    print(report.table([{"figure": name, "value": round(value, 4)} for name, value in figures.items()]))
    for title, chosen in (("gain nothing", gains_nothing), ("move nothing", moves_nothing), ("harm", only_harms)):
        print(f"these {title} here: {', '.join(_name(row) for row in rows if chosen(row)) or 'none'}")
    if args.out:
        prints = {"values": fingerprint_of_values(rules), "source": fingerprint_of_source()}
        result = report.origin("rules") | {"fingerprints": prints, "figures": figures, "rows": rows}
        args.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = parser_of(__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="left out if not there")
    parser.add_argument("--drawn", type=Path, help="pages that were drawn before, instead of new ones")
    args = parser.parse_args()
    if args.folders and not (args.corpus / "manifest.csv").exists():
        parser.error("folders need --corpus: what it holds is left out of them")
    return args


def _draw(folder: Path) -> Path:
    subprocess.run([sys.executable, "-m", DRAW, str(folder)], check=True, cwd=ROOT)
    return folder


def _drawn(folder: Path) -> Iterator[TrialDocument]:
    for path in sorted(folder.glob("*.pdf")):
        yield TrialDocument(path, HALVES[int(path.stem) // FORMS % 2], drawn_truth(path))


def _given(args: argparse.Namespace) -> Iterator[TrialDocument]:
    """The development material of the folders and the corpus."""
    if not (args.corpus / "manifest.csv").exists():
        return
    for material in development(args.folders, args.corpus):
        yield TrialDocument(material.path, DEVELOPMENT, material)
    for material in public_corpus(args.corpus):
        yield TrialDocument(material.path, GUARD, material)


def trials_of(documents: Sequence[TrialDocument], corpus: Path) -> list[DocumentResult]:
    """All variants on all documents, by as many processes as there are for it, with one thread each."""
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    shares = [documents[k::NUM_SHARES] for k in range(NUM_SHARES)]
    with ProcessPoolExecutor(NUM_PROCESSES, multiprocessing.get_context("spawn")) as processes:
        return [result for results in processes.map(partial(tried, corpus=corpus), shares) for result in results]


def totals(results: Iterable[DocumentResult]) -> Totals:
    """The counts of all documents of each part together."""
    sums: defaultdict[tuple[str, str], Count] = defaultdict(lambda: (0.0, 0.0))
    for result in results:
        for name, own in result.counts.items():
            sums[result.part, name] = _plus(sums[result.part, name], own)
    return dict(sums)


def sizes(results: Sequence[DocumentResult]) -> dict[str, float]:
    """How many documents and pages each part has, and both halves together."""
    counts: dict[str, float] = {}
    for name, parts in {**{part: (part,) for part in PARTS}, "drawn": HALVES}.items():
        own = [result.num_pages for result in results if result.part in parts]
        counts |= {f"documents_{name}": len(own), f"pages_{name}": sum(own)}
    return counts


def rows_of(results: Sequence[DocumentResult], rules: RuleSet) -> list[dict[str, Any]]:
    """A row for each rule left out, and one for each of its numbers; only scores that moved are listed."""
    whole = totals(results)
    changes = _changes(results)
    rows: list[dict[str, Any]] = []
    for rule in rules:
        row: dict[str, Any] = {"rule": rule.name, "purpose": rule.purpose}
        rows.append(row | {"without": _difference(changes.get((rule.name, "", "")), whole)})
        for path, value in numbers(rule.thresholds):
            row = {"rule": rule.name, "number": path, "value": value}
            for direction in ("lower", "higher"):
                moves = {"value": round(moved(value, direction), 6)}
                row[direction] = moves | _difference(changes.get((rule.name, path, direction)), whole)
            rows.append(row)
    return rows


Change = tuple[dict[str, int], Totals]  # pages that are another, by part; what is more in each count


def _changes(results: Sequence[DocumentResult]) -> dict[tuple[str, str, str], Change]:
    changes: dict[tuple[str, str, str], Change] = {}
    for result in results:
        for one in result.results:
            pages, more = changes.setdefault(one.variant, ({}, {}))
            pages[result.part] = pages.get(result.part, 0) + one.num_pages
            for name in {*result.counts, *one.counts}:
                place = result.part, name
                more[place] = _plus(more.get(place, (0.0, 0.0)), _more(one.counts, result.counts, name))
    return changes


def _difference(change: Change | None, whole: Mapping[tuple[str, str], Count]) -> dict[str, Any]:
    """The pages that a variant changes by part, and by how much it moves each score."""
    if change is None:
        return {"pages": {}, "scores": {}}
    pages, more = change
    scores: dict[str, float] = {}
    for place in sorted(more):
        before = whole.get(place, (0.0, 0.0))
        moved_by = round(_score(_plus(before, more[place])) - _score(before), 5)
        if moved_by:
            scores["_".join(reversed(place))] = moved_by
    return {"pages": pages, "scores": scores}


def gains_nothing(row: Mapping[str, Any]) -> bool:
    """Whether no score but the guard's is worse without the rule: it does nothing, or only harm."""
    return "without" in row and all(difference >= -GAIN for difference in _judging(row["without"]))


def moves_nothing(row: Mapping[str, Any]) -> bool:
    """Whether no score moves, neither without the rule nor with a lower or a higher number."""
    parts = [row[name] for name in ("without", "lower", "higher") if name in row]
    return all(abs(difference) <= GAIN for part in parts for difference in part["scores"].values())


def only_harms(row: Mapping[str, Any]) -> bool:
    """Whether a score is better without the rule, or with another number, and none worse."""
    parts = [_judging(row[name]) for name in ("without", "lower", "higher") if name in row]
    return any(max(own, default=0.0) > GAIN and min(own, default=0.0) >= -GAIN for own in parts)


def _judging(part: Mapping[str, Any]) -> list[float]:
    return [value for name, value in part["scores"].items() if not name.endswith(f"_{GUARD}")]


def _name(row: Mapping[str, Any]) -> str:
    return f"{row['rule']}.{row['number']}" if "number" in row else row["rule"]


def _more(counts: Counts, before: Counts, name: str) -> Count:
    own, old = counts.get(name, (0.0, 0.0)), before.get(name, (0.0, 0.0))
    return own[0] - old[0], own[1] - old[1]


def _plus(a: Count, b: Count) -> Count:
    return a[0] + b[0], a[1] + b[1]


def _score(count: Count) -> float:
    return count[0] / count[1] if count[1] else 0.0


if __name__ == "__main__":
    sys.exit(main())
