"""Reads the text runs of a DOCX paragraph: links, fields, insertions and deletions, hidden text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from documents.office.drawings import Drawing, drawings_in
from documents.office.office_math import latex_of, text_of
from documents.office.paragraph_text import WordsWriter
from documents.office.parsed_file import warned
from documents.office.unpack_limits import MAX_DEPTH
from documents.office.word_styles import PRIVATE, Style, is_on, strike_of
from documents.office.xml_parsing import Element, attribute, child, children, descendants, name_of
from documents.office.zip_package import Package, Relation
from documents.values import PageWarning

GONE = ("del", "moveFrom", "instrText", "delText", "delInstrText", "pPr", "rPr", "rt", "proofErr")
SYMBOLS = {"\uf0fe": "☒", "\uf0a8": "☐", "\uf06f": "☐", "\uf078": "☒", "\uf0fc": "✓", "\uf0e0": "→", "\uf0b7": "•"}
HYPERLINK = re.compile(r'^\s*HYPERLINK\s+"([^"]+)"', re.IGNORECASE)
Notes = Mapping[tuple[str, str], str]  # the marks of notes, by kind and id


@dataclass(slots=True)
class Changes:
    """Tracked changes and hidden text of a document, which its accepted view does not show as such."""

    inserted: int = 0
    deleted: int = 0
    hidden: int = 0
    authors: Counter[str] = field(default_factory=Counter[str])

    def note(self, change: Element) -> None:
        self.authors[(attribute(change, "author") or "").strip()] += 1
        if name_of(change) in ("ins", "moveTo"):
            self.inserted += 1
        else:
            self.deleted += 1

    def warnings(self) -> list[PageWarning]:
        """That changes were read as accepted, and that hidden text was left out."""
        warnings: list[PageWarning] = []
        if self.inserted or self.deleted:
            authors = ", ".join(sorted(filter(None, self.authors))[:5]) or "an unnamed author"
            message = (
                f"{self.inserted} tracked insertions and {self.deleted} deletions by {authors} were read as accepted"
            )
            warnings.append(warned(code="tracked_changes", message=message))
        if self.hidden:
            message = f"hidden text removed: {self.hidden} " + ("passage" if self.hidden == 1 else "passages")
            warnings.append(warned(code="hidden_text", message=message))
        return warnings


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
    words: WordsWriter = field(default_factory=WordsWriter)
    styles: Mapping[str, Style] = field(default_factory=dict[str, Style])
    style: Style = field(default_factory=Style)  # of the paragraph, where a run does not say otherwise
    drawings: list[Drawing] = field(default_factory=list[Drawing])
    boxes: list[Element] = field(default_factory=list[Element])  # text boxes
    formulas: list[tuple[str, str]] = field(
        default_factory=list[tuple[str, str]]
    )  # LaTeX and text, on lines of their own
    comments: list[str] = field(default_factory=list[str])  # ids
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # kind and id
    num_breaks: int = 0  # of the page, before the first text
    num_rendered: int = 0
    late_breaks: int = 0  # after it
    late_rendered: int = 0
    _fields: list[_Field] = field(default_factory=list[_Field])
    _is_struck: bool = False  # the run that is read

    def read(self, element: Element, depth: int = 0, *, style: Style | None = None) -> None:
        """Take in all children of an element; `style` unset: as before."""
        self.style = self.style if style is None else style
        if depth > MAX_DEPTH:
            return
        for node in element:
            self._one(node, depth + 1)

    def _one(self, node: Element, depth: int) -> None:
        name = name_of(node)
        match name:
            case "t":
                self._text(node.text or "")
            case "tab" | "ptab":
                self._text("\t")
            case "br" | "cr":
                self._break(attribute(node, "type"))
            case "lastRenderedPageBreak":
                self._rendered()
            case "noBreakHyphen":
                self._text("\u2011")
            case "sym":
                self._text(_symbol(attribute(node, "char")))
            case "del" | "moveFrom":
                self.changes.note(node)
            case name if name in GONE:
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
            case "oMath":
                self._text(text_of(node)) if self._in_line(node) else self._formula(node)
            case "oMathPara":
                for math in children(node, "oMath"):
                    self._formula(math)
            case "drawing" | "pict" | "object":
                self._drawing(node)
            case "AlternateContent":
                self._alternative(node, depth)
            case "footnoteReference" | "endnoteReference":
                self._reference(name.removesuffix("Reference"), node)
            case "commentReference":
                self.comments.append(attribute(node, "id") or "")
            case _:
                self.read(node, depth)

    def _text(self, text: str) -> None:
        if not self._fields or all(one.in_result for one in self._fields):
            self.words.add(text, struck=self._is_struck)

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
        strike = strike_of(settings)
        if strike is None:  # one style turns off what the other turns on
            own = self.styles.get(attribute(child(settings, "rStyle"), "val") or "") or Style()
            strike = own.is_struck != self.style.is_struck
        outer, self._is_struck = self._is_struck, strike
        self.read(run, depth)
        self._is_struck = outer

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
                self._fields[-1].in_result, self._fields[-1].start = True, self.words.num_characters
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
        paragraph = math.getparent()
        others = (node for node in (paragraph if paragraph is not None else ()) if name_of(node) != "oMath")
        return any((text.text or "").strip() for node in others for text in node.iter("{*}t"))

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


def _symbol(code: str | None) -> str:
    try:
        sign = chr(int(code or "", 16))
    except (ValueError, OverflowError):
        return ""
    if sign in SYMBOLS:
        return SYMBOLS[sign]
    if ord(sign) in PRIVATE:
        plain = chr(ord(sign) - 0xF000) if ord(sign) >= 0xF020 else ""
        return plain if plain.isprintable() else ""
    return sign


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
