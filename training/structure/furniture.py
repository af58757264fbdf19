"""Fits the weights by which `documents.document.furniture` decides, and prints them.

    python -m training.structure.furniture checkpoints/structure-compact FOLDER... [--documents 130]

It learns from documents that Typst draws, and from the tagged PDFs in the folders, of the half that is tuned on: what
their authors mark as an artifact at a page's edge is furniture, what they tag is text. Each document is also cut into
short ones, in which nothing comes back. The tagged ones judge by families: each by weights that have not seen it.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import numpy as np
import pymupdf

from benchmarks.truths.headings import family_of
from documents.document.furniture_evidence import Evidence, evidence
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.layout.structure.structure_reader import StructureReader
from documents.page.build_page import compose_page, draft_regions
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.packed_features import packed_segments
from documents.tags.tagged_agreement import agreement, visible_lines
from documents.tags.tagged_blocks import TreeLimits
from documents.values import Page, Source
from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.texts import installed_texts
from training.structure.drawings.truth import BESIDE_THE_TEXT, colours_of
from training.structure.drawings.typst.documents import draw
from training.structure.tagged.pages import is_tuned_on

MAX_PAGES = 45  # of a document
CUTS = (MAX_PAGES, 3, 1)  # pages of the documents that one is cut into
MIN_SHARE = 0.7  # of a region's words or letters
RIDGE = 1.0
ROUNDS = 40
PROBABILITIES = (0.5, 0.6, 0.7, 0.8)
NETWORK = Evidence._fields.index("network")
DOUBT_SHARE = {True: 0.25, False: 0.04}  # share of drawn furniture and text of which the network gets unsure or wrong

Truth = dict[tuple[int, int], bool]  # by the number of the page, and the index of the region


@dataclass(frozen=True, slots=True)
class Labelled:
    """A document before anything is decided of all its pages; `truth` has the regions that are known."""

    family: str
    pages: tuple[Page, ...]
    truth: Truth
    is_drawn: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """Evidence (rows, fields), whether each is furniture, its family and its weight."""

    evidence: np.ndarray
    truth: np.ndarray
    family: np.ndarray
    weight: np.ndarray

    def of(self, chosen: np.ndarray) -> Rows:
        return Rows(self.evidence[chosen], self.truth[chosen], self.family[chosen], self.weight[chosen])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--documents", type=int, default=130, help="number of drawn ones")
    parser.add_argument("--seed", type=int, default=1000)
    args = parser.parse_args(arguments)
    reader = StructureReader(args.checkpoint)
    documents = [*islice(drawn(reader, args.seed), args.documents)]
    documents += [one for folder in args.folders for one in tagged(reader, folder)]
    rows = rows_of(documents, random.Random(args.seed))
    judge(rows)
    for name, weight in zip(Evidence._fields, fitted(rows), strict=True):
        print(f"    {name}={weight:.2f},")
    return 0


def drawn(reader: StructureReader, seed: int) -> Iterator[Labelled]:
    """Documents of all kinds, each second one a book whose heads name its chapters."""
    texts = installed_texts()
    for number in count(seed):
        document = draw(number, texts, "long book" if number % 2 else None)
        with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
            file.write(document.content)
            file.flush()
            yield Labelled(f"drawn {number}", *_read_drawn(reader, file.name, document), is_drawn=True)


def _read_drawn(reader: StructureReader, path: str, document: DrawnDocument) -> tuple[tuple[Page, ...], Truth]:
    pages: list[Page] = []
    truth: Truth = {}
    with pymupdf.open(path) as pdf:
        for inspection in inspections(path, structure_trees=False):
            page = composed(reader, inspection)
            pages.append(page)
            for k, region in enumerate(page.regions):
                blocks = [
                    document.blocks[c] for c in colours_of(pdf[page.number - 1], region.spans, document.blocks) if c
                ]
                _add(truth, (page.number, k), [block.role in BESIDE_THE_TEXT for block in blocks])
    return tuple(pages), truth


def tagged(reader: StructureReader, folder: Path) -> Iterator[Labelled]:
    """The tagged PDFs of the tuned half, read without their trees."""
    for path in sorted(folder.rglob("*.pdf")):
        if not is_tuned_on(folder, path):
            continue
        try:
            pages = tuple(composed(reader, one) for one in inspections(str(path), structure_trees=False))
            truth: Truth = {}
            for page, inspection in zip(pages, inspections(str(path), structure_trees=True), strict=True):
                _add_tagged(truth, page, inspection)
        except (IngestError, ValueError, pymupdf.FileDataError):
            continue
        if truth:
            yield Labelled(family_of(path.relative_to(folder.parent)), pages, truth, is_drawn=False)


def _add_tagged(truth: Truth, page: Page, inspection: Inspection) -> None:
    limits = TreeLimits()
    agreed = agreement(inspection, limits)
    if agreed is None:
        return
    words = [word for line in visible_lines(inspection) for word in line.words]
    for k, region in enumerate(page.regions):
        own = [word.box for word in words if any(span.box.contains(*word.box.center) for span in region.spans)]
        in_blocks = [agreed.tree.block_of(box) is not None for box in own]
        known = [
            box for box, is_text in zip(own, in_blocks, strict=True) if is_text or agreed.tree.is_furniture(box, limits)
        ]
        if own and len(known) >= MIN_SHARE * len(own):
            _add(truth, (page.number, k), [agreed.tree.block_of(box) is None for box in known])


def _add(truth: Truth, place: tuple[int, int], votes: Sequence[bool]) -> None:
    share = sum(votes) / len(votes) if votes else 0.5
    if max(share, 1 - share) >= MIN_SHARE:
        truth[place] = share > 0.5


def inspections(path: str, *, structure_trees: bool) -> Iterator[Inspection]:
    pdf = PdfFile(Source(path=path, media_type="application/pdf"), RenderLimits(structure_trees=structure_trees))
    try:
        for number in range(1, min(MAX_PAGES, pdf.opened().num_pages) + 1):
            yield pdf.inspect(number)
    finally:
        pdf.close()


def composed(reader: StructureReader, inspection: Inspection) -> Page:
    """The page as the structure network reads it."""
    lines = visible_lines(inspection)
    blocks = reader.blocks_of(packed_segments(inspection, lines))
    return compose_page(inspection, draft_regions(inspection, (), blocks=blocks), {}, {})


def rows_of(documents: Sequence[Labelled], chance: random.Random) -> Rows:
    """Of each document whole, and in pieces; families of many rows count less than those have rows."""
    rows: list[tuple[Evidence, bool, str, int]] = []
    for document in documents:
        known = document.truth if document.is_drawn else _without_doubtful(document)
        for size in CUTS if len(document.pages) > 1 else CUTS[:1]:
            for start in range(0, len(document.pages), size):
                pages = document.pages[start : start + size]
                for number, k, own in evidence(pages):
                    truth = known.get((pages[number].number, k))
                    if truth is not None:
                        row = _disturbed(own, truth, chance) if document.is_drawn else own
                        rows.append((row, truth, document.family, size))
    sizes = Counter((family, size) for _, _, family, size in rows)
    return Rows(
        np.array([own for own, *_ in rows]),
        np.array([truth for _, truth, *_ in rows]),
        np.array([family for _, _, family, _ in rows]),
        np.array([sizes[family, size] ** -0.5 for _, _, family, size in rows]),
    )


def _without_doubtful(document: Labelled) -> Truth:
    """The truth without what authors often tag as text though it is none: what comes back at the edge of pages."""
    known = dict(document.truth)
    for number, k, own in evidence(document.pages):
        place = (document.pages[number].number, k)
        if own.outside == 0 and own.same > 0 and not known.get(place, True):
            del known[place]
    return known


def _disturbed(own: Evidence, truth: bool, chance: random.Random) -> Evidence:
    """As unsure as the network is of pages that it has not learned from."""
    scale = chance.uniform(-1, 0.5) if chance.random() < DOUBT_SHARE[truth] else chance.uniform(0.5, 1)
    return own._replace(network=scale * own.network)


def fitted(rows: Rows) -> np.ndarray:
    """The weights of the likeliest logistic model, by Newton's method."""
    weights = np.zeros(rows.evidence.shape[1])
    ridge = RIDGE * np.arange(len(weights)).clip(max=1)  # the constant is free
    scale = rows.weight * 3000 / rows.weight.sum()
    for _ in range(ROUNDS):
        probability = probabilities(rows.evidence, weights)
        curvature = (rows.evidence * (scale * probability * (1 - probability))[:, None]).T @ rows.evidence
        slope = rows.evidence.T @ (scale * (rows.truth - probability)) - ridge * weights
        weights = weights + np.linalg.solve(curvature + np.diag(ridge + 1e-9), slope)
    return weights


def probabilities(rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))


def judge(rows: Rows) -> None:
    """Print of the tagged documents how much furniture stays in and how much text is lost."""
    is_tagged = ~np.char.startswith(rows.family, "drawn ")
    unseen = np.zeros(len(rows.truth))
    for family in sorted(set(rows.family[is_tagged])):
        own = rows.family == family
        unseen[own] = probabilities(rows.evidence[own], fitted(rows.of(~own)))
    for least in PROBABILITIES:
        left = (rows.truth & is_tagged & (unseen <= least)).sum()
        lost = (~rows.truth & is_tagged & (unseen > least)).sum()
        print(f"{least}: furniture left in {left} of {(rows.truth & is_tagged).sum()}, text lost {lost}")


if __name__ == "__main__":
    sys.exit(main())
