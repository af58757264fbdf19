"""Slides as a screen reader says them: titles first, groups and merged cells laid out, comments and charts read."""

from __future__ import annotations

import math
from typing import Any

import pptx
import pytest
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from documents.values import BoundingBox, Region, TableRegion, TitleRegion
from tests.documents.office.drawn import regions_of, saved

COMMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"


def deck(layout: int = 6) -> tuple[Any, Any]:
    slides = pptx.Presentation()
    return slides, slides.slides.add_slide(slides.slide_layouts[layout])


def regions(slides: Any) -> list[Region]:
    return list(regions_of(saved(slides)))


def inches(box: BoundingBox) -> list[float]:
    return [round(side / 72, 2) for side in (box.x0, box.y0, box.x1, box.y1)]


def test_the_title_comes_first_wherever_it_stands_in_the_file() -> None:
    """Guards against a text above its heading: shapes lie in the order in which they were drawn."""
    slides, slide = deck(5)
    slide.shapes.title.text = "Harbour dues"
    box = slide.shapes.add_textbox(*(Inches(1),) * 4)
    box.text_frame.text = "drawn first"
    slide.shapes._spTree.insert(2, box._element)
    first, second = regions(slides)
    assert isinstance(first, TitleRegion)
    assert (first.text, second.text) == ("Harbour dues", "drawn first")


def test_comments_of_a_slide_are_notes_beside_it() -> None:
    slides, slide = deck()
    body = b'<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">'
    body += b'<p:cm authorId="0" idx="1"><p:pos x="1" y="1"/><p:text>the dues are wrong</p:text></p:cm></p:cmLst>'
    kind = "application/vnd.openxmlformats-officedocument.presentationml.comments+xml"
    part = Part(PackURI("/ppt/comments/comment1.xml"), kind, slide.part.package, body)
    slide.part.relate_to(part, COMMENTS)
    (note,) = regions(slides)
    assert (note.text, note.place.part) == ("the dues are wrong", "comments")


def test_shapes_of_a_group_stand_where_the_group_puts_them() -> None:
    """Guards against boxes in the group's own units."""
    slides, slide = deck()
    group = slide.shapes.add_group_shape()
    shape = group.shapes.add_textbox(Inches(1), Inches(1), Inches(2), Inches(1))
    shape.text_frame.text = "inside"
    group.left, group.top, group.width, group.height = Inches(4), Inches(3), Inches(4), Inches(2)
    (region,) = regions(slides)
    assert inches(region.box) == [4, 3, 8, 5]


def test_a_placeholder_without_a_box_has_that_of_its_layout() -> None:
    slides, slide = deck(1)
    slide.placeholders[1].text = "inherited"
    expected = slide.placeholders[1]  # python-pptx looks it up in the layout, too
    region = next(region for region in regions(slides) if "inherited" in region.text)
    sides = (expected.left, expected.top, expected.left + expected.width, expected.top + expected.height)
    assert [region.box.x0, region.box.y0, region.box.x1, region.box.y1] == pytest.approx([s / 12700 for s in sides])


def test_merged_cells_of_a_slides_table_are_one_cell() -> None:
    slides, slide = deck()
    table = slide.shapes.add_table(3, 2, *(Inches(1),) * 4).table
    for row in range(3):
        for column in range(2):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 0).merge(table.cell(1, 0))
    (region,) = regions(slides)
    assert isinstance(region, TableRegion)
    spans = {cell.text: (cell.num_rows, cell.num_columns) for cell in region.table.cells}
    assert spans[table.cell(0, 0).text] == (2, 1)
    places = {cell.text: (cell.row, cell.column) for cell in region.table.cells}
    assert (region.table.num_rows, region.table.num_columns, places["11"]) == (3, 2, (1, 1))


def test_a_chart_has_each_value_beside_its_category_though_a_series_is_shorter() -> None:
    """Guards against values that slip to the row above, and categories that only a later series has."""
    slides, slide = deck()
    data = CategoryChartData()
    data.categories = ["North", "South", "West"]
    data.add_series("Spring", (4.3, None, 2.5))
    data.add_series("Autumn", (1.0, 2.0, 3.0))
    slide.shapes.add_chart(XL_CHART_TYPE.BAR_CLUSTERED, *(Inches(2),) * 4, data)
    (region,) = [one for one in regions(slides) if isinstance(one, TableRegion)]
    cells = {(cell.row, cell.column): cell.text for cell in region.table.cells}
    assert [cells[row, 0] for row in (1, 2, 3)] == ["North", "South", "West"]
    spring, autumn = ([float(cells.get((row, column)) or "nan") for row in (1, 2, 3)] for column in (1, 2))
    assert spring == pytest.approx([4.3, math.nan, 2.5], nan_ok=True)
    assert autumn == [1.0, 2.0, 3.0]


def test_a_scatter_chart_has_the_places_of_its_longest_series() -> None:
    slides, slide = deck()
    data = XyChartData()
    for name, points in (("short", [(5, 10)]), ("long", [(5, 20), (6, 21), (7, 22)])):
        series = data.add_series(name)
        for point in points:
            series.add_data_point(*point)
    slide.shapes.add_chart(XL_CHART_TYPE.XY_SCATTER, *(Inches(2),) * 4, data)
    (region,) = [one for one in regions(slides) if isinstance(one, TableRegion)]
    cells = {(cell.row, cell.column): cell.text for cell in region.table.cells}
    assert [float(cells[row, 0]) for row in (1, 2, 3)] == [5, 6, 7]
    assert [float(cells[row, 2]) for row in (1, 2, 3)] == [20, 21, 22]
