"""Reads ODT, ODS and ODP: text, sheets, slides; tracked changes as accepted."""

from __future__ import annotations

from collections.abc import Iterable

from documents.boxes import NO_BOX, BoundingBox
from documents.errors import EncryptedDocument, TooManyPages, UnreadableDocument
from documents.office.office_properties import metadata_in
from documents.office.opendocument.opendocument_cells import cells_of, table_in
from documents.office.opendocument.opendocument_styles import OpenStyles, length
from documents.office.opendocument.opendocument_text import DRAWING_ELEMENTS, OpenText, joined
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.unpack_limits import MAX_CELLS, MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of
from documents.office.packages.zip_package import Package, resolved
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean, joined_words
from documents.office.parsed_file import Authored, warned
from documents.office.sheets.sheet_tables import hidden_cells_warnings, write_islands
from documents.office.slides.shape_positions import Shapes, box_around, in_reading_order
from documents.office.word.word_styles import BULLET
from documents.places import DocumentPlace, Place, SheetPlace, SlidePlace, range_name

DEFAULT_SLIDE_POINTS = 720.0, 540.0  # width and height of slides whose file states no size
MAX_FURNITURE = 10
FURNITURE = ("footer", "header", "date-time", "page-number")  # classes of frames
CONTAINERS = ("section", "index-body", "table-of-content", "alphabetical-index", "bibliography", "text-box")
Marked = tuple[str | None, int]  # the style of a list and its level


def parse_open_document(package: Package, budget: TextBudget, max_pages: int) -> Authored:
    """Raises UnreadableDocument, EncryptedDocument, TooManyPages, or as `Package.read`."""
    manifest = package.soft_xml("META-INF/manifest.xml")
    if next(descendants(manifest, "encryption-data"), None) is not None:
        raise EncryptedDocument("the file is encrypted; encrypted Office files are not supported")
    root = package.xml("content.xml")
    body = child(root, "body")
    if root is None or body is None:
        raise UnreadableDocument("the file has no text part")
    parser = _OpenParser(package, root, budget, max_pages)
    for node in body:
        match name_of(node):
            case "text":
                parser.text(node)
            case "spreadsheet":
                parser.sheets(node)
            case "presentation" | "drawing":
                parser.slides(node)
            case _:
                continue
    return parser.parsed()


