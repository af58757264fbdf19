"""Training pages from tagged PDFs: what their authors say that each line is.

    python -m training.structure.tagged.pages runs/structure/tagged FOLDER...

Of the documents in the folders, those of the half that is tuned on (`benchmarks.truths.headings`); pages whose
tags do not agree with what is seen are left out. What no tag names, or what looks like something else, is unknown, and
taught by nobody; the text may still say what belongs together and in which order.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pymupdf

from benchmarks.truths.headings import family_of, half_of
from documents.boxes import BoundingBox
from documents.errors import IngestError
from documents.inspection import Inspection, TextLine
from documents.pdf.pdf_file import PdfFile
from documents.regions.tagged.regions import block_of_line
from documents.render_limits import RenderLimits
from documents.segments.page_tokens import page_tokens
from documents.segments.roles import ROLES, Role
from documents.tags.tagged_agreement import Agreement, agreement, runs_downward
from documents.tags.tagged_blocks import TreeBlock, TreeLimits
from documents.values import Source
from training.structure.network.examples import NO_RANK, NO_TABLE, UNKNOWN_TABLE, Example, save
from training.structure.tagged.doubts import UNKNOWN, sure_roles
from training.structure.tagged.furniture import Recurrence, furniture_role, recurrence, recurrences

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
MIN_KNOWN = 0.5  # of the segments of a page
MAX_OF_FAMILY = 8  # documents whose names begin alike
MAX_BYTES = 20_000_000  # of a document
MAX_PAGES = 8  # of a document
PAGES_PER_FILE = 400
MAX_TOKENS = 420
FLOW_ROLES = [ROLES.index(role) for role in ("heading", "text", "list_item", "caption", "contents", "code")]
LIMITS = TreeLimits()
JUDGE_FOLDERS = frozenset({"tabula"})  # folders of copies from sets that judge the result


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    args = parser.parse_args(arguments)
    args.out.mkdir(parents=True, exist_ok=True)
    files = list(chosen_files(args.folders, {".pdf"}))
    print(f"{len(files)} documents", flush=True)
    pages = [example for path in files for example in examples(path)]
    for start in range(0, len(pages), PAGES_PER_FILE):
        save(pages[start : start + PAGES_PER_FILE], args.out / f"tagged-{start:06}.pages")
    print(f"{len(pages)} pages of {len(files)} documents")
    return 0


def chosen_files(folders: Sequence[Path], suffixes: Collection[str]) -> Iterator[Path]:
    """The documents to learn from: those of the half that is tuned on, no content twice, of a family a few."""
    contents: set[bytes] = set()
    families: Counter[str] = Counter()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() not in suffixes or not path.is_file() or not is_tuned_on(folder, path):
                continue
            family = family_of(path.relative_to(folder.parent))
            if families[family] == MAX_OF_FAMILY or path.stat().st_size > MAX_BYTES:
                continue
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in contents:
                contents.add(digest)
                families[family] += 1
                yield path


def is_tuned_on(folder: Path, path: Path) -> bool:
    """Whether a file may teach: `benchmarks.headings FOLDER` counts it to the tuned half, and no judging set has it."""
    return not JUDGE_FOLDERS.intersection(path.parts) and half_of(family_of(path.relative_to(folder.parent))) == "tuned"


def examples(path: Path) -> Iterator[Example]:
    """The pages of one PDF that its author tagged as they are seen."""
    if not _is_tagged(path):
        return
    try:
        pdf = PdfFile(Source(path=str(path), media_type="application/pdf"), RenderLimits())
        num_pages = pdf.opened().num_pages
    except (IngestError, pymupdf.FileDataError):
        return
    inspections: list[Inspection] = []
    for number in chosen_pages(num_pages):
        with contextlib.suppress(IngestError):
            inspections.append(pdf.inspect(number))
    pdf.close()
    recurring = recurrences(inspections)
    for inspection in inspections:
        example = example_of(inspection, recurring)
        if example is not None:
            yield example


def _is_tagged(path: Path) -> bool:
    """Whether the file can be opened and has a structure tree."""
    try:
        with pymupdf.open(path) as document:
            return document.is_pdf and document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[0] != "null"
    except (RuntimeError, ValueError):
        return False


def chosen_pages(num_pages: int) -> list[int]:
    """At most MAX_PAGES, spread over the document."""
    count = min(num_pages, MAX_PAGES)
    return sorted({1 + round(k * (num_pages - 1) / max(1, count - 1)) for k in range(count)})


def example_of(inspection: Inspection, recurring: frozenset[Recurrence] = frozenset()) -> Example | None:
    """The page, or None if its tags do not agree with what is seen or name too little of it."""
    agreed = agreement(inspection, LIMITS)
    if agreed is None:
        return None
    lines = [line for line in inspection.lines if line.hidden is None]
    blocks = [block_of_line(agreed.tree, line) for line in lines]
    named = [
        UNKNOWN if block is None else _role(agreed.tree.blocks[block], headings=agreed.headings) for block in blocks
    ]
    tokens = page_tokens(inspection, lines)
    roles = sure_roles(named, blocks, agreed.tree, tokens)
    if roles is None or len(tokens.kind) > MAX_TOKENS:
        return None
    furniture = [_furniture(line, role, inspection, agreed, recurring) for line, role in zip(lines, roles, strict=True)]
    role = np.array([a if b is None else ROLES.index(b) for a, b in zip(roles, furniture, strict=True)], np.int8)
    if (role >= 0).sum() < max(3, MIN_KNOWN * len(lines)) or not np.isin(role, FLOW_ROLES).any():
        return None
    in_text = np.array([one is None for one in furniture]) & (np.array(named) >= 0)
    is_table = np.array(named) == ROLES.index("table")  # its block is the whole table: no paragraph
    numbers = np.array([-1 if block is None else block for block in blocks])
    return Example(
        tokens=tokens,
        role=role,
        block=np.where(in_text & ~is_table, numbers, -1).astype(np.int32),
        place=np.arange(len(lines), dtype=np.float32),
        rank=np.where(in_text & _is_ordered(lines, np.where(in_text, numbers, -1)), numbers, NO_RANK).astype(
            np.float64
        ),
        table=np.where(is_table, numbers, np.where(role >= 0, NO_TABLE, UNKNOWN_TABLE)).astype(np.int16),
    )


def _is_ordered(lines: Sequence[TextLine], blocks: np.ndarray) -> bool:
    """Whether the tags list the blocks from the top down; furniture, which many list first, is none of them."""
    boxes = [
        BoundingBox.around([lines[k].box for k in np.flatnonzero(blocks == block).tolist()])
        for block in np.unique(blocks[blocks >= 0])
    ]
    return runs_downward(boxes, LIMITS.min_downward)


def _furniture(
    line: TextLine, role: int, inspection: Inspection, agreed: Agreement, recurring: frozenset[Recurrence]
) -> Role | None:
    """What the line is if it is no part of the text: an artifact, or what comes back and is no heading or table."""
    if role in (UNKNOWN, ROLES.index("text")) and recurrence(line) in recurring:
        return furniture_role(line, inspection)
    if role == UNKNOWN and agreed.furniture and any(agreed.tree.is_furniture(word.box, LIMITS) for word in line.words):
        return furniture_role(line, inspection)
    return None


def _role(block: TreeBlock, *, headings: bool) -> int:
    if block.level:
        return ROLES.index("heading") if headings else UNKNOWN
    name = ROLE_OF.get(block.role)
    return UNKNOWN if name is None else ROLES.index(name)


if __name__ == "__main__":
    sys.exit(main())
