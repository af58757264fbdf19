"""Scores of a document against the truth of its drawing: hits and what they are counted among, so that sums are exact.

By printed lines: `heads`, `captions`, `furniture`, `notes`, `figures` and `formulas` are F1 of the lines of that role;
`text` is F1 of pairs of lines that follow one another in one paragraph or item. `order` is the share of pairs of blocks
that are read one right behind the other, a table as one; `describes` that of captions bound to their own table, or to a
figure; `table` is F1 of pairs of neighbouring cells by their letters, and `no_table` the share of pages without a table
on which none is read.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from benchmarks.truths.drawn_truth import TrueCell, TrueLine, TruePage
from documents.region_values import CaptionRegion, Region, TableCell, TextRegion, table_in
from documents.segments.roles import Role
from documents.values import Document, Page

SCORES = (
    "text", "order", "table", "no_table", "heads", "captions", "describes", "furniture", "notes", "figures", "formulas",
)  # fmt: skip
Count = tuple[float, float]  # hits, and what they are counted among
Counts = dict[str, Count]
CAPTIONS = ("figure_caption", "table_caption", "formula_caption")
ROLES: Mapping[str, tuple[frozenset[Role], Callable[[Region], bool]]] = {
    "heads": (frozenset({"title", "heading"}), lambda region: region.kind == "title"),
    "captions": (frozenset({"caption"}), lambda region: region.kind in CAPTIONS),
    "furniture": (
        frozenset({"page_header", "page_footer", "page_number", "stamp"}),
        lambda region: region.kind == "abandon",
    ),
    "notes": (
        frozenset({"footnote", "side_note"}),
        lambda region: getattr(region, "note", None) is not None or region.kind == "table_footnote",
    ),
    "figures": (frozenset({"figure_text"}), lambda region: region.kind == "figure"),
    "formulas": (frozenset({"formula"}), lambda region: region.kind == "isolate_formula"),
}
PARAGRAPHS: frozenset[Role] = frozenset({"text", "list_item", "footnote", "side_note"})
FORMS: frozenset[Role] = frozenset({"label", "value", "contents", "table"})  # that may be read as a table, too


class Placed(NamedTuple):
    """Where a printed line is in the result: its region, the line of text it is in, and how far on."""

    region: Region
    paragraph: int
    place: tuple[int, int]


def drawn_counts(document: Document, pages: Sequence[TruePage]) -> Counts:
    """The counts of the pages that have a truth."""
    truths = {page.number: page for page in pages}
    counts: Counter[tuple[str, int]] = Counter()
    for page in document.pages:
        if page.number not in truths:
            continue
        for name, (hits, among) in page_counts(page, truths[page.number]).items():
            counts[name, 0] += hits  # pyright: ignore[reportArgumentType] - counts may be shares
            counts[name, 1] += among  # pyright: ignore[reportArgumentType]
    return {name: (counts[name, 0], counts[name, 1]) for name in SCORES if counts[name, 1]}


def page_counts(page: Page, truth: TruePage) -> Counts:
    placed = placed_lines(page, truth.lines)
    counts = {name: _role_count(placed, truth.lines, *ROLES[name]) for name in ROLES}
    counts["text"] = _f1(_true_links(truth.lines), _links(placed, truth.lines))
    counts["order"] = _order(placed, truth.lines)
    counts["describes"] = _described(placed, truth)
    counts |= _table_counts(page, truth)
    return counts


def placed_lines(page: Page, lines: Sequence[TrueLine]) -> list[Placed | None]:
    """Each line in the region whose line covers it best, or else the one whose text holds its words."""
    spans = [(region, number, span) for region in page.regions for number, span in enumerate(region.spans)]
    whole = [(region, _letters(region.text)) for region in page.regions if len(region.spans) < 2]
    placed: list[Placed | None] = []
    for line in lines:
        x, y = line.box.center
        near = [entry for entry in spans if entry[2].box.contains(x, y)]
        own = _letters(line.text)
        near = [entry for entry in near if own and own in _letters(entry[0].text)] or near
        best = max(near, key=lambda entry: line.box.intersection(entry[2].box) / (entry[2].box.area or 1), default=None)
        holder = next((region for region, letters in whole if own and own in letters), None)
        if holder is not None and (best is None or own not in _letters(best[0].text)):
            before = holder.text.find(line.text)
            placed.append(_placed(holder, 0, max(0, before)))
        elif best is not None:
            region, number, span = best
            placed.append(_placed(region, number, span.text_start))
        else:
            placed.append(None)
    return placed


def _placed(region: Region, number: int, start: int | None) -> Placed:
    """A line without a place in the text of its region is joined with no other."""
    paragraph = -number if start is None else region.text.count("\n", 0, start)
    return Placed(region, paragraph, (region.order, number))


def _role_count(
    placed: Sequence[Placed | None], lines: Sequence[TrueLine], roles: frozenset[Role], is_one: Callable[[Region], bool]
) -> Count:
    true = {k for k, line in enumerate(lines) if line.role in roles}
    read = {k for k, own in enumerate(placed) if own is not None and is_one(own.region) and lines[k].role is not None}
    return 2.0 * len(true & read), float(len(true) + len(read))


def _true_links(lines: Sequence[TrueLine]) -> Counter[tuple[int, int]]:
    """Pairs of lines, by their numbers, that follow one another in a block of text."""
    blocks: defaultdict[int, list[int]] = defaultdict(list)
    for k, line in enumerate(lines):
        if line.role in PARAGRAPHS:
            blocks[line.block].append(k)
    return Counter(pair for members in blocks.values() for pair in pairwise(members))


def _links(placed: Sequence[Placed | None], lines: Sequence[TrueLine]) -> Counter[tuple[int, int]]:
    """The same of the result; a text that continues the one before goes on with its last line."""
    own = [
        (entry.place, k, entry)
        for k, entry in enumerate(placed)
        if entry is not None and lines[k].role in PARAGRAPHS and isinstance(entry.region, TextRegion | CaptionRegion)
    ]
    ordered = [(k, entry) for _, k, entry in sorted(own, key=lambda entry: entry[:2])]
    return Counter(
        (k, after_k)
        for (k, entry), (after_k, after) in pairwise(ordered)
        if (entry.region is after.region and entry.paragraph == after.paragraph)
        or (entry.region is not after.region and getattr(after.region, "continues", False) and after.paragraph == 0)
    )


def _f1(true: Counter[tuple[int, int]], read: Counter[tuple[int, int]]) -> Count:
    return 2.0 * (true & read).total(), float(true.total() + read.total())


def _order(placed: Sequence[Placed | None], lines: Sequence[TrueLine]) -> Count:
    ranks: dict[tuple[bool, int], float] = {}
    places: dict[tuple[bool, int], tuple[int, int]] = {}
    for line, own in zip(lines, placed, strict=True):
        if line.rank is None or line.role == "figure_text" or line.role is None:
            continue
        item = (line.table is not None, line.block if line.table is None else line.table)
        ranks[item] = min(line.rank, ranks.get(item, line.rank))
        if own is not None:
            places[item] = min(own.place, places.get(item, own.place))
    true = sorted(ranks, key=lambda item: ranks[item])
    read = {after: before for before, after in pairwise(sorted(places, key=lambda item: places[item]))}
    return float(sum(read.get(after) == before for before, after in pairwise(true))), float(max(0, len(true) - 1))


def _described(placed: Sequence[Placed | None], truth: TruePage) -> Count:
    """A caption's target is right that holds most lines of its table, or is a figure."""
    regions = {own.region.order: own.region for own in placed if own is not None}
    right = 0
    for caption in truth.captions:
        own = [placed[k] for k, line in enumerate(truth.lines) if line.block == caption.block]
        orders = {one.region.describes for one in own if one is not None and isinstance(one.region, CaptionRegion)}
        target = next(iter(orders - {None}), None)
        if target is None:
            continue
        if caption.table is None:
            right += target not in regions or regions[target].kind == "figure"
            continue
        in_table = [one for line, one in zip(truth.lines, placed, strict=True) if line.table == caption.table]
        right += 2 * sum(one is not None and one.region.order == target for one in in_table) > len(in_table)
    return float(right), float(len(truth.captions))


