"""Reads DOCX: body, notes, comments, headers and footers, imported parts; tracked changes as accepted."""

from __future__ import annotations

from collections.abc import Mapping

from documents.boxes import NO_BOX
from documents.errors import UnreadableDocument
from documents.office.mail.inner_files import INNER_SEPARATOR, InnerFiles
from documents.office.office_properties import main_part, office_metadata
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, descendants, name_of
from documents.office.packages.zip_package import Package, Relation
from documents.office.page_writer import PageWriter
from documents.office.paragraph_text import Words, clean
from documents.office.parsed_file import Authored
from documents.office.word.word_comments import Answers, date_of
from documents.office.word.word_imports import WordImports
from documents.office.word.word_notes import WordNotes
from documents.office.word.word_paragraphs import WordParagraphs
from documents.office.word.word_runs import Runs
from documents.office.word.word_styles import Style, is_on, outline_level
from documents.office.word.word_tables import WordTable
from documents.places import DocumentPlace
from documents.region_values import TitleRegion
from documents.text.languages import named_caption_kind
from documents.values import Annotation

MAX_AUTHOR_CHARACTERS = 300  # maximum length of the name of a comment's author
MAX_HEADING_CHARACTERS = 200  # maximum length of the heading in a place
WRAPPERS = ("ins", "moveTo", "customXml", "smartTag", "sdtContent", "Choice", "Fallback")
NEW_PAGE = ("nextPage", "oddPage", "evenPage", None)


def parse_word(package: Package, inner: InnerFiles) -> Authored:
    """Raises UnreadableDocument where there is no text part, TooManyPages with imported parts, or as `Package.read`."""
    name = main_part(package, "word/document.xml")
    root = package.xml(name)
    body = child(root, "body")
    if name is None or body is None:
        raise UnreadableDocument("the file has no text part")
    return _WordParser(package, name, body, inner).parsed()


class _WordParser:
    """Walks the body once; `_part` is the part whose paragraphs are read, `_heading` the last heading."""

    def __init__(self, package: Package, part: str, body: Element, inner: InnerFiles) -> None:
        self._package = package
        self._part = part
        self._body = body
        self._inner = inner
        self._relations = package.relations(part)
        related = {relation.kind: relation.target for relation in self._relations.values() if not relation.is_external}
        self._notes = WordNotes(package, related, body)
        self._paragraphs = WordParagraphs(package, related, self._notes)
        self._answers = Answers(package, related)
        self._commented: set[str] = set()
        self._imports = WordImports(package, inner)
        self._section_types = _section_types(body)
        self._num_sections = 0  # that have ended
        self._writer = PageWriter(inner.budget)
        self._heading = ""
        self._has_rendered = next(descendants(body, "lastRenderedPageBreak"), None) is not None
        self._printed_page = 1
        self._furnished: set[str] = set()
        self._new_page = False  # a section that begins on a new page comes next

    def parsed(self) -> Authored:
        self._blocks(self._body, "body", self._relations, 0)
        return Authored(
            pages=self._writer.pages(),
            read_part=lambda name: self._inner.read(name) if INNER_SEPARATOR in name else self._package.read(name),
            metadata=office_metadata(self._package),
            outline=self._writer.outline,
            warnings=[*self._writer.warnings(), *self._paragraphs.changes.warnings(), *self._inner.warnings],
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
                case "altChunk":
                    self._import(attribute(node, "id") or "", relations)
                case "sectPr":
                    self._section(node)
                case "commentRangeStart" | "commentRangeEnd":
                    self._paragraphs.marked.turn(node)
                case _ if name in WRAPPERS:
                    if name in ("ins", "moveTo"):
                        self._paragraphs.changes.note(node)
                    self._blocks(node, here, relations, depth + 1)
                case _:
                    continue

    # -- paragraphs ---------------------------------------------------------------------------------------------------

    def _paragraph(self, paragraph: Element, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        settings = child(paragraph, "pPr")
        style = self._paragraphs.style(settings)
        runs = self._paragraphs.runs(relations, style)
        runs.read(paragraph)
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
        marker, list_level = self._paragraphs.marker(settings, style)
        if level is not None and words.text:
            if marker:
                words = words.after(f"{marker} ")
            self._heading = words.on_one_line.text[:MAX_HEADING_CHARACTERS]
            self._writer.heading(words, level, self._place(path))
        elif style.is_code and words.text:
            self._writer.code(words, place)
        elif style.is_caption:
            self._writer.caption(words.on_one_line, named_caption_kind(words.text), place)
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
        for steps, table in runs.tables if depth < MAX_DEPTH else ():
            self._table(table, f"{path}/{steps}", relations, depth + 1)
        for name in runs.chunks:
            self._import(name, relations)
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

    # -- tables -------------------------------------------------------------------------------------------------------

    def _table(self, table: Element, path: str, relations: Mapping[str, Relation], depth: int) -> None:
        read = WordTable(self._paragraphs.cell_text)
        beside = self._paragraphs.runs(relations)
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

    # -- what stands beside the text ----------------------------------------------------------------------------------

    def _note(self, kind: str, name: str) -> None:
        words = self._text_of(kind, name)
        if words is not None:
            place = self._place(f"{kind}s/{kind}[{name}]")
            self._writer.note(words.after(f"[{self._notes.marks[kind, name]}] "), "foot", place)

    def _comment(self, name: str) -> None:
        """A comment, once, however often the text refers to it."""
        element = self._notes.element("comment", name)
        if element is None or name in self._commented:
            return
        self._commented.add(name)
        words = self._text_of("comment", name)
        if words is not None:
            comment = Annotation(
                kind="note",
                author=clean(attribute(element, "author") or "")[:MAX_AUTHOR_CHARACTERS],
                date=date_of(element),
                box=NO_BOX,
                words=self._paragraphs.marked.words(name),
            )
            key, answered = self._answers.keys(element)
            self._writer.comment(words, comment, self._place(f"comments/comment[{name}]"), key, answered)

    def _text_of(self, kind: str, name: str) -> Words | None:
        """The paragraphs of a note or comment, a line each."""
        element = self._notes.element(kind, name)
        if element is None:
            return None
        words = self._paragraphs.lines(element, self._notes.relations(kind)).words.words()
        return words if words.text else None

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
            runs = self._paragraphs.lines(root, self._package.relations(relation.target))
            self._writer.furniture(runs.words.words(), self._place(step))
            for drawing in runs.drawings:
                self._writer.figure(drawing.picture, drawing.alt, self._place(step))

    def _import(self, name: str, relations: Mapping[str, Relation]) -> None:
        """A part that Word shows in this place."""
        for region in self._imports.regions(relations.get(name)):
            if isinstance(region, TitleRegion):
                self._heading = region.text[:MAX_HEADING_CHARACTERS]
            self._writer.insert(region)

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
