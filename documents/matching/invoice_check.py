"""Compares the data of an e-invoice with its pages: where each value is printed, and what is printed instead."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from documents.boxes import NO_BOX
from documents.invoice_values import Invoice, InvoiceField, InvoiceFieldName
from documents.matching.invoice_labels import LABELS
from documents.matching.lines import PrintedLine, printed_lines
from documents.matching.matcher import Leaf, Matcher
from documents.matching.printed_rivals import Place, PrintedRivals
from documents.matching.work_budget import WorkBudget, WorkBudgetSpent
from documents.values import Document, Page, PageWarning

AMOUNTS: tuple[InvoiceFieldName, ...] = ("net", "tax", "total", "due")
DATES: tuple[InvoiceFieldName, ...] = ("date", "due_date")
TEXTS: tuple[InvoiceFieldName, ...] = ("number", "seller", "buyer", "line_name")
MAX_LINES = 3000  # printed lines; a document with more is not compared
MAX_LINE_CHARACTERS = 200_000  # maximum number of characters of these lines together
# steps of a `WorkBudget`, about a microsecond each; an invoice of 100 lines takes less than a quarter
MAX_STEPS = 2_000_000
MAX_SEARCHES = 500  # maximum number of searches for another printed value; further fields are only `not_printed`
MAX_ROW = 100  # printed lines at the height of a line of the invoice
ROW_HEIGHTS = 2.5  # heights of a line from the name or sum of an invoice's line to its other values
_TITLE = re.compile(
    r"^(?:herrn?|frau|firma|fa\.|mr\.?|mrs\.?|ms\.?|m\.|mme\.?|monsieur|madame)\s+(?=\w)", re.IGNORECASE
)


def with_checked_invoice(document: Document) -> Document:
    """The document, each field of its invoice with status and place, and a warning for each contradiction.

    An invoice that was compared before, as that of a job is at its end, is not compared again.
    """
    invoice = document.invoice
    if invoice is None:
        return document
    if all(field.status == "unchecked" for field in invoice.fields):
        invoice = checked_invoice(invoice, document.pages)
    warnings = (*document.warnings, *contradictions(invoice))
    return document.model_copy(update={"invoice": invoice, "warnings": warnings})


def checked_invoice(invoice: Invoice, pages: Iterable[Page]) -> Invoice:
    """The invoice with the status and place of each field; without printed lines, or with too much work, as it is."""
    lines: list[PrintedLine] = []
    for page in pages:
        if page.form == "print" and len(lines) <= MAX_LINES:
            lines += printed_lines([page])
    if not 0 < len(lines) <= MAX_LINES or sum(len(line.text) for line in lines) > MAX_LINE_CHARACTERS:
        return invoice
    try:
        fields = _Check(lines, invoice.fields, WorkBudget(MAX_STEPS)).fields()
    except WorkBudgetSpent:
        return invoice
    return invoice.model_copy(update={"fields": tuple(fields)})


def contradictions(invoice: Invoice) -> list[PageWarning]:
    """A warning for each field whose data say something else than the page."""
    return [
        PageWarning(
            code="invoice_contradiction",
            message=f"{_name_of(field)}: the data of {invoice.file} say {field.value}, the page {field.printed}",
            page=field.page,
            box=field.boxes[0] if field.boxes else None,
        )
        for field in invoice.fields
        if field.status == "contradiction"
    ]


def _name_of(field: InvoiceField) -> str:
    return field.name if field.line is None else f"{field.name} of line {field.line + 1}"


class _Check:
    """The fields of one invoice against the lines of its pages; raises WorkBudgetSpent."""

    def __init__(self, lines: Sequence[PrintedLine], fields: Sequence[InvoiceField], budget: WorkBudget) -> None:
        self._lines = lines
        self._given = fields
        self._num_searches = 0
        self._nearby: dict[int, frozenset[int]] = {}  # of a printed line: those at its height
        self._issued = next((date.fromisoformat(field.value) for field in fields if field.name == "date"), None)
        self._levels: dict[int, list[tuple[float, int]]] = {}  # of each page: middle of a line, its index
        for index, line in enumerate(lines):
            self._levels.setdefault(line.page, []).append((line.box.center[1], index))
        for levels in self._levels.values():
            levels.sort()
        matcher = Matcher(lines, budget)
        leaves = [_leaf(field) for field in fields]
        standings = [matcher.standings(leaf.value) for leaf in leaves]
        self._places: list[list[tuple[Place, ...]]] = [[one.parts for one in places] for places in standings]
        self._members: dict[int, list[int]] = {}  # of each line of the invoice: its fields
        for index, field in enumerate(fields):
            if field.line is not None:
                self._members.setdefault(field.line, []).append(index)
        self._rivals = PrintedRivals(lines, matcher.labels, budget)
        self._rows = self._rows_of_lines()
        self._matches = matcher.match_standings(leaves, standings)
        self._all_taken = {part for places in self._places for parts in places for part in parts}

    def fields(self) -> list[InvoiceField]:
        return [self._checked(index, field) for index, field in enumerate(self._given)]

    def _checked(self, index: int, field: InvoiceField) -> InvoiceField:
        rows = self._rows.get(field.line, frozenset[int]()) if field.line is not None else frozenset[int]()
        places = self._places[index]
        if rows and field.name != "line_name":
            places = [parts for parts in places if parts[0][0] in rows]
        if field.name in AMOUNTS:
            places = [parts for parts in places if self._is_amount(parts[0], field)]
        if field.line is not None and not rows:
            places = []
        rival = self._rival_of_printed(field, places) if places else self._rival(field, rows)
        if rival is not None:
            return self._with(field, "contradiction", (rival,))
        if not places:
            return field.model_copy(update={"status": "not_printed"})
        match = self._matches[index]
        chosen = next((parts for parts in places if self._is_match(parts, match.page, match.source_text)), places[0])
        if field.line is None and match.page is not None:
            update = {"status": "found", "printed": match.source_text, "page": match.page, "boxes": match.boxes}
            return field.model_copy(update=update)
        return self._with(field, "found", chosen)

    def _is_amount(self, place: Place, field: InvoiceField) -> bool:
        """Whether a number is printed as an amount, or a label names it: 07 may be a page, a day, a tax rate."""
        text = self._lines[place[0]].text[place[1] : place[2]]
        return "," in text or "." in text or self._rivals.is_labelled(place, LABELS.get(field.name, ()))

    def _rival(self, field: InvoiceField, rows: frozenset[int]) -> Place | None:
        """What is printed in place of a value that is not."""
        if (field.line is not None and not rows) or self._num_searches >= MAX_SEARCHES:
            return None
        self._num_searches += 1
        names = LABELS.get(field.name, ())
        taken = self._taken(field.line)
        if field.name in DATES:
            day = date.fromisoformat(field.value)
            return self._rivals.of_date(day, names, taken, after=self._issued if field.name == "due_date" else None)
        if field.name in TEXTS:
            return self._rivals.of_text(field.value, names, taken)
        return self._rivals.of_amount(field.value, names, taken, rows)

    def _rival_of_printed(self, field: InvoiceField, places: Sequence[tuple[Place, ...]]) -> Place | None:
        """What a label names, where the value is printed only in places that no label names."""
        names = LABELS.get(field.name, ())
        if not names or field.name in TEXTS or any(self._rivals.is_labelled(parts[0], names) for parts in places):
            return None
        kind = "date" if field.name in DATES else "amount"
        return self._rivals.labelled(kind, names, self._taken(None))

    def _taken(self, line: int | None) -> set[Place]:
        """The places of values that the data have: of this line of the invoice, else of all fields."""
        if line is None:
            return self._all_taken
        return {part for index in self._members.get(line, ()) for parts in self._places[index] for part in parts}

    def _rows_of_lines(self) -> Mapping[int | None, frozenset[int]]:
        """The printed lines at the height of each line of the invoice: where most of its values stand."""
        rows: dict[int | None, frozenset[int]] = {}
        used: set[frozenset[int]] = set()
        for line, indices in self._members.items():
            anchors = [parts[0][0] for index in indices for parts in self._places[index][:20]]
            standing_lines = [{parts[0][0] for parts in self._places[index]} for index in indices]
            scored = [
                (sum(not near.isdisjoint(lines) for lines in standing_lines), -anchor, near)
                for anchor in dict.fromkeys(anchors)
                for near in [self._near(anchor)]
            ]
            free = [one for one in scored if one[2] not in used] or scored
            if free:
                best = max(free)[2]
                used.add(best)
                rows[line] = best
        return rows

    def _near(self, anchor: int) -> frozenset[int]:
        """The printed lines beside one, and what stands right above or below it."""
        if anchor in self._nearby:
            return self._nearby[anchor]
        line = self._lines[anchor]
        levels, middle, reach = self._levels[line.page], line.box.center[1], ROW_HEIGHTS * line.box.height
        first = bisect_left(levels, (middle - reach, 0))
        last = bisect_right(levels, (middle + reach, len(self._lines)))
        self._nearby[anchor] = frozenset(index for _, index in levels[first : min(last, first + MAX_ROW)])
        return self._nearby[anchor]

    def _is_match(self, parts: tuple[Place, ...], page: int | None, text: str | None) -> bool:
        first = self._lines[parts[0][0]]
        return first.page == page and " ".join(self._lines[k].text[start:end] for k, start, end in parts) == text

    def _with(self, field: InvoiceField, status: str, parts: Sequence[Place]) -> InvoiceField:
        lines = [self._lines[line] for line, _, _ in parts]
        boxes = (
            self._lines[line].box_of(start, end)
            for line, start, end in parts
            if self._lines[line].page == lines[0].page
        )
        return field.model_copy(
            update={
                "status": status,
                "printed": " ".join(self._lines[line].text[start:end] for line, start, end in parts),
                "page": lines[0].page,
                "boxes": tuple(box for box in boxes if box != NO_BOX),
            }
        )


def _leaf(field: InvoiceField) -> Leaf:
    path = (field.name,) if field.line is None else ("lines", field.line, field.name)
    is_amount = field.name not in DATES and field.name not in TEXTS
    value = float(field.value) if is_amount else _TITLE.sub("", field.value)
    return Leaf(path=path, value=value, labels=LABELS.get(field.name, ()))
