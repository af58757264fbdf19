"""A table over two pages."""

from __future__ import annotations

import pytest
from page_making import box, region

from documents.tables.table_markup import texts
from documents.tables.tables_over_pages import table_continued, tables_joined
from documents.values import Table, TableCell


def table(rows, num_header_rows=1):
    cells = tuple(
        TableCell(row=r, column=c, text=text, box=box(c, r, c + 1, r + 1))
        for r, row in enumerate(rows)
        for c, text in enumerate(row)
    )
    return Table(num_rows=len(rows), num_columns=len(rows[0]), num_header_rows=num_header_rows, cells=cells)


HEAD = ["No.", "Item"]


@pytest.mark.parametrize("more", [[HEAD, ["2", "Sail"]], [["2", "Sail"]]])
def test_a_repeated_header_is_said_once(more):
    joined = tables_joined([table([HEAD, ["1", "Rope"]]), table(more), table([["3", "Oar"]])])
    assert texts(joined) == [HEAD, ["1", "Rope"], ["2", "Sail"], ["3", "Oar"]]


def test_only_a_table_of_the_same_columns_and_sides_goes_on():
    one = region("x", "table", (60, 600, 400, 740), table=table([HEAD, ["1", "Rope"]]))
    rest = region("x", "table", (62, 60, 401, 200), table=table([["2", "Sail"]]))
    continued = rest.model_copy(update={"continues": True, "table": table([["2", "Sail"]], num_header_rows=0)})
    assert table_continued(one, rest) == continued
    repeating = region("x", "table", (62, 60, 401, 200), table=table([HEAD, ["2", "Sail"]]))
    assert table_continued(one, repeating) == repeating.model_copy(update={"continues": True})
    assert table_continued(one, region("x", "table", (160, 60, 401, 200), table=table([["2", "Sail"]]))) is None
    assert table_continued(one, region("x", "table", (62, 60, 401, 200), table=table([["2", "Sail", "x"]]))) is None
    assert table_continued(region("x"), region("x", "table", table=table([["2", "Sail"]]))) is None
