"""Reads DOCX: body, notes, comments, headers and footers; tracked changes as accepted."""

from __future__ import annotations

from collections.abc import Mapping

from documents.errors import UnreadableDocument
from documents.office.office_properties import main_part, office_metadata
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, WordsWriter, joined_words
from documents.office.parsed_file import Authored
from documents.office.unpack_limits import MAX_DEPTH
from documents.office.word_notes import WordNotes
from documents.office.word_runs import Changes, Runs
from documents.office.word_styles import (
    Style,
    default_style,
    is_on,
    numbering_of,
    numbering_reference,
    outline_level,
    styles_of,
)
from documents.office.word_tables import WordTable, within
from documents.office.xml_parsing import Element, attribute, child, descendants, name_of
from documents.office.zip_package import Package, Relation
from documents.values import DocumentPlace

MAX_HEADING = 200  # characters of the heading in a place
WRAPPERS = ("ins", "moveTo", "customXml", "smartTag", "sdtContent", "Choice", "Fallback")
NEW_PAGE = ("nextPage", "oddPage", "evenPage", None)


def parse_word(package: Package, writer: PageWriter) -> Authored:
    """Raises UnreadableDocument where there is no text part, or as `Package.read`."""
    name = main_part(package, "word/document.xml")
    root = package.xml(name)
    body = child(root, "body")
    if name is None or body is None:
        raise UnreadableDocument("the file has no text part")
    return _WordParser(package, name, body, writer).parsed()


