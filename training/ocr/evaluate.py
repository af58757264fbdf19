"""Measures a checkpoint: character error rates, what it invents on blank strips, strips per second; beside Tesseract.

    python -m training.ocr.evaluate checkpoints/ocr-compact --json figures.json
    python -m training.ocr.evaluate checkpoints/ocr-compact some.pdf --count 50 --only rendered --show 20
    python -m training.ocr.evaluate checkpoints/ocr-compact --real LINES --only real_forms real_receipts real_books

CER is Levenshtein's distance over the length of the truth. Held-out fonts and texts were never trained on. Printed and
scanned lines are those of the evaluation corpus, where it lies beside the project, unless PDFs are named. Real lines
are those that `training.ocr.real_lines` kept in LINES; their truths keep neither case nor spaces, so neither counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from training.fonts import NoFonts
from training.ocr import sets
from training.ocr.kinds import KINDS
from training.ocr.levenshtein import distance, leaders, loosely
from training.ocr.read import Reader, Reads
from training.ocr.real_lines import SPLITS, read_lines
from training.ocr.sets import Line
from training.ocr.tesseract import Tesseract, is_installed

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
BLANK = "blank"
REAL = "real_"  # before the kind of the paper
DPI = 144
UNSURE = 0.85  # mean probability per token: lines in scripts that were never learnt come out below


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one set of lines was read."""

    name: str
    num_edits: int
    num_characters: int  # of the truth
    num_exact: int
    num_lines: int
    num_squares: int
    num_read: int  # characters
    spent_s: float  # of one core
    num_uncut: int = 0  # lines that their surroundings made none or several strips: not read, and not in the rate

    @property
    def cer(self) -> float:
        return self.num_edits / max(1, self.num_characters)


def line_sets(
    count: int, pdfs: list[Path], corpus: Path = CORPUS, real: Path | None = None
) -> dict[str, Callable[[], list[Line]]]:
    """How the lines of each set are made, by its name."""
    kinds = {name: lambda name=name: sets.synthetic(max(1, count // 3), kind=name) for name in KINDS if name != "plain"}
    papers = [real / kind for kind in SPLITS] if real else []
    return {
        "synthetic": lambda: sets.synthetic(count),
        "seen_fonts": lambda: sets.synthetic(count, held_out=False),
        "synthetic_clean": lambda: sets.synthetic(count, hard=0.0),
        **kinds,
        "rendered": lambda: sets.printed(pdfs or sets.corpus_pdfs(corpus), count, DPI),
        "scan": lambda: sets.scanned(corpus, count, DPI),
        BLANK: lambda: sets.blanks(max(1, count // 3)),
        **{f"{REAL}{paper.name}": lambda paper=paper: read_lines(paper) for paper in papers},
    }


def score(reader: Reads, name: str, lines: list[Line], show: int = 0) -> Score:
    """Read the lines and compare; the first `show` that are misread are printed."""
    num_all, lines = len(lines), [line for line in lines if line.squares]
    begun = _core_seconds()
    texts = reader.joined([line.squares for line in lines])
    spent_s = _core_seconds() - begun
    alike = loosely if name.startswith(REAL) else leaders
    truths, read = [alike(line.text) for line in lines], [alike(text) for text in texts]
    errors = [distance(truth, text) for truth, text in zip(truths, read, strict=True)]
    for truth, text in [pair for pair, wrong in zip(zip(truths, read, strict=True), errors, strict=True) if wrong][
        :show
    ]:
        print(f"  | {truth}\n  > {text}")
    return Score(
        name=name,
        num_edits=sum(errors),
        num_characters=sum(map(len, truths)),
        num_exact=errors.count(0),
        num_lines=len(lines),
        num_squares=sum(len(line.squares) for line in lines),
        num_read=sum(map(len, read)),
        spent_s=spent_s,
        num_uncut=num_all - len(lines),
    )


def figures(scores: Sequence[Score], prefix: str = "") -> dict[str, float]:
    """By stable names: each set's rate, what is invented on a blank strip, and strips per core second."""
    named = {f"{prefix}cer_{score.name}": score.cer for score in scores if score.name != BLANK and score.num_lines}
    for score in scores:
        if score.num_uncut:
            named[f"{prefix}uncut_share_{score.name}"] = score.num_uncut / (score.num_uncut + score.num_lines)
        if score.name == BLANK:
            named[f"{prefix}invented_characters_per_blank_strip"] = score.num_read / max(1, score.num_lines)
    plain = next(
        (score for score in scores if score.name == "synthetic"), None
    )  # other sets hold blanks, or single words
    if plain is not None and plain.spent_s:
        named[f"{prefix}strips_per_core_second"] = plain.num_squares / plain.spent_s
    return named


def evaluate(
    readers: dict[str, Reads], sets: dict[str, Callable[[], list[Line]]], *, show: int = 0
) -> dict[str, list[Score]]:
    """The scores of each reader on each set; a set whose fonts are not installed is said and left out."""
    scores: dict[str, list[Score]] = {name: [] for name in readers}
    for name, make in sets.items():
        try:
            lines = make()
        except NoFonts as missing:
            print(f"{name}: left out, {missing}", flush=True)
            continue
        for prefix, reader in readers.items():
            row = score(reader, name, lines, show)
            scores[prefix].append(row)
            summary = f"CER {row.cer:.4f}, {row.num_exact} of {row.num_lines} exact"
            print(f"{prefix}{name}: {summary if name != BLANK else f'{row.num_read} characters invented'}", flush=True)
    return scores


def doubts(reader: Reader, count: int) -> dict[str, float]:
    """Shares of lines whose mean probability is below `UNSURE`: of scripts never learnt, and of plain strips."""
    shares: dict[str, float] = {}
    for name, make in (("foreign", sets.foreign), ("synthetic", lambda: sets.synthetic(count))):
        try:
            sure = reader.confidences([square for line in make() for square in line.squares])
        except NoFonts as missing:
            print(f"{name}: left out, {missing}", flush=True)
            continue
        shares[f"low_confidence_share_{name}"] = sum(confidence < UNSURE for confidence in sure) / len(sure)
    return shares


def _core_seconds() -> float:
    """Of this process and of those that it waited for."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("checkpoints/ocr-compact"))
    parser.add_argument("pdfs", type=Path, nargs="*")
    parser.add_argument("--count", type=int, default=150, help="lines of the main sets; of each kind a third")
    parser.add_argument("--real", type=Path, metavar="LINES", help="folder of lines of scanned paper")
    parser.add_argument("--only", nargs="*", help="these sets alone")
    parser.add_argument("--show", type=int, default=0, help="misread lines of each set to print")
    parser.add_argument("--without-tesseract", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    torch.set_num_threads(1)
    reader = Reader(args.folder)
    readers: dict[str, Reads] = {"": reader}
    if is_installed() and not args.without_tesseract:
        readers["tesseract_"] = Tesseract()
    elif not args.without_tesseract:
        print("Tesseract is not installed (Debian: tesseract-ocr); its figures are left out")
    sets = line_sets(args.count, args.pdfs, real=args.real)
    scores = evaluate(readers, {k: v for k, v in sets.items() if not args.only or k in args.only}, show=args.show)
    named = {name: value for prefix, score in scores.items() for name, value in figures(score, prefix).items()}
    if not args.only:
        named |= doubts(reader, args.count)
    for name, value in named.items():
        print(f"{name}: {value:.4f}")
    if args.json:
        args.json.write_text(json.dumps({"benchmark": "ocr", "figures": named}, indent=2) + "\n")


if __name__ == "__main__":
    main()
