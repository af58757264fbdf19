"""Slides as a screen reader says them: titles first, groups and merged cells laid out, comments and charts read."""

from __future__ import annotations

import io
import math
from typing import Any

import pptx
import pytest
from odf.draw import Frame, Page, TextBox
from odf.opendocument import OpenDocumentPresentation
from odf.style import DrawingPageProperties, MasterPage, PageLayout, PageLayoutProperties, Style
from odf.text import P
from pptx.chart.data import CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.util import Inches

from documents.boxes import BoundingBox
from documents.region_values import Region, TableRegion, TitleRegion
from tests.documents.office.drawn import parsed, regions_of, saved

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


# boxes as (text, left, top, width, height) in inches, in the order in which a person reads them
ROWS = [("head", 1, 0.5, 8, 1), ("a", 1, 2, 2, 1), ("b", 4, 2, 2, 1), ("c", 7, 2.03, 2, 1), ("foot", 1, 5, 8, 1)]
COLUMNS = [("left 1", 0.5, 1, 4, 1), ("left 2", 0.5, 2.1, 4, 1), ("left 3", 0.5, 3.2, 4, 2)]
COLUMNS += [("right 1", 5.5, 1, 4, 0.5), ("right 2", 5.5, 1.6, 4, 1), ("right 3", 5.5, 2.7, 4, 2.5)]
FRAMED = [("banner", 0.5, 0.2, 9, 0.6), *COLUMNS, ("foot", 0.5, 6.5, 9, 0.5)]  # columns between lines over all
GRID = [(f"{row}{column}", 1 + 3 * column, 1 + 2 * row, 2.5, 1) for row in range(3) for column in range(3)]
PANEL = [("panel", 0.5, 1, 9, 5), ("first", 1, 1.5, 3, 1), ("second", 1, 3, 3, 1), ("third", 5, 3, 3, 1)]
TOUCHING = [("one", 1, 1, 4, 1.03), ("two", 1, 2, 4, 1.03), ("three", 1, 3, 4, 1)]


def drawn_deck(boxes: list[tuple[str, float, float, float, float]]) -> bytes:
    slides, slide = deck()
    for text, *box in boxes:
        shape = slide.shapes.add_textbox(*(Inches(side) for side in box))
        shape.text_frame.text = text
    return saved(slides)


def open_deck(boxes: list[tuple[str, float, float, float, float]], *, hidden: bool = False) -> bytes:
    document = OpenDocumentPresentation()
    layout = PageLayout(name="layout")
    layout.addElement(PageLayoutProperties(pagewidth="10in", pageheight="7.5in"))
    document.automaticstyles.addElement(layout)
    master = MasterPage(name="master", pagelayoutname=layout)
    document.masterstyles.addElement(master)
    style = Style(name="page", family="drawing-page")
    style.addElement(DrawingPageProperties(**({"visibility": "hidden"} if hidden else {})))
    document.automaticstyles.addElement(style)
    page = Page(name="p", masterpagename=master, stylename=style)
    for text, x, y, width, height in boxes:
        frame = Frame(x=f"{x}in", y=f"{y}in", width=f"{width}in", height=f"{height}in")
        box = TextBox()
        box.addElement(P(text=text))
        frame.addElement(box)
        page.addElement(frame)
    document.presentation.addElement(page)
    shown = Page(name="q", masterpagename=master)
    document.presentation.addElement(shown)
    file = io.BytesIO()
    document.write(file)
    return file.getvalue()


@pytest.mark.parametrize("draw", [drawn_deck, open_deck])
@pytest.mark.parametrize("boxes", [ROWS, COLUMNS, FRAMED, GRID, PANEL, TOUCHING])
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_shapes_are_read_by_their_places_whatever_was_drawn_first(draw, boxes, turn: int) -> None:
    """Guards against step 3 before step 1: shapes stand in the file in the order in which they were drawn."""
    drawn = boxes[::-1] if turn == 1 else [*boxes[turn:], *boxes[:turn]]
    assert [region.text for region in regions_of(draw(drawn))] == [text for text, *_ in boxes]


def test_shapes_of_a_group_stay_together_and_are_ordered_within() -> None:
    slides, slide = deck()
    below = slide.shapes.add_textbox(Inches(4), Inches(1), Inches(1), Inches(1))
    below.text_frame.text = "beside"
    group = slide.shapes.add_group_shape()
    for text, top in (("group 2", 2), ("group 1", 1), ("group 3", 6)):
        shape = group.shapes.add_textbox(Inches(1), Inches(top), Inches(1), Inches(0.5))
        shape.text_frame.text = text
    assert [region.text for region in regions(slides)] == ["group 1", "group 2", "group 3", "beside"]


def test_hidden_slides_and_shapes_are_left_out_and_reported() -> None:
    """Guards against words that no audience saw, without a warning."""
    slides, slide = deck()
    for number, text in enumerate(("shown", "hidden shape")):
        shape = slide.shapes.add_textbox(Inches(1), Inches(1 + number), Inches(2), Inches(1))
        shape.text_frame.text = text
        shape.name = text
    shape._element.nvSpPr.cNvPr.set("hidden", "1")
    second = slides.slides.add_slide(slides.slide_layouts[6])
    second.shapes.add_textbox(*(Inches(1),) * 4).text_frame.text = "secret"
    second.element.set("show", "0")
    third = slides.slides.add_slide(slides.slide_layouts[6])
    third.shapes.add_textbox(*(Inches(1),) * 4).text_frame.text = "third"
    document = parsed(saved(slides))
    texts = [(region.text, region.place.slide) for page in document.pages for region in page.regions]
    assert texts == [("shown", 1), ("third", 3)]
    (warning,) = document.warnings
    assert (warning.code, "slide 2" in warning.message, "hidden shape" in warning.message) == (
        "hidden_text",
        True,
        True,
    )


def test_a_hidden_slide_of_an_open_presentation_is_left_out_and_reported() -> None:
    document = parsed(open_deck([("secret", 1, 1, 2, 1)], hidden=True))
    assert not any(page.regions for page in document.pages)
    assert [warning.code for warning in document.warnings][:1] == ["hidden_text"]


def test_a_thousand_boxes_within_one_another_are_ordered() -> None:
    """Guards against a recursion as deep as the boxes are many."""
    boxes = [(str(k), 0.001 * k, 0.001 * k, 10 - 0.002 * k, 7 - 0.002 * k) for k in range(1000)]
    assert len(regions_of(drawn_deck(boxes[::-1]))) == 1000