class _WordParser:
    """Walks the body once; `_part` is the part whose paragraphs are read, `_heading` the last heading."""

    def __init__(self, package: Package, part: str, body: Element, writer: PageWriter) -> None:
        self._package, self._part, self._body = package, part, body
        self._relations = package.relations(part)
        related = {relation.kind: relation.target for relation in self._relations.values() if not relation.is_external}
        styles = package.soft_xml(related.get("styles"))
        self._styles, self._default = styles_of(styles), default_style(styles)
        self._numbering = numbering_of(package.soft_xml(related.get("numbering")))
        self._notes = WordNotes(package, related, body)
        self._section_types = _section_types(body)
        self._num_sections = 0  # that have ended
        self._writer = writer
        self._changes = Changes()
        self._heading = ""
        self._has_rendered = next(descendants(body, "lastRenderedPageBreak"), None) is not None
        self._printed_page = 1
        self._furnished: set[str] = set()
        self._new_page = False  # a section that begins on a new page comes next

    def parsed(self) -> Authored:
        self._blocks(self._body, "body", self._relations, 0)
        return Authored(
            pages=self._writer.pages(),
            read_part=self._package.read,
            metadata=office_metadata(self._package),
            outline=self._writer.outline,
            warnings=[*self._writer.warnings(), *self._changes.warnings()],
        )

    def _blocks(self, container: Element, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        if depth > MAX_DEPTH:
            return
        counts: dict[str, int] = {}
        for node in container:
            name = name_of(node)
            counts[name] = counts.get(name, 0) + 1
            here = f"{path}/{name}[{counts[name]}]"
            match name:
                case "p":
                    self._paragraph(node, here, relations, depth)
                case "tbl":
                    self._table(node, here, relations, depth)
                case "sdt":
                    content = child(node, "sdtContent")
                    if content is not None:
                        self._blocks(content, here, relations, depth + 1)
                case "AlternateContent":
                    choice = child(node, "Choice")
                    choice = choice if choice is not None else child(node, "Fallback")
                    if choice is not None:
                        self._blocks(choice, here, relations, depth + 1)
                case "sectPr":
                    self._section(node)
                case _ if name in WRAPPERS:
                    if name in ("ins", "moveTo"):
                        self._changes.note(node)
                    self._blocks(node, here, relations, depth + 1)
                case _:
                    continue

    # -- paragraphs ---------------------------------------------------------------------------------------------------

    def _paragraph(self, paragraph: Element, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        settings = child(paragraph, "pPr")
        style = self._style(settings)
        runs = self._runs(relations, keep_spaces=style.is_code)
        runs.read(paragraph, style=style)
        before = is_on(child(settings, "pageBreakBefore")) or self._new_page
        self._new_page = False
        self._break(runs.num_rendered if self._has_rendered else max(runs.num_breaks, int(before)))
        self._written(runs, settings, style, path, depth, relations)
        self._break(runs.late_rendered if self._has_rendered else runs.late_breaks)
        section = child(settings, "sectPr")
        if section is not None:
            self._section(section)
            self._num_sections += 1  # how the next section begins, its own properties say at its end
            following = self._section_types[self._num_sections : self._num_sections + 1]
            self._new_page = bool(following) and following[0] in NEW_PAGE

    def _written(
        self,
        runs: Runs,
        settings: Element | None,
        style: Style,
        path: str,
        depth: int,
        relations: Mapping[str, Relation],
    ) -> None:
        words, place = runs.words.words(), self._place(path)
        level = outline_level(settings) or style.level
        marker, list_level = self._marker(settings, style)
        if level is not None and words.text:
            if marker:
                words = words.after(f"{marker} ")
            self._heading = words.on_one_line.text[:MAX_HEADING]
            self._writer.heading(words, level, self._place(path))
        elif style.is_code and words.text:
            self._writer.code(words, place)
        elif style.is_caption:
            kind = "table_caption" if words.text.lower().startswith("tab") else "figure_caption"
            self._writer.caption(words.on_one_line, kind, place)
        elif marker:
            self._writer.item(words, marker, list_level, place)
        else:
            self._writer.paragraph(words, place)
        for latex, text in runs.formulas:
            self._writer.formula(latex, text, place)
        self._beside(runs, path, relations, depth)

    def _beside(self, runs: Runs, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        """What stands in a paragraph or table beside its words."""
        place = self._place(path)
        for drawing in runs.drawings:
            self._writer.paragraph(Words(drawing.title), place)
            self._writer.table(drawing.table, place)
            for text in drawing.texts:
                self._writer.paragraph(Words(text), place)
            if drawing.table is None and not drawing.texts:
                self._writer.figure(drawing.picture, drawing.alt, place)
        for number, box in enumerate(runs.boxes, 1):
            self._blocks(box, f"{path}/txbxContent[{number}]", relations, depth + 1)
        for kind, name in runs.notes:
            self._note(kind, name)
        for name in runs.comments:
            self._comment(name)

    def _marker(self, settings: Element | None, style: Style) -> tuple[str | None, int]:
        """What the list that a paragraph is of puts before it, and the list's level from 1."""
        reference = numbering_reference(settings)
        if reference is not None and style.numbering is not None and not reference[0]:
            reference = style.numbering[0], reference[1]
        name, depth = reference or style.numbering or ("0", 0)
        return (None, 1) if name in ("", "0") else (self._numbering.marker(name, depth), depth + 1)

    def _runs(self, relations: Mapping[str, Relation], *, keep_spaces: bool = False) -> Runs:
        words = WordsWriter(keep_spaces=keep_spaces)
        return Runs(self._package, relations, self._changes, self._notes.marks, words=words, styles=self._styles)

    def _style(self, settings: Element | None) -> Style:
        name = attribute(child(settings, "pStyle"), "val") or self._default or ""
        return self._styles.get(name) or Style()

    # -- tables -------------------------------------------------------------------------------------------------------

    def _table(self, table: Element, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        read = WordTable(self._cell_text)
        beside = self._runs(relations)
        read.read(table, beside)
        if read.only_cell is not None and depth < MAX_DEPTH:  # a frame around running text
            self._blocks(read.only_cell, f"{path}/tr[1]/tc[1]", relations, depth + 1)
            return
        place = self._place(path)
        self._break(beside.num_rendered if self._has_rendered else 0)
        self._writer.table(read.table(), place)
        for latex, text in beside.formulas:
            self._writer.formula(latex, text, place)
        self._beside(beside, path, relations, depth)

    def _cell_text(self, cell: Element, beside: Runs, depth: int = 0) -> Words:
        """The paragraphs of a cell, a line each; what is no text of them goes to `beside`."""
        lines: list[Words] = []
        for node in cell:
            match name_of(node):
                case "p":
                    lines.append(self._line(node, beside))
                case "tbl" if depth < MAX_DEPTH:
                    cells = (inner for row in within(node, "tr") for inner in within(row, "tc"))
                    texts = (self._cell_text(inner, beside, depth + 1) for inner in cells)
                    lines.append(joined_words(texts, " "))
                case "sdt" | "sdtContent" | "ins" | "moveTo" | "customXml" | "smartTag" if depth < MAX_DEPTH:
                    lines.append(self._cell_text(node, beside, depth + 1))
                case _:
                    continue
        return joined_words(lines)

    def _line(self, paragraph: Element, beside: Runs) -> Words:
        settings = child(paragraph, "pPr")
        style = self._style(settings)
        marker, _ = self._marker(settings, style)
        runs = self._runs(beside.relations)
        runs.read(paragraph, style=style)
        beside.drawings += runs.drawings
        beside.notes += runs.notes
        beside.comments += runs.comments
        beside.boxes += runs.boxes
        beside.num_rendered += runs.num_rendered + runs.late_rendered
        words = joined_words((runs.words.words(), *(Words(text) for _, text in runs.formulas)), " ")
        return words.after(f"{marker} ") if marker and words.text else words

    # -- what stands beside the text ----------------------------------------------------------------------------------

    def _note(self, kind: str, name: str) -> None:
        words = self._text_of(kind, name)
        if words is not None:
            place = self._place(f"{kind}s/{kind}[{name}]")
            self._writer.note(words.after(f"[{self._notes.marks[kind, name]}] "), "foot", place)

    def _comment(self, name: str) -> None:
        words = self._text_of("comment", name)
        element = self._notes.element("comment", name)
        author = (attribute(element, "author") or "").strip()
        if words is not None:
            words = words.after(f"{author}: ") if author else words
            self._writer.note(words, "side", self._place(f"comments/comment[{name}]"))

    def _text_of(self, kind: str, name: str) -> Words | None:
        """The paragraphs of a note or comment, a line each."""
        element = self._notes.element(kind, name)
        if element is None:
            return None
        words = self._lines(element, self._notes.relations(kind)).words.words()
        return words if words.text else None

    def _lines(self, element: Element, relations: Mapping[str, Relation]) -> Runs:
        """All paragraphs in an element, a line each."""
        runs = self._runs(relations)
        for number, paragraph in enumerate(descendants(element, "p")):
            runs.words.add("\n" if number else None)
            runs.read(paragraph, style=self._style(child(paragraph, "pPr")))
        return runs

    def _section(self, section: Element) -> None:
        """Headers and footers of a section, each once."""
        for node in section:
            kind = name_of(node).removesuffix("Reference")
            relation = self._relations.get(attribute(node, "id") or "")
            if kind not in ("header", "footer") or relation is None or relation.target in self._furnished:
                continue
            self._furnished.add(relation.target)
            root = self._package.soft_xml(relation.target)
            if root is None:
                continue
            step = relation.target.rpartition("/")[2].removesuffix(".xml")
            runs = self._lines(root, self._package.relations(relation.target))
            self._writer.furniture(runs.words.words(), self._place(step))
            for drawing in runs.drawings:
                self._writer.figure(drawing.picture, drawing.alt, self._place(step))

    def _break(self, times: int) -> None:
        for _ in range(min(times, 100)):
            self._writer.next_page()
            self._printed_page += 1

    def _place(self, path: str) -> DocumentPlace:
        page = self._printed_page if self._has_rendered else None
        return DocumentPlace(path=path, heading=self._heading, page=page)


def _section_types(body: Element) -> list[str | None]:
    """How each section begins after the one before it, in their order; those of tracked changes are old ones."""
    sections = (one for one in descendants(body, "sectPr") if next(one.iterancestors("{*}sectPrChange"), None) is None)
    return [attribute(child(section, "type"), "val") for section in sections]
