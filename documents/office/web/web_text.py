"""Reads the visible text of an HTML element as lines; its raised and lowered text and symbol fonts as they look."""

from __future__ import annotations

import re

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]  it tells no types

from documents.inspection import Rise
from documents.office.packages.xml_parsing import Element, attribute, child, name_of
from documents.office.paragraph_text import WordsWriter, with_rise
from documents.office.web.web_names import BLOCK_ELEMENTS, INVISIBLE_ELEMENTS
from documents.text.symbol_fonts import in_symbols

HIDDEN_STYLE = re.compile(
    r"(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)", re.IGNORECASE
)
DECORATION_STYLE = re.compile(r"(?:^|[;\s])text-decoration(?:-line)?\s*:([^;]*)", re.IGNORECASE)
FONT_STYLE = re.compile(r"(?:^|[;\s])font(?:-family\s*:\s*[\"']?([^;,\"']*)|\s*:)", re.IGNORECASE)
SCRIPT_STYLE = re.compile(r"(?:^|[;\s])vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
SCRIPTS: dict[str, Rise] = {"sup": "super", "super": "super", "sub": "sub"}
REPLACED_ELEMENTS = ("input", "math")  # elements whose text is not that of their children


def write_type(root: Element) -> None:
    """Change the texts of a page, before they are read, to what raised text and symbol fonts show."""
    types: list[tuple[Rise | None, str | None]] = [(None, None)]  # of the elements that are open
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            types.pop()
            if element.tail:
                element.tail = _typed(element.tail, *types[-1])
            continue
        rise, font = types[-1]
        style = SCRIPT_STYLE.search(element.get("style") or "")
        own_font = _font(element)
        rise = SCRIPTS.get(str(style[1]).lower() if style else name_of(element)) or rise
        types.append((rise, font if own_font is None else own_font))
        if element.text:
            element.text = _typed(element.text, *types[-1])


def _typed(text: str, rise: Rise | None, font: str | None) -> str:
    return with_rise(in_symbols(text, font), rise)


def _font(element: Element) -> str | None:
    """The font that an element itself names; empty where only its style's short form may."""
    match = FONT_STYLE.search(element.get("style") or "")
    return (match[1] or "").strip() if match else element.get("face")


def write_text(element: Element, words: WordsWriter) -> None:
    """All words within an element; its blocks and line breaks begin new lines. Without recursion, so to any depth."""
    begin = words.num_characters
    words.add(element.text)
    struck: list[tuple[Element, int]] = []  # elements that are open, and where each begins
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if inner is element:
            continue
        name = name_of(inner)
        if event == "start":
            if is_struck(inner):
                struck.append((inner, words.num_characters))
            _begin(inner, name, words, walk)
            continue
        if struck and struck[-1][0] is inner:
            words.strike(struck.pop()[1])
        if name in BLOCK_ELEMENTS:
            words.add(" " if name in ("td", "th") else "\n")
        words.add(inner.tail)
    if is_struck(element):
        words.strike(begin)


def _begin(element: Element, name: str, words: WordsWriter, walk: etree.iterwalk) -> None:
    if not name or name in INVISIBLE_ELEMENTS or is_hidden(element):
        walk.skip_subtree()
    elif name in REPLACED_ELEMENTS:
        words.add(replaced_text(element, name))
        walk.skip_subtree()
    else:
        if name == "br" or name in BLOCK_ELEMENTS:
            words.add(" " if name in ("td", "th") else "\n")
        words.add(element.text)


def replaced_text(element: Element, name: str) -> str:
    """What a reader sees in place of a form's field or a formula, with a space on either side."""
    return f" {_math_text(element) if name == 'math' else _field_text(element)} "


def is_hidden(element: Element) -> bool:
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    style = element.get("style")
    return style is not None and HIDDEN_STYLE.search(style) is not None


def is_struck(element: Element) -> bool:
    """Whether a line is drawn through its words: by its style or, if that does not say, its name."""
    style = element.get("style")
    lines = DECORATION_STYLE.findall(style) if style is not None else None
    return "line-through" in lines[-1].lower() if lines else name_of(element) in ("s", "strike", "del")


def _field_text(element: Element) -> str:
    match (attribute(element, "type") or "text").lower():
        case "checkbox" | "radio":
            return "☒" if element.get("checked") is not None else "☐"
        case "hidden" | "password" | "image" | "file" | "color" | "range":
            return ""
        case _:
            return attribute(element, "value") or ""


def _math_text(element: Element) -> str:
    """The TeX that a formula comes from, where its author left it there; else its characters."""
    for note in element.iter("{*}annotation", "annotation"):
        if "tex" in (attribute(note, "encoding") or "").lower():
            return (note.text or "").strip()
    presentation = child(element, "semantics")
    presentation = element if presentation is None else next(iter(presentation), element)
    return "".join(presentation.itertext())
