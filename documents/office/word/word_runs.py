"""Reads the text runs of a DOCX paragraph: links, fields, insertions and deletions, hidden text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from documents.inspection import Rise
from documents.office.drawings import Drawing, drawings_in
from documents.office.math.office_math import latex_of, text_of
from documents.office.packages.unpack_limits import MAX_DEPTH
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of
from documents.office.packages.zip_package import Package, Relation
from documents.office.paragraph_text import WordsWriter, with_rise
from documents.office.word.word_changes import Changes
from documents.office.word.word_comments import MarkedWords
from documents.office.word.word_styles import PRIVATE_CHARACTERS, Style, font_of, is_on, rise_of, strike_of
from documents.text.symbol_fonts import in_symbols

DELETED_ELEMENTS = ("del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "rt", "proofErr")
HYPERLINK = re.compile(r'^\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
Notes = Mapping[tuple[str, str], str]  # the marks of notes, by kind and id


@dataclass(slots=True)
class _Field:
    """A field between its begin and end; the result comes after `separate`."""

    instruction: str = ""
    in_result: bool = False
    start: int = 0  # of the result in the words
    checkbox: str = ""


@dataclass(slots=True)
class Runs:
    """What one paragraph holds: its words, and what stands in it that is no text."""

    package: Package
    relations: Mapping[str, Relation]
    changes: Changes
    marks: Notes
    styles: Mapping[str, Style]
    marked: MarkedWords
    words: WordsWriter = field(default_factory=WordsWriter)
    style: Style = field(default_factory=Style)  # of the paragraph, where a run does not say otherwise
    drawings: list[Drawing] = field(default_factory=list[Drawing])
    boxes: list[Element] = field(default_factory=list[Element])  # text boxes
    formulas: list[tuple[str, str]] = field(
        default_factory=list[tuple[str, str]]
    )  # LaTeX and text, on lines of their own
    comments: list[str] = field(default_factory=list[str])  # ids
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # kind and id
    tables: list[tuple[str, Element]] = field(default_factory=list[tuple[str, Element]])  # in cells, with their paths
    chunks: list[str] = field(default_factory=list[str])  # ids of relations to imported parts
    num_breaks: int = 0  # of the page, before the first text
    num_rendered: int = 0
    late_breaks: int = 0  # after it
    late_rendered: int = 0
    _fields: list[_Field] = field(default_factory=list[_Field])
    _font: str | None = None  # of the run that is read
    _rise: Rise | None = None
    _is_struck: bool = False
    _line: tuple[Element | None, bool] = (None, False)  # the paragraph of the last formula, and whether it has words

    def read(self, element: Element, depth: int = 0, *, style: Style | None = None) -> None:
        """Take in all children of an element; `style` unset: as before."""
        self.style = self.style if style is None else style
        if depth == 0:
            self.marked.add(" ")
        if depth > MAX_DEPTH:
            return
        for node in element:
            self._one(node, depth + 1)

    def take(self, other: Runs) -> None:
        """Take over what another paragraph holds beside its words."""
        self.drawings += other.drawings
        self.notes += other.notes
        self.comments += other.comments
        self.boxes += other.boxes
        self.num_rendered += other.num_rendered + other.late_rendered

    def _one(self, node: Element, depth: int) -> None:
        name = name_of(node)
        match name:
            case "t":
                self._text(with_rise(in_symbols(node.text or "", self._font), self._rise))
            case "tab" | "ptab":
                self._text("\t")
            case "br" | "cr":
                self._break(attribute(node, "type"))
            case "lastRenderedPageBreak":
                self._rendered()
            case "noBreakHyphen":
                self._text("\u2011")
            case "sym":
                self._text(with_rise(self._symbol(node), self._rise))
            case "del" | "moveFrom":
                self.changes.note(node)
            case name if name in DELETED_ELEMENTS:
                self._instruction(node)
            case "r":
                self._run(node, depth)
            case "hyperlink":
                self._linked(node, depth)
            case "fldSimple":
                self._simple_field(node, depth)
            case "fldChar":
                self._field(node)
            case "ins" | "moveTo":
                self.changes.note(node)
                self.read(node, depth)
            case "oMath" | "oMathPara" if self.style.is_hidden:
                pass
            case "oMath" if self._in_line(node):
                self.words.formula(latex_of(node), text_of(node))
            case "oMath":
                self._formula(node)
            case "oMathPara":
                for math in children(node, "oMath"):
                    self._formula(math)
            case "drawing" | "pict" | "object":
                self._drawing(node)
            case "AlternateContent":
                self._alternative(node, depth)
            case "footnoteReference" | "endnoteReference":
                self._reference(name.removesuffix("Reference"), node)
            case "commentRangeStart" | "commentRangeEnd":
                self.marked.turn(node)
            case "commentReference":
                self.comments.append(attribute(node, "id") or "")
            case _:
                self.read(node, depth)

    def _text(self, text: str) -> None:
        if not self._fields or all(one.in_result for one in self._fields):
            self.words.add(text, struck=self._is_struck)
            self.marked.add(text)

    def _run(self, run: Element, depth: int) -> None:
        settings = child(run, "rPr")
        vanish = child(settings, "vanish")
        if self.style.is_hidden if vanish is None else is_on(vanish):
            self.changes.hidden += sum(len(text.text or "") > 0 for text in descendants(run, "t"))
            for node in run:  # a field goes on all the same
                if name_of(node) in ("fldChar", "instrText"):
                    self._one(node, depth)
            if self._fields:
                self._fields[-1].checkbox = ""
            return
        own = self.styles.get(attribute(child(settings, "rStyle"), "val") or "") or Style()
        strike = strike_of(settings)
        font, rise, is_struck = self._font, self._rise, self._is_struck
        self._font = font_of(settings) or own.font or self.style.font
        self._rise = rise_of(settings, own)
        # one style turns off what the other turns on
        self._is_struck = own.is_struck != self.style.is_struck if strike is None else strike
        self.read(run, depth)
        self._font = font
        self._rise = rise
        self._is_struck = is_struck

    def _symbol(self, element: Element) -> str:
        """A character of a font; one that Unicode does not have is left out and counted."""
        font = attribute(element, "font") or self._font or ""
        try:
            character = in_symbols(chr(int(attribute(element, "char") or "", 16)), font)
        except (ValueError, OverflowError):
            return ""
        if ord(character) in PRIVATE_CHARACTERS:
            self.changes.unknown_symbols[font] += 1
            return ""
        return character

    def _break(self, kind: str | None) -> None:
        if kind == "page":
            self.num_breaks, self.late_breaks = self._counted(self.num_breaks, self.late_breaks)
        elif kind != "column":
            self._text("\n")

    def _rendered(self) -> None:
        self.num_rendered, self.late_rendered = self._counted(self.num_rendered, self.late_rendered)

    def _counted(self, before: int, after: int) -> tuple[int, int]:
        return (before, after + 1) if self.words else (before + 1, after)

    def _linked(self, link: Element, depth: int) -> None:
        start = self.words.num_characters
        self.read(link, depth)
        relation = self.relations.get(attribute(link, "id") or "")
        if relation is not None and relation.is_external:
            self.words.link(start, relation.target)

    def _simple_field(self, element: Element, depth: int) -> None:
        start = self.words.num_characters
        self.read(element, depth)
        address = HYPERLINK.match(attribute(element, "instr") or "")
        if address:
            self.words.link(start, address[1])

    def _field(self, element: Element) -> None:
        match attribute(element, "fldCharType"):
            case "begin":
                self._fields.append(_Field(checkbox=_checkbox(element)))
            case "separate" if self._fields:
                self._fields[-1].in_result = True
                self._fields[-1].start = self.words.num_characters
            case "end" if self._fields:
                ended = self._fields.pop()
                address = HYPERLINK.match(ended.instruction)
                if address and ended.in_result:
                    self.words.link(ended.start, address[1])
                if ended.checkbox and "FORMCHECKBOX" in ended.instruction:
                    self._text(ended.checkbox)
            case _:
                pass

    def _instruction(self, element: Element) -> None:
        if name_of(element) == "instrText" and self._fields and not self._fields[-1].in_result:
            self._fields[-1].instruction += element.text or ""

    def _in_line(self, math: Element) -> bool:
        """Whether a formula stands among words."""
        paragraph = next(math.iterancestors("{*}p"), None)
        if paragraph is not None and paragraph is not self._line[0]:
            of_math = math.tag.rpartition("}")[0]
            texts = (text for text in paragraph.iter("{*}t") if not text.tag.startswith(of_math))
            self._line = paragraph, any((text.text or "").strip() for text in texts)
        return self._line[1]

    def _formula(self, math: Element) -> None:
        if text := text_of(math).strip():
            self.formulas.append((latex_of(math), text))

    def _drawing(self, element: Element) -> None:
        # one within another is met again where the outer one is read
        self.boxes += (box for box in descendants(element, "txbxContent") if _stands_alone(box, element))
        self.drawings += drawings_in(element, self.package, self.relations)

    def _alternative(self, element: Element, depth: int) -> None:
        """What a new program shows, if that is something that is read here; else what an older one does."""
        choice, fallback = child(element, "Choice"), child(element, "Fallback")
        branch = fallback
        if choice is not None and (fallback is None or next(_known(choice), None) is not None):
            branch = choice
        if branch is not None:
            self.read(branch, depth)

    def _reference(self, kind: str, element: Element) -> None:
        name = attribute(element, "id") or ""
        if (kind, name) in self.marks:
            self._text(f"[{self.marks[kind, name]}]")
            self.notes.append((kind, name))


def _known(choice: Element) -> Iterator[Element]:
    return choice.iter("{*}t", "{*}txbxContent", "{*}blip", "{*}chart", "{*}relIds")


def _checkbox(begin: Element) -> str:
    box = child(begin, "ffData", "checkBox")
    if box is None:
        return ""
    checked = child(box, "checked")
    return "☒" if is_on(checked if checked is not None else child(box, "default")) else "☐"


def _stands_alone(box: Element, outer: Element) -> bool:
    """Whether no other text box of `outer` is around this one."""
    for above in box.iterancestors():
        if above is outer:
            return True
        if name_of(above) == "txbxContent":
            return False
    return True
