"""Parses a table that OCR wrote as LaTeX: completely, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from documents.tables.written.cell_placement import InvalidTable, MarkupCell

_TABLE = re.compile(
    r"\s*(?:\\begin\{table\}(?:\[[a-zA-Z!]*\])?\s*(?:\\centering\s*)?)?"
    r"\\begin\{tabular\}(?:\[[tbc]\])?\{(?P<columns>(?:[^{}]|\{[^{}]*\})*)\}(?P<body>.*)\\end\{tabular\}"
    r"\s*(?:\\end\{table\})?\s*",
    re.DOTALL,
)
_RULES = re.compile(
    r"(?:\s|\\(?:hline|toprule|midrule|bottomrule)(?![a-zA-Z])|\\c(?:line|midrule)(?:\([lr]*\))?\{\d+-\d+\})+"
)
_MULTICOLUMN = re.compile(r"\\multicolumn\s*\{(\d{1,3})\}\s*\{[^{}]*\}\s*\{(.*)\}", re.DOTALL)
_MULTIROW = re.compile(r"\\multirow\s*\{(\d{1,3})\}\s*\{[^{}]*\}\s*\{(.*)\}", re.DOTALL)
_STYLE_COMMAND = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|sc)?|emph|underline|mathrm|mathbf|mbox|makecell|shortstack)\s*\{([^{}]*)\}"
)
_FORMULA = re.compile(r"\\\((.*?)\\\)|(?<!\\)\$(.*?)(?<!\\)\$", re.DOTALL)
_SIGNS = {r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\_": "_", r"\{": "{", r"\}": "}", "~": " "}


def from_latex(text: str) -> list[list[MarkupCell]] | None:
    """The rows of the table that `text` is; None if it is not one `tabular` and nothing else."""
    match = _TABLE.fullmatch(text)
    if match is None or "\\begin{tabular}" in match["body"]:
        return None
    try:
        return [[_told(cell) for cell in _parts(row, "&")] for row in _rows(match["body"])]
    except InvalidTable:
        return None


def _rows(body: str) -> list[str]:
    """Rows without the rules between them; nothing behind the end of the last row is none."""
    rows: list[str] = []
    for part in _parts(body, "\\\\"):
        start = _RULES.match(part)
        rows.append(part[start.end() :] if start else part)
    return rows[:-1] if rows and not rows[-1].strip() else rows


def _parts(text: str, end: str) -> Iterator[str]:
    """What stands between the ends, braces kept whole."""
    depth, start, k = 0, 0, 0
    while k < len(text):
        if depth == 0 and text.startswith(end, k):
            yield text[start:k]
            k = start = k + len(end)
            continue
        if text[k] == "\\":
            k += 2
            continue
        depth += {"{": 1, "}": -1}.get(text[k], 0)
        if depth < 0:
            raise InvalidTable
        k += 1
    if depth:
        raise InvalidTable
    yield text[start:]


def _told(cell: str) -> MarkupCell:
    text, num_rows, num_columns = cell.strip(), 1, 1
    if spanning := _MULTICOLUMN.fullmatch(text):
        num_columns, text = int(spanning[1]), spanning[2].strip()
    if reaching := _MULTIROW.fullmatch(text):
        num_rows, text = int(reaching[1]), reaching[2].strip()
    return MarkupCell(_plain(text), num_rows, num_columns)


def _plain(text: str) -> str:
    """Words without their style; formulas as they are written, and nothing else that is a command."""
    formulas: list[str] = []

    def kept(match: re.Match[str]) -> str:
        formulas.append((match[1] or match[2] or "").strip())
        return f"\0{len(formulas) - 1}\0"

    text = _FORMULA.sub(kept, text.replace("\0", ""))
    while (bare := _STYLE_COMMAND.sub(r"\1", text)) != text:
        text = bare
    signs = re.split(r"(\\[&%$#_{}]|~)", text)
    if any(set(part) & set("\\{}&$") for part in signs[::2]):
        raise InvalidTable
    text = "".join(_SIGNS[part] if k % 2 else part for k, part in enumerate(signs))
    text = re.sub("\0(\\d+)\0", lambda match: formulas[int(match[1])], text)
    return " ".join(text.split())
