"""Escapes text for Markdown, so that nothing that a page prints becomes markup, HTML or a link.

What GitHub's Markdown would make a link of by itself (`https://`, `www.`, addresses of mail) stands in a code span: a
backslash before it is not enough there, nor an entity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from itertools import groupby
from urllib.parse import quote

from documents.exports.linked_text import Run, lines_of, on_one_line
from documents.region_values import InlineFormula, Link, Script, TextRange
from documents.text.latex import inert
from documents.text.typography import level_text, script

_SPECIAL_CHARACTER = re.compile(r"[\\`*_\[\]{<>|$~]")
_NAMES = "aero|asia|biz|com|coop|edu|gov|info|museum|name|net|org|pro|shop|web|xxx|рф"
_DOMAIN_END = rf"\.(?=(?:[a-z]{{2}}|{_NAMES}|xn--\w+)\b)"  # linkify-it guesses links by the same rule
_DOMAIN = re.compile(rf"(?<=\w){_DOMAIN_END}", re.IGNORECASE)
_DOMAIN_BEHIND_FORMULA = re.compile(_DOMAIN_END, re.IGNORECASE)
_AUTOLINK = re.compile(r"//|www\.|\S@(?:\w|$)", re.IGNORECASE)  # behind an "@" at the end stands a formula or a link
_WORD_CHARACTER = (
    r"[^\s`|()\[\]{}<>\"'“”‘’«»„!*\\\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]"  # scripts without spaces end an address
)
_WORD = re.compile(rf"{_WORD_CHARACTER}(?:{_WORD_CHARACTER}|\({_WORD_CHARACTER}*\))*")
_CLOSING_MARKS = ".,;:?"
_BLOCK_START = re.compile(r"[-+#](?=[\s+#:-]|$)|:(?=-)|=+$")
_NUMBER_START = re.compile(r"[0-9]{1,9}(?=[.)](?:\s|$))")
# all characters besides \n that some program takes for the end of a line
_LINE_END = re.compile(r"[\r\v\f\x1c-\x1f\x85\u2028\u2029]")
_ADDRESS_CHARACTERS = ":/?#@!$&'+,;=%~-._"  # characters that need no escape in an address of Markdown
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BAR = re.compile(r"(\\)?\|")


def escaped(
    text: str,
    links: Sequence[Link] = (),
    struck: Sequence[TextRange] = (),
    formulas: Sequence[InlineFormula] = (),
    scripts: Sequence[Script] = (),
) -> str:
    """Text that shows as it stands, line by line, the words of each link leading to its address."""
    return "\n".join(escaped_line(line) for line in lines_of(text, links, struck, formulas, scripts))


def escaped_line(line: Sequence[Run]) -> str:
    """One line that begins no block of its own."""
    escaped = _inline(line).strip()
    if _BLOCK_START.match(escaped):
        return "\\" + escaped
    number = _NUMBER_START.match(escaped)
    return escaped if number is None else f"{number[0]}\\{escaped[number.end() :]}"


def in_line(
    text: str,
    links: Sequence[Link] = (),
    struck: Sequence[TextRange] = (),
    formulas: Sequence[InlineFormula] = (),
    scripts: Sequence[Script] = (),
) -> str:
    """Text that shows as it stands on one line, where no block begins with it."""
    return _inline(on_one_line(lines_of(text, links, struck, formulas, scripts)))


def in_heading(
    text: str,
    links: Sequence[Link] = (),
    struck: Sequence[TextRange] = (),
    formulas: Sequence[InlineFormula] = (),
    scripts: Sequence[Script] = (),
) -> str:
    """The same; number signs at its end, which would close the heading, are text."""
    escaped = in_line(text, links, struck, formulas, scripts)
    before = escaped.rstrip("#")
    if before == escaped or (before and before[-1] != " "):
        return escaped
    return f"{before}\\{escaped[len(before) :]}"


def in_html(text: str, struck: Sequence[TextRange] = ()) -> str:
    """Text on one line of an HTML element within Markdown, inert also where a renderer shows HTML as text."""
    runs = on_one_line(lines_of(text, (), struck))
    return "".join(f"<s>{_in_element(run.text)}</s>" if run.struck else _in_element(run.text) for run in runs)


def _in_element(text: str) -> str:
    escaped = escape(text, quote=False).replace("](", "]&#40;")
    words = (_broken(word) if _AUTOLINK.search(word) else word for word in escaped.split(" "))
    return _DOMAIN.sub("&#46;", " ".join(words))


def _broken(word: str) -> str:
    """A word that would be made a link, with the characters that would make it one as entities."""
    return word.replace("//", "/&#47;").replace("@", "&#64;").replace(".", "&#46;")


def _inline(line: Sequence[Run]) -> str:
    parts = [(is_struck, _with_links(list(runs))) for is_struck, runs in groupby(line, lambda run: run.struck)]
    escaped = ""
    for number, (is_struck, part) in enumerate(parts):
        after = parts[number + 1][1] if number + 1 < len(parts) else ""
        escaped += _struck(escaped[-1:], part, after[:1]) if is_struck else part
    return escaped


def _struck(before: str, text: str, after: str) -> str:
    """Between `~~`, or in a tag where these begin or end nothing: next to a letter outside and no letter inside."""
    words = text.strip(" ")
    if not words:
        return text
    space_before, space_after = text.split(words, 1)
    before, after = space_before or before, space_after or after
    if (before.isalnum() and not words[0].isalnum()) or (after.isalnum() and not words[-1].isalnum()):
        return f"{space_before}<s>{words}</s>{space_after}"
    return f"{space_before}~~{words}~~{space_after}"


def _with_links(runs: Sequence[Run]) -> str:
    escaped = plain = ""  # `plain` is text that is not escaped yet: an address may go on in the next run
    for number, run in enumerate(runs):
        text = _LINE_END.sub(" ", _script((escaped + plain)[-1:], run))
        after = runs[number + 1].text[:1] if number + 1 < len(runs) else ""
        formula = _formula((escaped + plain)[-1:], run.latex, after) if run.uri is None else ""
        if run.uri is None and not formula:
            plain += text
            continue
        escaped += _plain_behind(escaped, plain)
        plain = ""
        if formula:
            escaped += formula
            continue
        if escaped.endswith("!"):  # else the link is a picture
            escaped = escaped[:-1] + "\\!"
        address = _ENTITY.sub("&amp;", quote(run.uri or "", safe=_ADDRESS_CHARACTERS))
        escaped += f"[{_escaped(text)}]({address})"
    return escaped + _plain_behind(escaped, plain)


def _plain_behind(escaped: str, text: str) -> str:
    """Text behind a formula or link; linkify-it takes `b$.bb` for an address."""
    if escaped.endswith("$") and _DOMAIN_BEHIND_FORMULA.match(text):
        return "\\." + _plain(text[1:])
    return _plain(text)


def _formula(before: str, latex: str | None, after: str) -> str:
    """A formula between dollars; empty where these would not be read as such, or it has what Markdown would read."""
    harmless = inert(latex) if latex and before != "$" and not after.isdecimal() else None
    return f"${' '.join(_BAR.sub(_bar, harmless).split())}$" if harmless else ""


def _script(before: str, run: Run) -> str:
    """A raised or lowered text set off from its base, `U_ij`; as it is where Unicode or a bracket does, and in endings
    and notes.
    """
    level = level_text(run.text)
    is_ending = run.rise == "super" and before.isdecimal() and level.isalpha()  # of a number: 4th
    is_apart = run.is_note or is_ending or run.text.startswith("[")
    if run.rise is None or is_apart or level != run.text or not run.text.strip():
        return run.text
    return f"_{run.text}" if run.rise == "sub" and run.text.isalnum() else script(run.text, run.rise)


def _bar(match: re.Match[str]) -> str:
    """A bar that ends no cell of a table."""
    return "\\Vert " if match[1] else "\\vert "


def _plain(text: str) -> str:
    """Text without a link; addresses in it are code."""
    parts: list[str] = []
    end = 0
    for word in _WORD.finditer(text):
        if not _AUTOLINK.search(word[0]):
            continue
        address = word[0].rstrip(_CLOSING_MARKS)
        parts += [_escaped(text[end : word.start()]), f"`{address}`"]
        end = word.start() + len(address)
    return "".join([*parts, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return _DOMAIN.sub(r"\\.", _SPECIAL_CHARACTER.sub(r"\\\g<0>", text.replace("&", "&amp;")))