class _OpenParser:
    """Writes the body of one file."""

    def __init__(self, package: Package, root: Element, budget: TextBudget, max_pages: int) -> None:
        self._package = package
        self._max_pages = max_pages
        self._master = package.soft_xml("styles.xml")
        self._styles = OpenStyles.of(root, self._master)
        self._writer = PageWriter(budget)
        self._heading = ""
        self._num_changes = 0
        self._hidden: list[str] = []  # sheets and slides
        self._hidden_cells: dict[str, int] = {}  # how many, by the sheet's name

    def parsed(self) -> Authored:
        warnings = self._writer.warnings()
        if self._num_changes:
            message = f"{self._num_changes} tracked changes were read as accepted"
            warnings.append(warned(code="tracked_changes", message=message))
        if self._hidden:
            message = f"left out, since hidden: {', '.join(self._hidden)[:500]}"
            warnings.append(warned(code="hidden_text", message=message))
        if self._styles.num_hidden:
            message = f"hidden text was left out: {self._styles.num_hidden} passages"
            warnings.append(warned(code="hidden_text", message=message))
        warnings += hidden_cells_warnings(self._hidden_cells)
        return Authored(
            pages=self._writer.pages(),
            read_part=self._package.read,
            metadata=metadata_in(child(self._package.soft_xml("meta.xml"), "meta")),
            outline=self._writer.outline,
            warnings=warnings,
        )

    # -- text ---------------------------------------------------------------------------------------------------------

    def text(self, body: Element) -> None:
        self._num_changes = sum(1 for _ in descendants(child(body, "tracked-changes"), "changed-region"))
        self._blocks(body, "body", 0, None)
        for kind in ("header", "footer"):
            for node in list(descendants(self._master, kind))[:MAX_FURNITURE]:
                self._writer.furniture(joined(node, self._styles).on_one_line, self._place(kind))

    def _blocks(self, container: Iterable[Element], path: str, depth: int, marked: Marked | None) -> None:
        """Write what a container holds; `marked`: the list that it is in."""
        counts: dict[str, int] = {}
        number = 0
        for node in container if depth <= MAX_DEPTH else ():
            name = name_of(node)
            counts[name] = counts.get(name, 0) + 1
            here = f"{path}/{name}[{counts[name]}]"
            match name:
                case "h" | "p":
                    self._paragraph(node, here, None, 1, is_heading=name == "h")
                case "list":
                    style = attribute(node, "style-name") or (marked[0] if marked else None)
                    self._blocks(node, here, depth + 1, (style, (marked[1] if marked else 0) + 1))
                case "list-item" if marked is not None:
                    number += 1
                    self._item(node, here, depth + 1, marked, self._styles.marker(*marked, number))
                case "table":
                    self._table(node, here, depth)
                case name if name in DRAWING_ELEMENTS:
                    self._drawn(node, here, NO_BOX, depth + 1)
                case name if name in CONTAINERS or name == "list-header":
                    self._blocks(node, here, depth + 1, None)
                case _:
                    continue

    def _item(self, item: Element, path: str, depth: int, marked: Marked, marker: str) -> None:
        """The first paragraph has the marker; what follows stands below it."""
        rest = list(item)
        if rest and name_of(rest[0]) in ("p", "h"):
            first = rest.pop(0)
            name = name_of(first)
            self._paragraph(first, f"{path}/{name}[1]", marker, marked[1], is_heading=name == "h")
        self._blocks(rest, path, depth, marked)

    def _paragraph(self, paragraph: Element, path: str, marker: str | None, level: int, *, is_heading: bool) -> None:
        text = OpenText.of(paragraph, self._styles)
        words = text.words.words()
        style = self._styles.name(attribute(paragraph, "style-name"))
        own_level = self._styles.heading_level(style)
        if words.text and (is_heading or own_level is not None):
            outline = attribute(paragraph, "outline-level") or ""
            self._heading = words.on_one_line.text[:200]
            depth = int(outline) if outline.isdecimal() and len(outline) < 3 else own_level or 1
            self._writer.heading(words, depth, self._place(path))
        elif marker is not None:
            self._writer.item(words, marker, level, self._place(path))
        elif "Preformatted" in style and words.text:
            self._writer.code(words, self._place(path))
        else:
            self._writer.paragraph(words, self._place(path))
        for note in text.notes:
            self._writer.note(note, "foot", self._place(path))
        for comment in text.comments:
            self._writer.note(comment, "side", self._place(path))
        for frame in text.frames:
            self._drawn(frame, path, NO_BOX, 0)

    def _table(self, table: Element, path: str, depth: int) -> None:
        beside: list[Element] = []
        self._writer.table(table_in(table, self._styles, beside), self._place(path))
        for number, node in enumerate(beside if depth <= MAX_DEPTH else (), 1):
            if name_of(node) == "table":
                self._table(node, f"{path}/table[{number}]", depth + 1)
            else:
                self._drawn(node, path, NO_BOX, depth + 1)

    def _drawn(self, frame: Element, path: str, box: BoundingBox, depth: int, slide: SlidePlace | None = None) -> None:
        """A picture, a table or a text in a frame."""
        place: Place = slide if slide is not None else self._place(path)
        alt = " ".join(clean(node.text or "") for node in frame if name_of(node) in ("title", "desc"))
        for node in frame if depth <= MAX_DEPTH else ():
            match name_of(node):
                case "image":
                    part = resolved("", attribute(node, "href") or "")
                    self._writer.figure(part if self._package.has(part) else None, alt, place, box)
                    break  # others are the same picture for other programs
                case "text-box" if slide is None:
                    self._blocks(node, path, depth + 1, None)
                case "text-box":
                    self._box_text(node, place, box)
                case "table":
                    self._writer.table(table_in(node, self._styles, []), place, box)
                case name if name in DRAWING_ELEMENTS:
                    self._drawn(node, path, box, depth + 1, slide)
                case _:
                    continue
        if name_of(frame) == "custom-shape":
            self._box_text(frame, place, box)

    # -- sheets and slides --------------------------------------------------------------------------------------------

    def sheets(self, body: Element) -> None:
        tables: list[Element] = []
        for table in children(body, "table"):
            if self._styles.is_shown(attribute(table, "style-name")):
                tables.append(table)
            else:
                self._hidden.append(clean(attribute(table, "name") or "")[:100])
        self._check(len(tables))
        left = MAX_CELLS
        for number, table in enumerate(tables):
            name = clean(attribute(table, "name") or "")[:100]
            if number:
                self._writer.next_page(name, form="sheet")
            else:
                self._writer.rename(name, form="sheet")
            self._writer.heading(Words(name), 1, SheetPlace(sheet=name))
            left -= self._sheet(table, name, left)

    def _sheet(self, table: Element, name: str, max_cells: int) -> int:
        cells, comments = cells_of(table, self._styles, max_cells)
        self._writer.leave_out(cells.num_left_out)
        self._hidden_cells[name] = cells.num_hidden
        write_islands(cells, name, self._writer)
        for (row, column), comment in comments:
            if cells.is_hidden(row, column):
                continue
            self._writer.note(comment, "side", SheetPlace(sheet=name, range=range_name(row, column, row, column)))
        return len(cells.texts)

    def slides(self, body: Element) -> None:
        pages = list(children(body, "page"))
        self._check(len(pages))
        size = self._styles.page_size(self._master) or DEFAULT_SLIDE_POINTS
        is_first = True
        for number, page in enumerate(pages, 1):
            if not self._styles.is_shown(attribute(page, "style-name")):
                self._hidden.append(f"slide {number}")
                continue
            if is_first:
                self._writer.rename("", form="slide", size=size)
            else:
                self._writer.next_page(form="slide", size=size)
            is_first = False
            frames = _in_order(page, 0)
            kinds = [attribute(frame, "class") for frame in frames]
            for titles, furniture in ((True, False), (False, False), (False, True)):
                for frame, kind in zip(frames, kinds, strict=True):
                    if (kind == "title") == titles and (kind in FURNITURE) == furniture:
                        self._slide_frame(frame, number)
            for notes in children(page, "notes"):
                for box in descendants(notes, "text-box"):
                    self._writer.note(joined(box, self._styles), "side", SlidePlace(slide=number, part="notes"))

    def _slide_frame(self, frame: Element, number: int) -> None:
        place = SlidePlace(slide=number, shape=clean(attribute(frame, "name") or "")[:200])
        box = _box(frame)
        text = child(frame, "text-box")
        if attribute(frame, "class") == "title" and text is not None:
            words = joined(text, self._styles).on_one_line
            self._writer.rename(words.text[:200])
            self._writer.heading(words, 1, place, box)
        elif attribute(frame, "class") in FURNITURE and text is not None:
            self._writer.furniture(joined(text, self._styles).on_one_line, place, box)
        else:
            self._drawn(frame, "", box, 0, place)

    def _box_text(self, box: Element, place: Place, at: BoundingBox) -> None:
        """The lines of a box on a slide, list items among them."""
        lines: list[tuple[Words, str | None, int, Place]] = []
        for paragraph in box.iter("{*}p", "{*}h"):
            level = sum(1 for _ in paragraph.iterancestors("{*}list"))
            lines.append(
                (OpenText.of(paragraph, self._styles).words.words(), BULLET if level else None, max(1, level), place)
            )
        if any(marker for _, marker, _, _ in lines):
            self._writer.listing(lines, place, at)
        else:
            self._writer.paragraph(joined_words(words for words, *_ in lines), place, at)

    def _check(self, num_pages: int) -> None:
        if num_pages > self._max_pages:
            raise TooManyPages(f"{num_pages} pages; {self._max_pages} are allowed")

    def _place(self, path: str) -> DocumentPlace:
        return DocumentPlace(path=path, heading=self._heading)


def _in_order(container: Element, depth: int) -> list[Element]:
    """The frames of a slide in reading order; those of a group stay together."""
    shapes: list[Shapes] = []
    for node in container:
        if name_of(node) == "g" and depth < MAX_DEPTH:
            inner = _in_order(node, depth + 1)
            shapes.append(Shapes(box_around(_box(frame) for frame in inner), inner))
        elif name_of(node) in DRAWING_ELEMENTS:
            shapes.append(Shapes(_box(node), [node]))
    return [frame for group in in_reading_order(shapes) for frame in group.items]


def _box(frame: Element) -> BoundingBox:
    x, y, width, height = (length(attribute(frame, name)) or 0.0 for name in ("x", "y", "width", "height"))
    return BoundingBox(x0=x, y0=y, x1=x + width, y1=y + height) if width and height else NO_BOX
