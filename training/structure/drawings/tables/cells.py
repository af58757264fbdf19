"""Where the cells of a drawn table stand: a typesetter is handed cells and spans, and both place them by this rule."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser

from training.structure.drawings.drawn_document import DrawnCell

MAX_COLUMNS = 1000  # of a table whose rows are told apart otherwise
LAYOUT = "presentation"  # WAI-ARIA's role of a `<table>` that is none: a list in two columns
INK = re.compile(r'"#([0-9a-f]{6})"')
STYLE_INK = re.compile(r"(?<![\w-])color:#([0-9a-f]{6})")
SPAN = re.compile(r"(rowspan|colspan):(\d+)")
TYPST_CELL = re.compile(r"table\.cell\(([^\[]*)\)\[")


@dataclass(frozen=True, slots=True)
class Slot:
    """One cell as a typesetter is handed it: the colours of its blocks, how far it reaches, which rows it opens."""

    colours: list[int]
    num_rows: int = 1
    num_columns: int = 1
    is_header: bool = False
    num_opened: int = 0  # rows that are opened before it


def placed(table: int, slots: Iterable[Slot], num_columns: int = MAX_COLUMNS) -> dict[int, DrawnCell]:
    """The cell of each colour: a slot stands in the first place of its row, or behind it, that nothing reaches into.

    This is the rule of HTML (where slots open rows) and of Typst (where a row ends after `num_columns`).
    """
    taken: set[tuple[int, int]] = set()
    cells: dict[int, DrawnCell] = {}
    row, column = -1 if num_columns == MAX_COLUMNS else 0, 0
    for slot in slots:
        if slot.num_opened:
            row, column = row + slot.num_opened, 0
        while (row, column) in taken or column >= num_columns:
            row, column = (row + 1, 0) if column >= num_columns else (row, column + 1)
        taken |= {(row + down, column + on) for down in range(slot.num_rows) for on in range(slot.num_columns)}
        cell = DrawnCell(table, row, column, slot.num_rows, slot.num_columns, slot.is_header)
        cells |= dict.fromkeys(slot.colours, cell)
    return cells


def typst_slot(source: str) -> Slot:
    """What a cell of Typst's `table` is: `[…]` or `table.cell(colspan:…,rowspan:…)[…]`."""
    arguments = TYPST_CELL.match(source)
    spans = dict(SPAN.findall(arguments[1])) if arguments else {}
    inks = [int(ink, 16) for ink in INK.findall(source)]
    return Slot(inks, int(spans.get("rowspan", 1)), int(spans.get("colspan", 1)))


def html_cells(html: str) -> dict[int, DrawnCell]:
    """The cells of all `<table>`s of a document, by the colours that are written in their styles."""
    reader = _TableReader()
    reader.feed(html)
    return {
        colour: cell for number, slots in enumerate(reader.tables) for colour, cell in placed(number, slots).items()
    }


class _TableReader(HTMLParser):
    """Collects slots; what stands in a table within a cell belongs to the inner table."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[Slot]] = []
        self._open: list[list[Slot] | None] = []  # None: no table, or one for layout only
        self._in_head = False
        self._num_opened = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "table":
            self._open.append(None if attributes.get("role") == LAYOUT else [])
            self.tables += [slots for slots in self._open[-1:] if slots is not None]
        slots = self._open[-1] if self._open else None
        if slots is None:
            return
        if tag in ("thead", "tbody"):
            self._in_head = tag == "thead"
        elif tag == "tr":
            self._num_opened += 1
        elif tag in ("td", "th"):
            rows, columns = int(attributes.get("rowspan", "1")), int(attributes.get("colspan", "1"))
            slots.append(Slot([], rows, columns, self._in_head or tag == "th", self._num_opened))
            self._num_opened = 0
        ink = STYLE_INK.search(attributes.get("style", ""))
        if ink and slots:
            slots[-1].colours.append(int(ink[1], 16))

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._open.pop()
        elif tag == "thead":
            self._in_head = False
