"""Parses a table that OCR wrote as HTML: completely, or not at all."""

from __future__ import annotations

from html.parser import HTMLParser

from documents.tables.written.cell_placement import InvalidTable, MarkupCell

GROUPS = ("thead", "tbody", "tfoot")
STYLES = ("b", "i", "em", "strong", "sup", "sub", "u")
PARENT_TAGS: dict[str, tuple[str | None, ...]] = {
    "table": (None,),
    "tr": ("table", *GROUPS),
    "td": ("tr",),
    "th": ("tr",),
    **dict.fromkeys(GROUPS, ("table",)),
    **dict.fromkeys(STYLES, ("td", "th", *STYLES)),
}


def from_html(text: str) -> list[list[MarkupCell]] | None:
    """The rows of the table that `text` is; None if it is not one `table` element and nothing else."""
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except InvalidTable:
        return None
    return reader.rows if reader.done and not reader.open else None


class _Reader(HTMLParser):
    """Elements are opened where they may stand and closed in turn; anything else ends the reading."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[MarkupCell]] = []
        self.open: list[str] = []
        self.done = False
        self._text: list[str] = []
        self._spans = (1, 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        within = self.open[-1] if self.open else None
        if tag == "br" and "tr" in self.open:
            self._text.append(" ")
            return
        if within not in PARENT_TAGS.get(tag, ()) or self.done:
            raise InvalidTable
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            attributes = dict(attrs)
            self._text = []
            self._spans = (_count(attributes.get("rowspan", "1")), _count(attributes.get("colspan", "1")))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise InvalidTable
        if tag in ("td", "th"):
            self.rows[-1].append(MarkupCell(" ".join("".join(self._text).split()), *self._spans, header=tag == "th"))
        self.done = self.done or tag == "table"

    def handle_data(self, data: str) -> None:
        if "td" in self.open or "th" in self.open:
            self._text.append(data)
        elif data.strip():
            raise InvalidTable

    def handle_comment(self, data: str) -> None:  # noqa: ARG002  names are the parser's
        raise InvalidTable

    def handle_decl(self, decl: str) -> None:  # noqa: ARG002
        raise InvalidTable

    def handle_pi(self, data: str) -> None:  # noqa: ARG002
        raise InvalidTable

    def unknown_decl(self, data: str) -> None:  # noqa: ARG002
        raise InvalidTable


def _count(value: str | None) -> int:
    if value is None or not value.isascii() or not value.isdigit() or len(value) > 3:
        raise InvalidTable
    return int(value)
