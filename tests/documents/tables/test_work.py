"""Twice as much in a table is twice the work, not four times: counted in instructions, whatever the machine."""

from __future__ import annotations

import pytest
from page_making import box, inspection, printed
from work import steps_of

from documents.boxes import BoundingBox
from documents.inspection import Grid, Ruling, TextLine, Word
from documents.tables.build_table import table_of
from documents.tables.cells import PlacedWord
from documents.tables.judged.judged_cut import cut_by_judge
from documents.tables.judged.weights import cell_judge
from documents.tables.ruled import cut_by_grid


def placed(text, *corners):
    return PlacedWord(Word(text=text, box=box(*corners), font_size=6), box(*corners))


def boxes(num_columns, num_rows, width=8, height=11):
    return [
        box(c * width, r * height, c * width + width, r * height + height)
        for r in range(num_rows)
        for c in range(num_columns)
    ]


def filled(cells):
    """A figure in each cell."""
    return cells, [placed("7", cell.x0 + 1, cell.y0 + 2, cell.x0 + 5, cell.y1 - 2) for cell in cells]


def square(num):
    """As many columns as rows."""
    side = round(num**0.5)
    return filled(boxes(side, side))


def tall(num):
    return filled(boxes(2, num // 2))


def wide(num):
    return filled(boxes(num // 2, 2))


def with_cells_over_all_rows(num):
    """Two columns of which one is parted into rows: its neighbour is one cell with a line for each row."""
    cells, words = filled(boxes(1, num))
    whole = box(8, 0, 16, 11 * num)
    return [*cells, whole], [*words, *(placed("8", 9, word.box.y0, 13, word.box.y1) for word in words)]


def with_long_rows(num):
    """Two ruled rows whose cells each hold many lines, parted by gaps as high as a line."""
    side = round((num / 2) ** 0.5)
    cells = boxes(side, 2, height=20 * side)
    lines = [(cell, 20 * k) for cell in cells for k in range(side)]
    return cells, [placed("word", c.x0 + 1, c.y0 + top + 2, c.x0 + 7, c.y0 + top + 10) for c, top in lines]


def with_empty_rows(num):
    """Words in the first two rows only."""
    cells = boxes(2, num // 2)
    return cells, filled(cells[:4])[1]


@pytest.mark.parametrize("grid", [square, tall, wide, with_cells_over_all_rows, with_long_rows, with_empty_rows])
def test_a_grid_takes_work_in_line_with_its_cells_and_words(grid):
    """Guards against a page of 71 by 71 rules, 0.66 MB, that held a processor for 41 seconds, twice."""
    small, large = (grid(num) for num in (128, 512))
    assert cut_by_grid(*large) is not None
    assert steps_of(lambda: cut_by_grid(*large)) < 6 * steps_of(lambda: cut_by_grid(*small))


def test_the_header_of_a_table_takes_work_in_line_with_its_rows():
    """Guards against every row that is compared with every cell where a cell beside them all reaches to the end."""

    def page_of(num):
        cells, words = filled(boxes(1, num))
        beside = box(8, 0, 16, 11 * num)
        lines = [TextLine(text="7", box=one.box, font_size=6, words=(one.word,)) for one in words]
        lines.append(printed("all", 9, 5 * num, size=4))
        frame = BoundingBox.around([*cells, beside])
        page_inspection = inspection(*lines).model_copy(update={"grids": (Grid(box=frame, cells=(*cells, beside)),)})
        return page_inspection, frame, lines, frozenset()

    small, large = (page_of(num) for num in (64, 256))
    made = table_of(*large)
    assert made is not None
    assert made.table.num_rows == 256
    assert steps_of(lambda: table_of(*large)) < 6 * steps_of(lambda: table_of(*small))


def plain_rows(num):
    """Rows of two cells."""
    return [
        placed(text, x, 12 * k, x + 20, 12 * k + 10) for k in range(num) for text, x in (("word", 0), ("7", 60))
    ], []


def with_spanning_rows(num):
    """Every fourth row runs over both columns."""
    words = [placed(text, x, 12 * k, x + 20, 12 * k + 10) for k in range(num) for text, x in (("word", 0), ("7", 60))]
    return words + [placed("over", 22, 12 * k, 58, 12 * k + 10) for k in range(0, num, 4)], []


def with_rules(num):
    """A level rule below each row, and as many upright ones."""
    words, _ = plain_rows(num)
    level = [Ruling(box=box(0, 12 * k + 11, 90, 12 * k + 11.4)) for k in range(num)]
    return words, [*level, *(Ruling(box=box(40, 12 * k, 40.4, 12 * k + 11)) for k in range(num))]


def one_long_row(num):
    """Three rows, each of many columns."""
    return [placed("7", 12 * k, 12 * r, 12 * k + 4, 12 * r + 6) for k in range(num) for r in range(3)], []


def groups_of_columns(num):
    """Names of groups over pairs of columns, whose names repeat but for the last."""
    names = [placed("A" if k % 2 else "B", 12 * k, 12, 12 * k + 4, 18) for k in range(num - 1)]
    names += [placed("C", 12 * num - 12, 12, 12 * num - 8, 18)]
    groups = [placed("G", 12 * k, 0, 12 * k + 4, 6) for k in range(1, num, 2)]
    values = [placed("7", 12 * k, 12 * r, 12 * k + 4, 12 * r + 6) for k in range(num) for r in (2, 3)]
    return [*groups, *names, *values], []


def borders_of_columns(num):
    """A header whose cells draw their own borders."""
    words, _ = one_long_row(num)
    level = [Ruling(box=box(12 * k - 4, 8, 12 * k + 8, 8.4)) for k in range(num)]
    return words, [*level, *(Ruling(box=box(12 * k - 4.2, 0, 12 * k - 3.8, 8)) for k in range(num))]


def one_cell_of_many_lines(num):
    """A row whose second cell goes on over all lines, close to one another."""
    words = [placed("Alma", 0, 0, 20, 10), placed("Rosa", 0, 12 * num, 20, 12 * num + 10)]
    return [*words, *(placed("words", 60, 11 * k, 90, 11 * k + 10) for k in range(num))], []


@pytest.mark.parametrize(
    "rows",
    [
        plain_rows,
        with_spanning_rows,
        with_rules,
        one_long_row,
        groups_of_columns,
        borders_of_columns,
        one_cell_of_many_lines,
    ],
)
def test_rows_that_stand_in_columns_take_work_in_line_with_their_words(rows):
    """Guards against each row that is compared with every other one, and each gap with every rule."""
    small, large = (rows(num) for num in (128, 512))
    judge = cell_judge()
    assert steps_of(lambda: cut_by_judge(*large, judge)) < 6 * steps_of(lambda: cut_by_judge(*small, judge))
