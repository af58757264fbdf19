"""Values to the lines where they stand."""

import time

import pytest

from documents.boxes import NO_BOX, BoundingBox
from documents.matching.lines import PrintedLine, printed_lines
from documents.matching.matcher import Leaf, Matcher
from documents.places import ElementPlace, SheetPlace
from documents.region_values import Span, Table, TableCell, region_of
from documents.values import Page


def box(x, y, width=100, height=10):
    return BoundingBox(x0=x, y0=y, x1=x + width, y1=y + height)


def lines(*texts, page=1):
    """Below one another; a text may be a pair with where it stands."""
    made = []
    for at, printed_text in enumerate(texts):
        text, place = printed_text if isinstance(printed_text, tuple) else (printed_text, (0, 20 * at))
        made.append(PrintedLine(page=page, text=text, box=box(*place)))
    return made


def match(value, *texts, name="field", labels=()):
    (field,) = Matcher(lines(*texts)).match([Leaf(path=(name,), value=value, labels=labels)])
    return field


@pytest.mark.parametrize(
    ("value", "printed", "kind"),
    [
        ("ACME GmbH", "by ACME GmbH, Bonn", "exact"),
        ("Acme gmbh", "ACME  GmbH", "normalised"),
        ("Müller & Co.", "MÜLLER&CO", "normalised"),
        ("ﬁnal", "final", "normalised"),
        ("12.5", "12.5", "exact"),
        (12.5, "EUR 12,50", "normalised"),
        (1234.5, "1.234,50 €", "normalised"),
        (1234.5, "$1,234.50", "normalised"),
        (1234.5, "1 234,50", "normalised"),
        (1234.5, "1'234.50 CHF", "normalised"),
        (1234567, "12,34,567.00", "normalised"),
        ("RM 31.00", "TOTAL: 31.00", "normalised"),
        (-12.5, "(12.50)", "normalised"),
        (-12.5, "12.50-", "normalised"),
        (0.06, "GST 6%", "normalised"),
        (31, "31", "exact"),
        ("2018-12-25", "25/12/2018 8:13 PM", "normalised"),
        ("2018-12-25", "Dec. 25th, 2018", "normalised"),
        ("2018-12-25", "25. Dezember 2018", "normalised"),
        ("2018-12-25", "25DEC18", "normalised"),
        ("25/12/2018", "25-12-18", "normalised"),
        ("2018-12-25T08:13:00Z", "25.12.2018", "normalised"),
        ("0012", "No. 0012", "exact"),
        ("✓", "paid ✓", "exact"),
    ],
)
def test_a_value_is_where_it_is_printed_however_it_is_written(value, printed, kind):
    field = match(value, "something else 7", printed)
    assert (field.match, field.page, len(field.boxes)) == (kind, 1, 1)
    assert field.boxes[0].y0 == 20
    assert field.source_text in printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ("15", "1.5"),
        ("1.5", "15"),
        (9.0, "19.00 900 0.9"),
        ("9.00", "1,009.00"),
        ("12", "0012"),
        ("1234", "91234"),
        ("NO 24", "NO. 2 & 4"),
        ("art", "party of arts"),
        ("2018-02-01", "2018-01-02"),
        ("02/01/2018", "01/02/2018"),
        ("2018-13-45", "13/45/2018"),
        (True, "True"),
        (None, "None null"),
        ("", "x"),
        ("ACME Ltd", "ACME GmbH"),
    ],
)
def test_what_is_not_printed_has_no_box(value, printed):
    field = match(value, printed)
    assert (field.match, field.page, field.boxes, field.source_text, field.confidence) == ("none", None, (), None, None)
    assert field.num_places == 0


def test_a_value_over_several_lines_has_a_box_for_each():
    field = match("67, Jalan Mewah, 40400 Shah Alam", "x", "NO 67,JALAN MEWAH,", "40400 SHAH", "ALAM. TEL 03")
    assert field.match == "normalised"
    assert [place.y0 for place in field.boxes] == [20, 40, 60]
    assert field.boxes[1].x1 == 100
    assert field.boxes[2].x1 < 60, "the telephone number is no part of it"


def test_a_value_over_two_pages_has_boxes_on_the_first():
    """A box belongs to one page, and an answer names one."""
    pages = [*lines("the long"), *lines("road home", page=2)]
    (field,) = Matcher(pages).match([Leaf(path=("a",), value="long road")])
    assert (field.page, len(field.boxes), field.source_text) == (1, 1, "long road")


def test_of_several_places_the_one_beside_the_name_of_the_field_is_taken():
    """The same amount is a price, a subtotal and a total."""
    texts = [
        ("9.00", (200, 0)),
        ("SUB TOTAL", (0, 20)),
        ("9.00", (200, 20)),
        ("TOTAL:", (0, 40)),
        ("9.00", (200, 40)),
        ("CASH", (0, 60)),
        ("9.00", (200, 60)),
    ]
    field = match(9.0, *texts, name="total")
    assert (field.num_places, field.boxes[0].y0) == (4, 40)
    assert match(9.0, *texts, name="paid", labels=("Cash",)).boxes[0].y0 == 60
    assert match(9.0, *texts, name="subTotal").boxes[0].y0 == 20


