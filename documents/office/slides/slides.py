"""Reads PPTX: visible slides with their shapes in the order of their places, notes, charts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from documents.boxes import NO_BOX, BoundingBox
from documents.errors import TooManyPages, UnreadableDocument
from documents.office.drawings import drawings_in
from documents.office.office_properties import main_part, office_metadata
from documents.office.packages.text_budget import TextBudget
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of, text_within
from documents.office.packages.zip_package import Package, Relation
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean
from documents.office.parsed_file import Authored, warned
from documents.office.slides.shape_positions import (
    EMU_PER_POINT,
    Shapes,
    Transform,
    box_around,
    box_of,
    in_reading_order,
)
from documents.office.slides.slide_text import Placeholders, lines_of, words_of
from documents.office.table_grid import GridCell, table_of
from documents.places import SlidePlace
from documents.region_values import Table
from documents.values import PageWarning

TITLES = ("title", "ctrTitle")
CONTENT_ELEMENTS = ("{*}t", "{*}blip", "{*}tbl", "{*}chart", "{*}relIds")  # elements of a shape with content
FURNITURE = ("dt", "ftr", "sldNum", "hdr")
MAX_NAME = 200


def parse_slides(package: Package, budget: TextBudget, max_pages: int) -> Authored:
    """Raises UnreadableDocument, TooManyPages, or as `Package.read`."""
    name = main_part(package, "ppt/presentation.xml")
    root = package.xml(name)
    if name is None or root is None or name_of(root) != "presentation":
        raise UnreadableDocument("the file has no list of slides")
    relations = package.relations(name)
    keys = [_relation_id(node) for node in children(child(root, "sldIdLst"), "sldId")]
    if len(keys) > max_pages:
        raise TooManyPages(f"{len(keys)} slides; {max_pages} are allowed")
    size = child(root, "sldSz")
    points = (
        _number(attribute(size, "cx"), 9_144_000) / EMU_PER_POINT,
        _number(attribute(size, "cy"), 6_858_000) / EMU_PER_POINT,
    )
    writer = PageWriter(budget, form="slide", size=points)
    hidden: list[str] = []
    warnings: list[PageWarning] = []
    is_first = True
    for number, key in enumerate(keys, 1):
        relation = relations.get(key or "")
        slide = package.soft_xml(relation.target) if relation is not None else None
        if attribute(slide, "show") in ("0", "false"):
            hidden.append(f"slide {number}")
            continue
        if not is_first:
            writer.next_page(form="slide", size=points)
        is_first = False
        if relation is not None and slide is not None:
            hidden += _Slide(package, writer, number, relation.target, points).read(slide)
    if hidden:
        warnings.append(warned(code="hidden_text", message=f"left out, since hidden: {', '.join(hidden)[:500]}"))
    return Authored(
        pages=writer.pages(),
        read_part=package.read,
        metadata=office_metadata(package),
        outline=writer.outline,
        warnings=[*writer.warnings(), *warnings],
    )


class _Slide:
    """Writes one slide, its notes and its comments."""

    def __init__(
        self, package: Package, writer: PageWriter, number: int, part: str, points: tuple[float, float]
    ) -> None:
        self._package = package
        self._writer = writer
        self._number = number
        self._points = points
        self._relations = package.relations(part)
        self._placeholders = Placeholders.of(package, self._relations)
        self._hidden: list[Element] = []

    def read(self, slide: Element) -> list[str]:
        """Write the slide, its titles first and its furniture last; the names of the shapes that are hidden."""
        shapes = self._ordered(child(slide, "cSld", "spTree"), Transform(), 0)
        kinds = [_placeholder(shape) for shape, _ in shapes]
        for titles, furniture in ((True, False), (False, False), (False, True)):
            for (shape, transform), kind in zip(shapes, kinds, strict=True):
                if (kind in TITLES) == titles and (kind in FURNITURE) == furniture:
                    self._shape(shape, transform)
        self._notes()
        self._comments()
        return [f"shape {self._place(shape).shape!r} of slide {self._number}" for shape in self._hidden]

    def _ordered(self, tree: Element | None, transform: Transform, depth: int) -> list[tuple[Element, Transform]]:
        """All shapes with text or a picture in reading order; those of a group stay together."""
        shapes: list[Shapes] = []
        for node in _nodes(tree, depth):
            if attribute(next(node.iter("{*}cNvPr"), None), "hidden") in ("1", "true"):
                self._hidden += [node] if next(node.iter("{*}t"), None) is not None else []
            elif name_of(node) == "grpSp" and depth < MAX_DEPTH:
                inner = self._ordered(node, transform.within(node), depth + 1)
                shapes.append(Shapes(box_around(self._box(*one) for one in inner), inner))
            elif name_of(node) != "grpSp" and next(node.iter(*CONTENT_ELEMENTS), None) is not None:
                shapes.append(Shapes(self._box(node, transform), [(node, transform)]))
        return [one for group in in_reading_order(shapes) for one in group.items]

    def _shape(self, shape: Element, transform: Transform) -> None:
        place, box = self._place(shape), self._box(shape, transform)
        match name_of(shape):
            case "graphicFrame":
                self._frame(shape, place, box)
            case "pic":
                for drawing in drawings_in(shape, self._package, self._relations):
                    self._writer.figure(drawing.picture, drawing.alt, place, box)
            case _:
                self._text(shape, place, box)

    def _text(self, shape: Element, place: SlidePlace, box: BoundingBox) -> None:
        body = child(shape, "txBody")
        kind = _placeholder(shape)
        if body is None:
            return
        if kind in TITLES or kind in FURNITURE:
            words = words_of(body, self._relations)
            if kind in TITLES:
                self._writer.rename(words.on_one_line.text[:MAX_NAME])
                self._writer.heading(words, 1, place, box)
            else:
                self._writer.furniture(words, place, box)
            return
        lines = lines_of(shape, body, self._placeholders, self._relations)
        if any(marker for _, marker, _ in lines):
            self._writer.listing([(*line, place) for line in lines], place, box)
        else:
            self._writer.paragraph(words_of(body, self._relations), place, box)
        for drawing in drawings_in(shape, self._package, self._relations):  # a picture that fills it
            self._writer.figure(drawing.picture, drawing.alt, place, box)

    def _frame(self, frame: Element, place: SlidePlace, box: BoundingBox) -> None:
        table = next(descendants(frame, "tbl"), None)
        if table is not None:
            self._writer.table(_table(table, self._relations, box), place, box)
            return
        for drawing in drawings_in(frame, self._package, self._relations):
            self._writer.paragraph(Words(drawing.title), place, box)
            self._writer.table(drawing.table, place, box)
            for text in drawing.texts:
                self._writer.paragraph(Words(text), place, box)
            if drawing.table is None and not drawing.texts:
                self._writer.figure(drawing.picture, drawing.alt, place, box)

    def _notes(self) -> None:
        part = next((relation.target for relation in self._relations.values() if relation.kind == "notesSlide"), None)
        root = self._package.soft_xml(part)
        for shape in descendants(root, "sp"):
            if _placeholder(shape) == "body" and part is not None:
                body = child(shape, "txBody")
                if body is not None:
                    words = words_of(body, self._package.relations(part))
                    self._writer.note(words, "side", SlidePlace(slide=self._number, part="notes"))

    def _comments(self) -> None:
        place = SlidePlace(slide=self._number, part="comments")
        for relation in self._relations.values():
            if relation.kind == "comments" and not relation.is_external:
                for comment in descendants(self._package.soft_xml(relation.target), "cm"):
                    text = clean(text_within(child(comment, "text"), "text") or _own_text(comment))
                    self._writer.note(Words(text), "side", place)

    def _place(self, shape: Element) -> SlidePlace:
        named = next(shape.iter("{*}cNvPr"), None)
        number = attribute(named, "id") or ""
        shape_id = int(number) if number.isdecimal() and len(number) < 12 else None
        return SlidePlace(slide=self._number, shape=clean(attribute(named, "name") or "")[:MAX_NAME], shape_id=shape_id)

    def _box(self, shape: Element, transform: Transform) -> BoundingBox:
        own = box_of(shape)
        if own is None:
            inherited = self._placeholders.box(shape)
            return NO_BOX if inherited is None else inherited
        return transform.applied(own)


def _nodes(tree: Element | None, depth: int) -> Iterator[Element]:
    """Shapes and groups; of alternatives the one that is read."""
    for node in tree if tree is not None else ():
        match name_of(node):
            case "sp" | "pic" | "graphicFrame" | "cxnSp" | "grpSp":
                yield node
            case "AlternateContent" if depth < MAX_DEPTH:
                choice = child(node, "Choice")
                fallback = child(node, "Fallback")
                if choice is None or (
                    fallback is not None and next(choice.iter("{*}t", "{*}blip", "{*}chart"), None) is None
                ):
                    choice = fallback
                yield from _nodes(choice, depth + 1)
            case _:
                continue


def _table(table: Element, relations: Mapping[str, Relation], box: BoundingBox) -> Table | None:
    rows: list[list[GridCell]] = []
    for row in children(table, "tr"):
        cells: list[GridCell] = []
        for cell in children(row, "tc"):
            if attribute(cell, "hMerge") in ("1", "true") or attribute(cell, "vMerge") in ("1", "true"):
                continue
            body = child(cell, "txBody")
            words = words_of(body, relations) if body is not None else Words("")
            height, width = (_number(attribute(cell, name), 1) for name in ("rowSpan", "gridSpan"))
            cells.append(GridCell.of(words, int(height), int(width)))
        rows.append(cells)
    has_header = attribute(child(table, "tblPr"), "firstRow") in ("1", "true")
    return table_of(rows, num_header_rows=int(has_header and len(rows) > 1), box=box)


def _placeholder(shape: Element) -> str | None:
    """Its type, `body` where it tells none; None where the shape is no placeholder."""
    placeholder = next(shape.iter("{*}ph"), None)
    return None if placeholder is None else attribute(placeholder, "type") or "body"


def _own_text(comment: Element) -> str:
    return "\n".join(text_within(paragraph, "t") for paragraph in descendants(child(comment, "txBody"), "p"))


def _relation_id(slide: Element) -> str | None:
    """The id with a namespace; the slide's own has none."""
    return next((value for name, value in slide.items() if str(name).endswith("}id")), None)


def _number(text: str | None, default: int) -> float:
    return float(text) if text is not None and text.isdecimal() and len(text) < 12 else default
