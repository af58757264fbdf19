"""Reads XLSX: each visible sheet as a page with its tables."""

from __future__ import annotations

from dataclasses import dataclass

from documents.errors import IngestError, TooManyPages, UnreadableDocument
from documents.office.drawings import drawings_in
from documents.office.office_properties import main_part, office_metadata
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.unpack_limits import MAX_CELLS
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of, text_within
from documents.office.packages.zip_package import Package, Relation
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean
from documents.office.parsed_file import Authored, warned
from documents.office.sheets.cell_formats import fonts_of, formats_of, struck_forms_of
from documents.office.sheets.sheet_cells import CellReader, SheetCells, rich_words, strings_of
from documents.office.sheets.sheet_tables import hidden_cells_warnings, write_islands
from documents.office.slides.slide_text import words_of
from documents.places import SheetPlace, cell_at, range_name
from documents.values import PageWarning

THREAD_MARK = "Comment:"  # a copy of a comment for older programs begins after this word
MAX_SHEET_NAME = 100


@dataclass(frozen=True, slots=True)
class _Sheet:
    name: str
    part: str


def parse_workbook(package: Package, budget: TextBudget, max_pages: int) -> Authored:
    """Raises UnreadableDocument, TooManyPages, or as `Package.read`."""
    name = main_part(package, "xl/workbook.xml")
    root = package.xml(name)
    if name is None or root is None or name_of(root) != "workbook":
        raise UnreadableDocument("the file has no list of sheets")
    relations = package.relations(name)
    related = {relation.kind: relation.target for relation in relations.values() if not relation.is_external}
    sheets, hidden = _sheets(root, relations)
    if len(sheets) > max_pages:
        raise TooManyPages(f"{len(sheets)} sheets; {max_pages} are allowed")
    styles = package.soft_xml(related.get("styles"))
    reader = CellReader(
        strings=strings_of(package.stream(related.get("sharedStrings", ""))),
        formats=formats_of(styles),
        fonts=fonts_of(styles),
        struck_forms=struck_forms_of(styles),
        since_1904=attribute(child(root, "workbookPr"), "date1904") in ("1", "true"),
    )
    writer = PageWriter(budget, form="sheet")
    warnings: list[PageWarning] = []
    hidden_cells: dict[str, int] = {}
    num_cells = 0
    for number, sheet in enumerate(sheets):
        if number:
            writer.next_page(form="sheet")
        try:
            cells = _read(package, sheet, reader, writer, MAX_CELLS - num_cells)
            num_cells += len(cells.texts)
            hidden_cells[sheet.name] = cells.num_hidden
        except IngestError as error:
            if len(sheets) == 1:
                raise
            warnings.append(warned(code="sheet_failed", message=f"sheet {sheet.name!r}: {error.message}"))
    if hidden:
        warnings.append(warned(code="hidden_text", message=f"hidden sheets were left out: {', '.join(hidden)[:500]}"))
    warnings += hidden_cells_warnings(hidden_cells)
    return Authored(
        pages=writer.pages(),
        read_part=package.read,
        metadata=office_metadata(package),
        outline=writer.outline,
        warnings=[*writer.warnings(), *warnings],
    )


def _sheets(root: Element, relations: dict[str, Relation]) -> tuple[list[_Sheet], list[str]]:
    """Those to be seen, and the names of the others."""
    visible_sheets: list[_Sheet] = []
    hidden: list[str] = []
    for node in children(child(root, "sheets"), "sheet"):
        name = clean(attribute(node, "name") or "")[:MAX_SHEET_NAME]
        relation = relations.get(attribute(node, "id") or "")
        if attribute(node, "state") in ("hidden", "veryHidden"):
            hidden.append(name)
        elif relation is not None and not relation.is_external and relation.kind in ("worksheet", "chartsheet"):
            visible_sheets.append(_Sheet(name, relation.target))
    return visible_sheets, hidden


def _read(package: Package, sheet: _Sheet, reader: CellReader, writer: PageWriter, max_cells: int) -> SheetCells:
    """Write one sheet; its cells."""
    writer.rename(sheet.name, form="sheet")
    writer.heading(Words(sheet.name), 1, SheetPlace(sheet=sheet.name))
    stream = package.stream(sheet.part)
    if stream is None:
        raise UnreadableDocument("the file has no such part")
    cells = reader.read(stream, max_cells)
    writer.leave_out(cells.num_left_out)
    write_islands(cells, sheet.name, writer)
    relations = package.relations(sheet.part)
    for relation in relations.values():
        if relation.is_external:
            continue
        if relation.kind == "comments":
            _comments(package.soft_xml(relation.target), sheet, cells, writer)
        elif relation.kind == "drawing":
            _drawings(package, relation.target, sheet, writer)
    return cells


def _comments(root: Element | None, sheet: _Sheet, cells: SheetCells, writer: PageWriter) -> None:
    authors = [clean(author.text or "") for author in children(child(root, "authors"), "author")]
    for comment in descendants(root, "comment"):
        cell = attribute(comment, "ref") or ""
        if _is_hidden(cell, cells):
            continue
        text = rich_words(child(comment, "text")).text
        number = attribute(comment, "authorId") or ""
        author = authors[int(number)] if number.isdecimal() and len(number) < 7 and int(number) < len(authors) else ""
        if author.startswith("tc="):
            author, text = "", text.partition(THREAD_MARK)[2].strip() or text
        words = text if not author or text.startswith(author) else f"{author}: {text}"
        writer.note(Words(words), "side", SheetPlace(sheet=sheet.name, range=cell))


def _is_hidden(name: str, cells: SheetCells) -> bool:
    try:
        column, row = cell_at(name)
    except ValueError:
        return False
    return cells.is_hidden(row, column)


def _drawings(package: Package, part: str, sheet: _Sheet, writer: PageWriter) -> None:
    """Pictures, charts and text boxes, each at the cell that it is tied to."""
    relations = package.relations(part)
    root = package.soft_xml(part)
    for anchor in root if root is not None else ():
        place = SheetPlace(sheet=sheet.name, range=_anchored(anchor))
        for drawing in drawings_in(anchor, package, relations):
            writer.paragraph(Words(drawing.title), place)
            writer.table(drawing.table, SheetPlace(sheet=sheet.name, range=""))
            if drawing.table is None:
                writer.figure(drawing.picture, drawing.alt, place)
        for body in descendants(anchor, "txBody"):
            writer.paragraph(words_of(body, relations), place)


def _anchored(anchor: Element) -> str:
    corner = child(anchor, "from")
    row, column = (text_within(child(corner, name), name) or "" for name in ("row", "col"))
    if not (row.isdecimal() and column.isdecimal() and len(row) < 8 and len(column) < 6):
        return ""
    return range_name(int(row), int(column), int(row), int(column))
