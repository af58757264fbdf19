"""Places in files without printed pages: slide and shape, sheet and range, XPath, lines.

One class per kind of file; `inside` names the attachments and archive entries that lead to the file, outermost first.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field

from documents.sheet_lines import SheetLines, hidden_lines


class PrintedBox(BaseModel):
    """Where a part stands on the pages that LibreOffice prints of its file; not those of the author's own program."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    page: int  # from 1
    box: tuple[float, float, float, float]  # left, top, right, bottom in points


class BasePlace(BaseModel):
    """Equal when its fields are equal; never changed after it is made."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    inside: tuple[str, ...] = ()
    printed: PrintedBox | None = None  # where `renderer.libreoffice` is on and the text was found there

    def cell(self, row: int, column: int, num_rows: int = 1, num_columns: int = 1) -> Self:  # noqa: ARG002
        """Of a cell, where this is the place of a table; rows and columns count from 0."""
        return self

    def characters(self, start: int, end: int) -> Self:  # noqa: ARG002  not all kinds tell characters
        """Of the characters `start:end` of the text that this is the place of."""
        return self


class DocumentPlace(BasePlace):
    """A paragraph or table of a text document (DOCX, ODT) by its path, as in `body/tbl[2]/tr[1]/tc[3]`."""

    kind: Literal["document"] = "document"
    path: str  # elements count from 1; the first step is the part: body, header1, footnotes, comments
    heading: str = ""  # that it stands under
    page: int | None = None  # printed, from 1, where the file tells it

    def cell(self, row: int, column: int, num_rows: int = 1, num_columns: int = 1) -> DocumentPlace:  # noqa: ARG002
        return self.model_copy(update={"path": f"{self.path}/tr[{row + 1}]/tc[{column + 1}]"})


class SlidePlace(BasePlace):
    """A shape of a slide, or of its notes and comments; its box is that of the region, in points of the slide."""

    kind: Literal["slide"] = "slide"
    slide: int  # from 1, as shown
    shape: str = ""  # its name in the list of shapes
    shape_id: int | None = None
    part: Literal["slide", "notes", "comments"] = "slide"


class SheetPlace(BasePlace):
    """Cells of a sheet, as `B3:F40`; an empty range is the sheet itself. Hidden rows and columns are no part of it."""

    kind: Literal["sheet"] = "sheet"
    sheet: str
    range: str = ""
    hidden: str = ""  # rows and columns within the range that are hidden: `4:4,B:C`

    def cell(self, row: int, column: int, num_rows: int = 1, num_columns: int = 1) -> SheetPlace:
        if not self.range:
            return self
        first_column, first_row = cell_at(self.range.partition(":")[0])
        rows, columns = hidden_lines(self.hidden)
        top, left = rows.place(first_row) + row, columns.place(first_column) + column
        return sheet_place(self, rows, columns, (top, left, top + num_rows - 1, left + num_columns - 1))


class ElementPlace(BasePlace):
    """An element, or a text in it, by its XPath; `start:end` are characters of its text with single spaces."""

    kind: Literal["element"] = "element"
    path: str
    start: int = 0
    end: int = 0
    file: str = ""  # of an e-book: the chapter's
    chapter: str = ""  # of an e-book: its title

    def characters(self, start: int, end: int) -> ElementPlace:
        first = self.start + start
        return self.model_copy(update={"start": first, "end": min(first + end - start, max(self.end, first))})


class LinePlace(BasePlace):
    """Lines of a text file, counted from 1."""

    kind: Literal["lines"] = "lines"
    first: int
    last: int

    def cell(self, row: int, column: int, num_rows: int = 1, num_columns: int = 1) -> LinePlace:  # noqa: ARG002
        """Of a row of comma-separated values, if each takes a line; Markdown's second line is its rule."""
        return self


class MailPlace(BasePlace):
    """A header or part of a mail, and where in it: its line, or the XPath of its HTML."""

    kind: Literal["mail"] = "mail"
    part: str  # "headers", or the part's number as in IMAP: "1.2"
    path: str = ""
    first: int | None = None  # line
    last: int | None = None


Place = Annotated[
    DocumentPlace | SlidePlace | SheetPlace | ElementPlace | LinePlace | MailPlace, Field(discriminator="kind")
]


def within(place: Place, name: str) -> Place:
    """The place seen from the mail or archive in which its file is called `name`."""
    return cast("Place", place.model_copy(update={"inside": (name, *place.inside)}))


def column_name(column: int) -> str:
    """A for 0, Z for 25, AA for 26."""
    letters = ""
    while column >= 0:
        column, letter = divmod(column, 26)
        letters = chr(65 + letter) + letters
        column -= 1
    return letters


def cell_at(name: str) -> tuple[int, int]:
    """Column and row, from 0, of a cell such as `B3`; raises ValueError for anything else."""
    letters = name.rstrip("0123456789")
    digits = name[len(letters) :]
    if not (letters.isascii() and letters.isalpha() and len(letters) <= 3 and digits and len(digits) <= 9):
        raise ValueError(f"{name!r} is no cell")
    column = 0
    for letter in letters.upper():
        column = 26 * column + ord(letter) - 64
    return column - 1, int(digits) - 1


def range_name(top: int, left: int, bottom: int, right: int) -> str:
    """`B3:F40`, or `B3` of one cell; all count from 0 and are inside."""
    first = f"{column_name(left)}{top + 1}"
    last = f"{column_name(right)}{bottom + 1}"
    return first if first == last else f"{first}:{last}"


def sheet_place(
    sheet: SheetPlace, rows: SheetLines, columns: SheetLines, corners: tuple[int, int, int, int]
) -> SheetPlace:
    """A part of a sheet; its corners (top, left, bottom, right) count the visible rows and columns, from 0."""
    top, bottom = rows.index(corners[0]), rows.index(corners[2])
    left, right = columns.index(corners[1]), columns.index(corners[3])
    hidden = [f"{first + 1}:{last + 1}" for first, last in rows.within(top, bottom)]
    hidden += [f"{column_name(first)}:{column_name(last)}" for first, last in columns.within(left, right)]
    update = {"range": range_name(top, left, bottom, right), "hidden": ",".join(hidden)}
    return sheet.model_copy(update=update)


def place_fields(place: Place) -> dict[str, Any]:
    """As JSON that holds what is set."""
    return {"kind": place.kind, **place.model_dump(mode="json", exclude_defaults=True)}