def _table_counts(page: Page, truth: TruePage) -> Counts:
    tables = [table for region in page.regions if (table := table_in(region)) is not None]
    if not truth.cells:
        if any(line.role in FORMS for line in truth.lines):
            return {}
        return {"no_table": (float(not tables), 1.0)}
    by_table: defaultdict[int, list[TrueCell]] = defaultdict(list)
    for cell in truth.cells:
        by_table[cell.table].append(cell)
    true = sum((neighbours(cells) for cells in by_table.values()), Counter[tuple[str, str, str]]())
    read = sum((neighbours(table.cells) for table in tables), Counter[tuple[str, str, str]]())
    return {"table": (2.0 * (true & read).total(), float(true.total() + read.total()))}


def neighbours(cells: Iterable[TrueCell | TableCell]) -> Counter[tuple[str, str, str]]:
    """Pairs of cells with words that are next to one another in a row or column, as at ICDAR 2013 (Göbel et al.)."""
    grid: dict[tuple[int, int], tuple[int, str]] = {}
    for number, cell in enumerate(cells):
        letters = _letters(cell.text)
        for row in range(cell.row, cell.row + cell.num_rows):
            for column in range(cell.column, cell.column + cell.num_columns):
                if letters:
                    grid[row, column] = (number, letters)
    rows: defaultdict[int, list[int]] = defaultdict(list)
    columns: defaultdict[int, list[int]] = defaultdict(list)
    for row, column in sorted(grid):
        rows[row].append(column)
        columns[column].append(row)
    pairs: set[tuple[int, int, str]] = set()
    texts = dict(grid.values())
    for row, places in rows.items():
        pairs |= {(grid[row, a][0], grid[row, b][0], "right") for a, b in pairwise(places)}
    for column, places in columns.items():
        pairs |= {(grid[a, column][0], grid[b, column][0], "below") for a, b in pairwise(places)}
    return Counter((texts[a], texts[b], side) for a, b, side in pairs if a != b)


def _letters(text: str) -> str:
    """A raised letter is read as one, and drawn as one of smaller type."""
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()
