"""Reads the styles of OpenDocument files: which are headings, lists, hidden, raised, in symbol fonts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from documents.inspection import Rise
from documents.office.packages.xml_parsing import Element, attribute, child, children, descendants, name_of
from documents.office.word.word_styles import bullet_of, written_number

HEADING = re.compile(r"Heading_20_(\d{1,2})$")
LENGTH = re.compile(r"(-?[0-9.]{1,12})(cm|mm|in|pt|px|pc)$")
POINTS = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "px": 0.75, "pc": 12.0}
FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
MAX_BASES = 10


@dataclass(slots=True)
class OpenStyles:
    """Styles by their names; an automatic one stands for the one that it is based on."""

    parents: dict[str, str] = field(default_factory=dict[str, str])
    lists: dict[str, dict[int, Element]] = field(default_factory=dict[str, dict[int, Element]])
    hidden: set[str] = field(default_factory=set[str])  # of sheets and slides
    displays: dict[str, str] = field(default_factory=dict[str, str])  # of text; `none` hides it
    num_hidden: int = 0  # texts whose style hides them, as they are read
    positions: dict[str, str] = field(default_factory=dict[str, str])  # off the baseline: `super 58%`, `-33% 58%`
    fonts: dict[str, str] = field(default_factory=dict[str, str])
    families: dict[str, str] = field(default_factory=dict[str, str])  # by the name that the file has for a font
    strikes: dict[str, bool | None] = field(default_factory=dict[str, bool | None])  # None of one that does not say

    @classmethod
    def of(cls, *roots: Element | None) -> OpenStyles:
        styles = cls()
        for face in (face for root in roots for face in children(child(root, "font-face-decls"), "font-face")):
            styles.families[attribute(face, "name") or ""] = attribute(face, "font-family") or ""
        for style in _all(roots):
            name = attribute(style, "name") or ""
            if name_of(style) == "list-style":
                styles.lists[name] = {_level(level): level for level in style}
                continue
            styles.parents[name] = attribute(style, "parent-style-name") or ""
            settings = child(style, "text-properties")
            if position := attribute(settings, "text-position"):
                styles.positions[name] = position
            if font := styles.family(settings):
                styles.fonts[name] = font
            if display := attribute(settings, "display"):
                styles.displays[name] = display
            slide = child(style, "drawing-page-properties")
            if attribute(child(style, "table-properties"), "display") == "false" or (
                attribute(slide, "visibility") == "hidden"
            ):
                styles.hidden.add(name)
            styles.strikes.setdefault(name, _strike(settings))
        return styles

    def name(self, style: str | None) -> str:
        """The named style behind one."""
        at = style or ""
        for _ in range(MAX_BASES):
            parent = self.parents.get(at)
            if not parent or HEADING.match(at) or at in ("Title", "Subtitle"):
                return at
            at = parent
        return at

    def strike(self, style: str | None) -> bool | None:
        """Whether a style strikes text out; None where neither it nor those that it is based on say."""
        at = style or ""
        for _ in range(MAX_BASES):
            if self.strikes.get(at) is not None or at not in self.parents:
                break
            at = self.parents[at]
        return self.strikes.get(at)

    def heading_level(self, name: str) -> int | None:
        match = HEADING.match(name)
        return int(match[1]) if match else {"Title": 1, "Subtitle": 2}.get(name)

    def rise(self, style: str | None) -> Rise | None:
        """Whether a style raises or lowers its text."""
        position = self._nearest(self.positions, style) or "0%"
        if position.startswith(("super", "sub")):
            return "super" if position.startswith("super") else "sub"
        if not position.partition(" ")[0].strip("-0.%"):
            return None
        return "sub" if position.startswith("-") else "super"

    def family(self, settings: Element | None) -> str:
        """The font that the properties of a style or list name."""
        name = attribute(settings, "font-name") or attribute(settings, "font-family") or ""
        return (self.families.get(name) or name).strip("'\"")

    def font(self, style: str | None) -> str | None:
        return self._nearest(self.fonts, style)

    def _nearest(self, properties: dict[str, str], style: str | None) -> str | None:
        at = style or ""
        for _ in range(MAX_BASES):
            if at in properties or not at:
                break
            at = self.parents.get(at, "")
        return properties.get(at)

    def is_shown(self, style: str | None) -> bool:
        return style not in self.hidden

    def hides_text(self, style: str | None) -> bool:
        return self._nearest(self.displays, style) == "none"

    def marker(self, style: str | None, level: int, number: int) -> str:
        """What stands before an item of a list."""
        list_level = self.lists.get(style or "", {}).get(level)
        form = attribute(list_level, "num-format")
        if list_level is None or name_of(list_level) != "list-level-style-number" or not form:
            font = self.family(child(list_level, "text-properties"))
            return bullet_of(attribute(list_level, "bullet-char") or "", font)
        start = attribute(list_level, "start-value") or "1"
        first = int(start) if start.isdecimal() and len(start) < 6 else 1
        suffix = (attribute(list_level, "num-suffix") or ".").strip()[:2]
        return f"{written_number(first + number - 1, FORMS.get(form, 'decimal'))}{suffix or '.'}"

    def page_size(self, root: Element | None) -> tuple[float, float] | None:
        """Width and height of a slide in points."""
        for layout in descendants(root, "page-layout-properties"):
            width, height = length(attribute(layout, "page-width")), length(attribute(layout, "page-height"))
            if width and height:
                return width, height
        return None


def length(text: str | None) -> float | None:
    """A length such as `2.5cm` in points."""
    match = LENGTH.match(text or "")
    try:
        return float(match[1]) * POINTS[match[2]] if match else None
    except ValueError:
        return None


def _strike(properties: Element | None) -> bool | None:
    lines = [attribute(properties, f"text-line-through-{name}") for name in ("style", "type")]
    named = [line for line in lines if line is not None]
    return "none" not in named if named else None


def _all(roots: tuple[Element | None, ...]) -> Iterator[Element]:
    for root in roots:
        for part in ("styles", "automatic-styles"):
            container = child(root, part)
            for style in container if container is not None else ():
                if name_of(style) in ("style", "list-style"):
                    yield style


def _level(element: Element) -> int:
    text = attribute(element, "level") or ""
    return int(text) if text.isdecimal() and len(text) < 3 else 0
