"""A table over two pages."""

from __future__ import annotations

import pytest
from page_making import box, region

from documents.document.tables_over_pages import table_continued, tables_joined
from documents.region_values import Table, TableCell
from documents.tables.written.table_markup import texts


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


LOG = ["I-19", "the driver noticed smoke, stopped the lift and", "open"]


def without_empty(rows):
    """A table whose empty texts are no cells, as those of printed tables are."""
    whole = table(rows)
    return whole.model_copy(update={"cells": tuple(cell for cell in whole.cells if cell.text)})


@pytest.mark.parametrize(
    ("last", "cut", "whole"),
    [
        (LOG, "called the brigade.", "the driver noticed smoke, stopped the lift and called the brigade."),
        (["1", "Die Lampe auf der Mole,", "zu"], "die alte, fiel aus.", "Die Lampe auf der Mole, die alte, fiel aus."),
        (
            ["1", "起重机司机发现驾驶室冒烟，停下吊臂并", "开"],
            "立即叫来了消防队。",
            "起重机司机发现驾驶室冒烟，停下吊臂并立即叫来了消防队。",
        ),
        (
            ["1", "لاحظ سائق الرافعة دخانا في المقصورة", "x"],
            "فاتصل بالإطفاء.",
            "لاحظ سائق الرافعة دخانا في المقصورة فاتصل بالإطفاء.",
        ),
    ],
)
def test_a_row_that_the_page_s_end_cuts_is_one(last, cut, whole):
    """Guards against the end of a sentence as a row of its own, without a key."""
    head = ["No.", "What", "Status"]
    parts = [without_empty([head, last]), without_empty([head, ["", cut, ""], ["2", "More.", "open"]])]
    assert texts(tables_joined(parts)) == [head, [last[0], whole, last[2]], ["2", "More.", "open"]]


@pytest.mark.parametrize(
    ("last", "following"),
    [
        (["North", "Oslo", "12"], ["", "Bergen", "14"]),  # a row of the same group
        (["North", "oslo and", "12"], ["", "bergen", "14"]),
        (["1", "A lamp failed.", "open"], ["", "A rope parted.", ""]),
        (["1", "A lamp failed.", "open"], ["", "and a rope", ""]),
        (["北部", "奥斯陆", "好"], ["", "卑尔根", "坏"]),
        (LOG, ["I-20", "called the brigade.", ""]),
        (["1", "", "open"], ["", "called the brigade.", ""]),
    ],
)
def test_a_row_without_a_key_is_no_rest_of_another_for_that_alone(last, following):
    """Guards against rows of a group, whose name stands in the first of them, that are made one."""
    head = ["No.", "What", "Status"]
    parts = [without_empty([head, last]), without_empty([head, following])]
    assert texts(tables_joined(parts)) == [head, last, following]