def test_a_label_may_stand_above_its_value():
    texts = [("Due date", (0, 0)), ("Date", (200, 0)), ("01.02.2024", (0, 12)), ("01.02.2024", (200, 12))]
    assert match("2024-02-01", *texts, name="date").boxes[0].x0 == 200


def test_values_of_one_member_of_a_list_are_taken_from_one_row():
    """Five times `1 piece`, and each is another line of the invoice."""
    texts = [
        (text, (x, 20 * row)) for row, name in enumerate(("bolt", "nut", "nail")) for x, text in ((0, name), (200, "1"))
    ]
    leaves = [
        Leaf(path=("items", at, field), value=value)
        for at, name in enumerate(("bolt", "nut", "nail"))
        for field, value in (("name", name), ("count", 1))
    ]
    fields = Matcher(lines(*texts)).match(leaves)
    assert [field.boxes[0].y0 for field in fields] == [0, 0, 20, 20, 40, 40]


def test_a_piece_of_a_date_is_taken_last():
    field = match(25, "25/12/2018", "Quantity 25")
    assert (field.num_places, field.boxes[0].y0) == (2, 20)


def test_confidence_is_that_of_the_words_that_were_read():
    """A doubtful word elsewhere in the line says nothing of this one."""
    line = PrintedLine(page=1, text="total due 31.00", box=box(0, 0), confidence=0.5, word_confidences=(0.2, 0.9, 0.7))
    (field,) = Matcher([line]).match([Leaf(path=("a",), value=31)])
    assert field.confidence == 0.7
    assert match("x", "x").confidence == 1.0


def test_lines_of_a_page_are_those_of_its_regions_and_the_cells_of_its_tables():
    spans = (Span(text="Total 5", box=box(0, 0), source="ocr", confidence=0.8),)
    table = Table(
        num_rows=1,
        num_columns=2,
        num_header_rows=0,
        cells=(
            TableCell(row=0, column=0, text="a", box=box(0, 50)),
            TableCell(row=0, column=1, text=" ", box=box(100, 50)),
        ),
    )
    page = Page(
        number=3,
        size=(500, 500),
        regions=(
            region_of("abandon", box=box(0, 0), score=1, spans=spans, text="Total 5"),
            region_of("table", box=box(0, 50), score=1, table=table, text="a"),
            region_of("plain text", box=box(0, 90), score=1, text="no spans"),
        ),
    )
    assert [(line.page, line.text, line.confidence) for line in printed_lines([page])] == [
        (3, "Total 5", 0.8),
        (3, "a", None),
        (3, "no spans", None),
    ]


def test_a_page_of_digits_does_not_take_long():
    """Each of many values stands in thousands of places."""
    many = Matcher(lines(*["1 2 3 4 5 6 7 8 9"] * 2000))
    began = time.process_time()
    fields = many.match([Leaf(path=("rows", at), value=at % 9 + 1) for at in range(300)])
    assert time.process_time() - began < 10
    assert all(field.num_places == 200 for field in fields)


def test_a_value_of_a_file_without_printed_pages_has_no_box():
    """Guards against a box of nothing at a page's corner: where it stands in the file is not known yet."""
    (field,) = Matcher([PrintedLine(page=1, text="Total 12.50", box=NO_BOX)]).match([Leaf(path=("total",), value=12.5)])
    assert (field.match, field.page, field.boxes) == ("normalised", 1, ())


def test_a_value_of_a_file_without_printed_pages_has_its_place_there():
    """Guards against values of Office files that are found and that nobody can open."""
    cells = tuple(
        TableCell(row=row, column=column, text=text, box=NO_BOX)
        for row, texts in enumerate((("Lamp", "2", "31.00"), ("Rope", "2", "9.50")))
        for column, text in enumerate(texts)
    )
    table = Table(num_rows=2, num_columns=3, num_header_rows=0, cells=cells)
    place = SheetPlace(sheet="Costs", range="B3:D4")
    region = region_of("table", box=NO_BOX, score=1, table=table, text="a", place=place)
    element = ElementPlace(path="/html/body/p[2]", start=0, end=17)
    words = region_of("plain text", box=NO_BOX, score=1, text="paid by Harbour Co", place=element)
    page = Page(number=1, size=(0, 0), form="sheet", regions=(region, words))
    leaves = [
        Leaf(path=("items", 1, "name"), value="Rope"),
        Leaf(path=("items", 1, "count"), value=2),
        Leaf(path=("payer",), value="Harbour Co"),
    ]
    rope, count, payer = Matcher(printed_lines([page])).match(leaves)
    assert rope.places == (SheetPlace(sheet="Costs", range="B4"),)
    assert count.places == (SheetPlace(sheet="Costs", range="C4"),)  # of its own row, not of the lamp's
    assert payer.places[0].start == 8
    assert (rope.boxes, rope.match) == ((), "exact")
