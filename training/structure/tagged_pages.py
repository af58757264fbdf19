"""Training pages from tagged PDFs: what their authors say that each line is.

    python -m training.structure.tagged_pages runs/structure/tagged FOLDER...

Of the documents in the folders, those of the half that is tuned on (`benchmarks.truths.headings`); pages whose
tags do not agree with what is seen are left out. What no tag names is unknown, and taught by nobody.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.truths.headings import family_of, half_of
from documents.errors import IngestError
from documents.inspection import Inspection
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.page_tokens import page_tokens
from documents.segments.roles import ROLES, Role
from documents.structure.tagged_agreement import agreement
from documents.structure.tagged_blocks import TreeBlock, TreeLimits
from documents.structure.tagged_regions import block_of_line
from documents.values import Source
from training.structure.examples import NO_RANK, Example, save

ROLE_OF: Mapping[str, Role] = {
    "P": "text",
    "LI": "list_item",
    "Caption": "caption",
    "Table": "table",
    "Note": "footnote",
    "TOCI": "contents",
    "Formula": "formula",
    "Code": "code",
}
UNKNOWN = -1
MIN_KNOWN = 0.5  # of the segments of a page
MAX_PAGES = 25  # of a document
PAGES_PER_FILE = 400
MAX_TOKENS = 420
LIMITS = TreeLimits()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    files = [path for folder in args.folders for path in sorted(folder.rglob("*.pdf")) if is_tuned_on(folder, path)]
    pages = [example for path in files for example in examples(path)]
    for start in range(0, len(pages), PAGES_PER_FILE):
        save(pages[start : start + PAGES_PER_FILE], args.out / f"tagged-{start:06}.pages")
    print(f"{len(pages)} pages of {len(files)} documents")
    return 0


def is_tuned_on(folder: Path, path: Path) -> bool:
    """Whether `benchmarks.headings FOLDER` counts the file to the tuned half."""
    return half_of(family_of(path.relative_to(folder.parent))) == "tuned"


def examples(path: Path) -> Iterator[Example]:
    """The pages of one PDF that its author tagged as they are seen."""
    try:
        pdf = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
        num_pages = pdf.opened().num_pages
    except IngestError:
        return
    step = max(1, num_pages // MAX_PAGES)
    for number in range(1, num_pages + 1, step):
        try:
            example = example_of(pdf.inspect(number))
        except IngestError:
            continue
        if example is not None:
            yield example
    pdf.close()


def example_of(inspection: Inspection) -> Example | None:
    """The page, or None if its tags do not agree with what is seen or name too little of it."""
    agreed = agreement(inspection, LIMITS)
    if agreed is None:
        return None
    lines = [line for line in inspection.lines if line.hidden is None]
    blocks = [block_of_line(agreed.tree, line) for line in lines]
    roles = [
        UNKNOWN if block is None else _role(agreed.tree.blocks[block], headings=agreed.headings) for block in blocks
    ]
    tokens = page_tokens(inspection, lines)
    known = sum(role >= 0 for role in roles)
    if known < max(3, MIN_KNOWN * len(lines)) or len(tokens.kind) > MAX_TOKENS:
        return None
    is_known = np.array(roles) >= 0
    numbers = np.array([-1 if block is None else block for block in blocks])
    is_table = np.array(roles) == ROLES.index("table")  # its block is the whole table: no paragraph
    return Example(
        tokens=tokens,
        role=np.array(roles, np.int8),
        block=np.where(is_known & ~is_table, numbers, -1).astype(np.int32),
        place=np.arange(len(lines), dtype=np.float32),
        rank=np.where(is_known & agreed.order, numbers, NO_RANK).astype(np.float64),
    )


def _role(block: TreeBlock, *, headings: bool) -> int:
    if block.level:
        return ROLES.index("heading") if headings else UNKNOWN
    name = ROLE_OF.get(block.role)
    return UNKNOWN if name is None else ROLES.index(name)


if __name__ == "__main__":
    sys.exit(main())
