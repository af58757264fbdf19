r"""Parses what an image-text model wrote of a crop (text, formula, table), in its family's format.

In a reading a table is HTML and a formula stands between \[ and \]: as GOT-OCR2 writes them.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Literal

from documents.boxes import BoundingBox
from documents.tables.written.from_otsl import html_of_otsl
from documents.tables.written.tables_from_ocr import written_table

AnswerForm = Literal["plain", "markdown", "html", "otsl", "latex", "doctags", "chart"]

UNIT_BOX = BoundingBox(x0=0, y0=0, x1=1, y1=1)
FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
FORMULA = re.compile(r"\$\$(.*)\$\$|\\\[(.*)\\\]|\\\((.*)\\\)|\$(.*)\$", re.DOTALL)
# opens or closes a formula: there are several formulas, or text between them
FORMULA_DELIMITER = re.compile(r"(?<!\\)\$|\\[\[\]()]")
HEADING = re.compile(r"^#{1,6}\s+")
EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
RULE = re.compile(r"\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?")
ELEMENT = re.compile(r"<(otsl|chart|formula|[a-z_]+(?:_level_\d)?)>(.*?)</\1>", re.DOTALL)
GROUPS = frozenset({"doctag", "ordered_list", "unordered_list", "group", "inline"})
TAG = re.compile(
    r"</?(?:doctag|document|loc_\d+|page_break|end_of_utterance|title|section_header(?:_level_\d+)?|text|paragraph|caption"
    r"|footnote|page_header|page_footer|list_item|ordered_list|unordered_list|group|inline|formula|code|picture|chart|otsl"
    r"|table|[felux]cel|ched|rhed|srow|nl|document_index|key_value_region|form|reference|smiles|handwritten_text"
    r"|checkbox_(?:un)?selected|[a-z]+(?:_[a-z]+)*_chart|_[A-Za-z][\w+# ]*_)>"
)
"""Those of DocTags, as docling-core has them, with languages of code (`<_python_>`) and kinds of charts."""
PICTURE_KIND = re.compile(r"\A\s*<[a-z_]+>")  # a picture's content begins with its kind: `<logo>`, `<map>`


def text_of_answer(answer: str, form: AnswerForm) -> str | None:
    """The text of a reading; None where the answer is not in that form."""
    return FORMS[form](_without_fence(answer.strip()))


def _plain(answer: str) -> str | None:
    return answer


def _markdown(answer: str) -> str | None:
    """Its words; a table is one where it is all that there is."""
    table = _pipes(answer)
    if table is not None:
        return table
    if answer.startswith("<table"):
        return _html(answer)
    lines = [EMPHASIS.sub(r"\2", HEADING.sub("", line)) for line in PICTURE.sub("", answer).split("\n")]
    return "\n".join(lines).strip()


def _html(answer: str) -> str | None:
    return answer if answer.startswith("<") and written_table(answer, UNIT_BOX) is not None else None


def _otsl(answer: str) -> str | None:
    return html_of_otsl(answer)


def _latex(answer: str) -> str | None:
    """Braces must pair; what the commands are is for whoever shows it."""
    match = FORMULA.fullmatch(answer)
    body = next(group for group in match.groups() if group is not None) if match else answer
    if FORMULA_DELIMITER.search(body):
        return None
    depth = 0
    for sign in re.sub(r"\\.", "", body, flags=re.DOTALL):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if depth < 0:
            return None
    return None if depth or not body.strip() else f"\\[{body.strip()}\\]"


def _doctags(answer: str) -> str | None:
    """The texts of its elements, one below the other; tables and formulas in their forms."""
    parts = _elements(answer)
    return None if parts is None else "\n".join(part for part in parts if part)


def _elements(answer: str) -> list[str] | None:
    """None where tags are open, or text is outside of any."""
    parts: list[str] = []
    place = 0
    for element in ELEMENT.finditer(answer):
        if not _is_nothing(answer[place : element.start()]):
            return None
        place = element.end()
        name, content = element[1], re.sub(r"<loc_\d+>", "", element[2])
        if name in GROUPS:
            inner = _elements(content)
        elif name in ("otsl", "chart"):
            table = html_of_otsl(content)
            inner = None if table is None else [table]
        elif name == "formula":
            formula = _latex(content.strip())
            inner = None if formula is None else [formula]
        else:
            if name == "picture":
                content = PICTURE_KIND.sub("", content)
            inner = [html.unescape(TAG.sub("", content)).strip()]
        if inner is None:
            return None
        parts += inner
    return parts if place and _is_nothing(answer[place:]) else None


def _is_nothing(text: str) -> bool:
    return not re.sub(r"<loc_\d+>|<page_break>|<end_of_utterance>", "", text).strip()


def _pipes(answer: str) -> str | None:
    """A Markdown table as HTML; None for anything else."""
    lines = [line.strip() for line in answer.split("\n") if line.strip()]
    if len(lines) < 2 or "|" not in lines[0] or not RULE.fullmatch(lines[1]):
        return None
    return _table([_cells(line) for index, line in enumerate(lines) if index != 1])


def _chart(answer: str) -> str | None:
    """Rows of equal length, with or without the rule of a Markdown table, as HTML."""
    lines = [line.strip() for line in answer.split("\n") if line.strip()]
    if len(lines) < 2 or any("|" not in line for line in lines):
        return None
    return _pipes(answer) or _table([_cells(line) for line in lines])


def _table(rows: list[list[str]]) -> str | None:
    """The first row is of headers; None where rows differ in length."""
    if any(len(row) != len(rows[0]) for row in rows):
        return None
    tags = ["th", *["td"] * (len(rows) - 1)]
    table_rows = [
        "<tr>" + "".join(f"<{tag}>{html.escape(cell, quote=False)}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(tags, rows, strict=True)
    ]
    return "<table>" + "".join(table_rows) + "</table>"


def _cells(line: str) -> list[str]:
    inner = line.removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def _without_fence(answer: str) -> str:
    match = FENCE.fullmatch(answer)
    return match[1].strip() if match else answer


FORMS: dict[AnswerForm, Callable[[str], str | None]] = {
    "plain": _plain,
    "markdown": _markdown,
    "html": _html,
    "otsl": _otsl,
    "latex": _latex,
    "doctags": _doctags,
    "chart": _chart,
}
