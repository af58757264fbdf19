"""Draws training pages into files that `training.structure.network.train` reads.

    python -m training.structure.drawings.draw_pages runs/structure/pages --pages 12000 --seed 1
    python -m training.structure.drawings.draw_pages runs/structure/tables --typesetter web --kind tables

One process draws; more with other seeds fill the same folder. A page's truth is read back from the colours of its
letters, after the page has been inspected as any PDF is.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pymupdf

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source
from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.truth import example_of
from training.structure.drawings.typesetters import Typesetter, drawn_documents
from training.structure.network.examples import Example, save

PAGES_PER_FILE = 400
PAGES_PER_DOCUMENT = 3  # drawn at random: variety of documents teaches more than their later pages
SEEDS = 10_000_000  # of one run
LIMITS = RenderLimits(structure_trees=False)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="folder of the files")
    parser.add_argument("--pages", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--typesetter", choices=get_args(Typesetter), default="typst")
    parser.add_argument("--kind", help="draw this kind alone, as in the typesetter's KINDS: web has `tables`")
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    begun, file = time.monotonic(), list[Example]()
    for done, example in enumerate(examples(args.seed, args.typesetter, args.kind), 1):
        file.append(example)
        if len(file) == PAGES_PER_FILE or done == args.pages:
            save(file, args.out / f"{args.typesetter}-{args.seed}-{done:06}.pages")
            print(f"{done} pages in {time.monotonic() - begun:.0f} s", flush=True)
            file = []
        if done == args.pages:
            break
    return 0


def examples(seed: int, typesetter: Typesetter, kind: str | None = None) -> Iterator[Example]:
    """Pages without end; the same seed gives the same pages."""
    for number, document in enumerate(drawn_documents(seed * SEEDS, typesetter, kind)):
        chance = random.Random(seed * SEEDS + number)
        yield from pages_of(document, chance)


def pages_of(document: DrawnDocument, chance: random.Random) -> list[Example]:
    """Some pages of a document, inspected, with their truth; those that teach nothing are left out."""
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(document.content)
        file.flush()
        inspected = PdfFile(Source(path=file.name, media_type="application/pdf"), LIMITS)
        with pymupdf.open(file.name) as pdf:
            numbers = range(pdf.page_count)
            chosen = sorted(chance.sample(numbers, min(PAGES_PER_DOCUMENT, len(numbers))))
            examples_or_none = [example_of(inspected.inspect(k + 1), pdf[k], document.blocks) for k in chosen]
        inspected.close()
    return [example for example in examples_or_none if example is not None]


if __name__ == "__main__":
    sys.exit(main())
