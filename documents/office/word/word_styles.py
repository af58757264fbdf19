"""Reads DOCX styles and numbering: headings, list items and their numbers, raised text, symbol fonts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from documents.inspection import Rise
from documents.office.packages.xml_parsing import Element, attribute, child, children
from documents.text.symbol_fonts import in_symbols

MAX_BASES = 20  # styles that one may be based on
HEADING = re.compile(r"heading (\d)$", re.IGNORECASE)
CODE = re.compile(r"(?:source ?)?code|html preformatted|preformatted text|macro ?text|programlisting", re.IGNORECASE)
BULLET = "•"
PLACEHOLDER = re.compile(r"%([1-9])")
PRIVATE_CHARACTERS = range(0xE000, 0xF900)  # characters of symbol fonts
MIN_POSITION = 2  # minimum distance of a superscript or subscript from the baseline, in half points


@dataclass(frozen=True, slots=True)
class Style:
    """A style of paragraphs or characters, with what it has of those it is based on."""

    name: str = ""
    level: int | None = None  # of the outline, from 1
    numbering: tuple[str, int] | None = None  # of a list: its id, level from 0
    is_code: bool = False
    is_caption: bool = False
    is_hidden: bool = False
    is_struck: bool = False
    font: str | None = None
    vertical: str | None = None  # superscript, subscript, baseline
    position: str | None = None  # half points above the baseline


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    form: str
    text: str
    font: str | None = None


@dataclass(slots=True)
class Numbering:
    """The lists of a document; numbers go on as paragraphs come in their order."""

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict)  # by list
    abstract: dict[str, str] = field(default_factory=dict)  # lists of one series share its counters
    _counters: dict[str, list[int | None]] = field(default_factory=dict)
    _restarted: set[tuple[str, int]] = field(default_factory=set)
    overrides: dict[tuple[str, int], int] = field(default_factory=dict)

    def marker(self, list_id: str, depth: int) -> str | None:
        """What stands before the next paragraph of this list; None where nothing does."""
        level = self.levels.get(list_id, {}).get(depth)
        if level is None:
            return None
        counters = self._counters.setdefault(self.abstract.get(list_id, list_id), [None] * 9)
        override = self.overrides.get((list_id, depth))
        if override is not None and (list_id, depth) not in self._restarted:
            self._restarted.add((list_id, depth))
            counters[depth] = override
        else:
            last = counters[depth]
            counters[depth] = level.start if last is None else last + 1
        counters[depth + 1 :] = [None] * (8 - depth)
        if level.form == "bullet":
            return bullet_of(level.text, level.font)
        if level.form == "none" and not PLACEHOLDER.search(level.text):
            return level.text.strip() or None

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = self.levels[list_id].get(place, level)
            value = counters[place]
            return written_number(other.start if value is None else value, other.form)

        return PLACEHOLDER.sub(number, level.text).strip() or None


def styles_of(root: Element | None) -> dict[str, Style]:
    """The styles of `styles.xml` by their ids."""
    elements = {attribute(style, "styleId") or "": style for style in children(root, "style")}
    return {name: _style(name, elements) for name in elements}


def default_style(root: Element | None) -> str | None:
    """The id of the style of paragraphs that name none."""
    for style in children(root, "style"):
        if attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true", "on"):
            return attribute(style, "styleId")
    return None


def numbering_of(root: Element | None) -> Numbering:
    """The lists of `numbering.xml`."""
    series: dict[str, dict[int, _Level]] = {}
    linked: dict[str, str] = {}
    for node in children(root, "abstractNum"):
        name = attribute(node, "abstractNumId") or ""
        series[name] = {_depth(level): _level(level) for level in children(node, "lvl")}
        link = attribute(child(node, "styleLink"), "val")
        if link:
            linked[link] = name
    for node in children(root, "abstractNum"):
        borrowed = attribute(child(node, "numStyleLink"), "val")
        if borrowed in linked:
            series[attribute(node, "abstractNumId") or ""] = series[linked[borrowed]]
    numbering = Numbering()
    for node in children(root, "num"):
        name, abstract = attribute(node, "numId") or "", attribute(child(node, "abstractNumId"), "val") or ""
        levels = dict(series.get(abstract, {}))
        for override in children(node, "lvlOverride"):
            depth = _depth(override)
            own = child(override, "lvl")
            if own is not None:
                levels[depth] = _level(own)
            start = attribute(child(override, "startOverride"), "val")
            if start is not None:
                numbering.overrides[name, depth] = _whole(start, 1)
        numbering.levels[name] = levels
        numbering.abstract[name] = abstract
    return numbering


def numbering_reference(settings: Element | None) -> tuple[str, int] | None:
    """The list and level that the properties of a paragraph or style name."""
    reference = child(settings, "numPr")
    if reference is None:
        return None
    name = attribute(child(reference, "numId"), "val")
    depth = attribute(child(reference, "ilvl"), "val")
    return (name or "", min(8, max(0, _whole(depth, 0))))


def outline_level(settings: Element | None) -> int | None:
    """The level that they give a heading, from 1; None for running text."""
    value = attribute(child(settings, "outlineLvl"), "val")
    level = _whole(value, 9)
    return level + 1 if value is not None and 0 <= level < 9 else None


def written_number(number: int, form: str) -> str:
    """A number in a list's form: decimal, letters or Roman."""
    writers: dict[str, Callable[[int], str]] = {
        "lowerLetter": lambda n: _letters(n).lower(),
        "upperLetter": _letters,
        "lowerRoman": lambda n: roman(n).lower(),
        "upperRoman": roman,
        "decimalZero": lambda n: f"{n:02d}",
        "none": lambda _: "",
    }
    return writers.get(form, str)(number)


def roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    values = (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1)
    numeral = ""
    for value, letters in zip(
        values, ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"], strict=True
    ):
        count, number = divmod(number, value)
        numeral += letters * count
    return numeral


def _letters(number: int) -> str:
    """A to Z, then AA, BB."""
    if not 0 < number < 2600:
        return str(number)
    times, letter = divmod(number - 1, 26)
    return chr(65 + letter) * (times + 1)


def bullet_of(text: str, font: str | None) -> str:
    """The bullet of a list in its font; a plain one for letters, and for what has no Unicode character."""
    plain = in_symbols(text.strip(), font)
    is_unknown = any(ord(character) in PRIVATE_CHARACTERS or character.isalnum() for character in plain)
    return BULLET if not plain or len(plain) > 3 or is_unknown else plain


def font_of(settings: Element | None) -> str | None:
    """The font of Latin letters that the properties of a run name."""
    fonts = child(settings, "rFonts")
    return attribute(fonts, "ascii") or attribute(fonts, "hAnsi")


def rise_of(settings: Element | None, style: Style) -> Rise | None:
    """Whether the properties of a run, or the style that they name, raise or lower it."""
    vertical = attribute(child(settings, "vertAlign"), "val") or style.vertical
    if vertical in ("superscript", "subscript"):
        return "super" if vertical == "superscript" else "sub"
    position = _whole(attribute(child(settings, "position"), "val") or style.position, 0)
    return None if abs(position) < MIN_POSITION else "super" if position > 0 else "sub"


def _style(name: str, elements: dict[str, Element]) -> Style:
    own_name, level, numbering = "", None, None
    font = vertical = position = None
    is_code = is_caption = False
    vanish: Element | None = None
    strike: bool | None = None
    visited: set[str] = set()
    at: str | None = name
    while at in elements and at not in visited and len(visited) < MAX_BASES:
        visited.add(at)
        element = elements[at]
        words = attribute(child(element, "name"), "val") or ""
        own_name = own_name or words
        settings = child(element, "pPr")
        level = level if level is not None else _named_level(words) or outline_level(settings)
        numbering = numbering or numbering_reference(settings)
        is_code = is_code or CODE.search(words) is not None
        is_caption = is_caption or words.lower() == "caption"
        vanish = vanish if vanish is not None else child(element, "rPr", "vanish")  # the nearest style decides
        type_settings = child(element, "rPr")
        strike = strike if strike is not None else strike_of(type_settings)
        font = font or font_of(type_settings)
        vertical = vertical or attribute(child(type_settings, "vertAlign"), "val")
        position = position or attribute(child(type_settings, "position"), "val")
        at = attribute(child(element, "basedOn"), "val")
    return Style(
        name=own_name,
        level=level,
        numbering=numbering,
        is_code=is_code,
        is_caption=is_caption,
        is_hidden=is_on(vanish),
        is_struck=strike or False,
        font=font,
        vertical=vertical,
        position=position,
    )


def strike_of(settings: Element | None) -> bool | None:
    """Whether they strike characters out, once or twice; None where they do not say."""
    switches = [switch for name in ("strike", "dstrike") if (switch := child(settings, name)) is not None]
    return any(map(is_on, switches)) if switches else None


def is_on(switch: Element | None) -> bool:
    """Whether a property that is there says yes."""
    return switch is not None and attribute(switch, "val") not in ("0", "false", "off")


def _named_level(name: str) -> int | None:
    match = HEADING.match(name.strip())
    if match is not None:
        return int(match[1])
    return {"title": 1, "subtitle": 2}.get(name.strip().lower())


def _level(level: Element) -> _Level:
    return _Level(
        start=_whole(attribute(child(level, "start"), "val"), 1),
        form=attribute(child(level, "numFmt"), "val") or "decimal",
        text=attribute(child(level, "lvlText"), "val") or "",
        font=font_of(child(level, "rPr")),
    )


def _depth(element: Element) -> int:
    return min(8, max(0, _whole(attribute(element, "ilvl"), 0)))


def _whole(text: str | None, default: int) -> int:
    try:
        return max(-10, min(1_000_000, int(text or "")))
    except ValueError:
        return default
