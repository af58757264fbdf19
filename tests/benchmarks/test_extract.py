"""The rules by which receipts are judged: the people's text and boxes, and nothing of the matcher."""

import json

from benchmarks.extract import figures, is_right
from benchmarks.truths.receipts import receipt, true_lines
from documents.boxes import BoundingBox
from documents.matching.matcher import Match

ROWS = (
    "0,0,100,0,100,10,0,10,ACME SDN,BHD",
    "0,20,100,20,100,30,0,30,25 DEC 18",
    "0,40,100,40,100,50,0,50,TOTAL",
    "200,40,240,40,240,50,200,50,RM 1,009.00",
)
FIELDS = {"company": "ACME SDN. BHD", "date": "25/12/2018", "address": "NOWHERE 5", "total": "1009.00"}


def write(folder, number, rows=ROWS, fields=None):
    for name in ("box", "key"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "box" / f"{number}.csv").write_text("\n".join(rows))
    (folder / "key" / f"{number}.json").write_text(json.dumps(fields or FIELDS))


def test_a_value_stands_where_people_wrote_it_in_any_form(tmp_path):
    write(tmp_path, "000")
    lines, fields = receipt(tmp_path, "000")
    assert {field: true_lines(field, value, lines) for field, value in fields.items()} == {
        "company": [{0}],
        "date": [{1}],
        "address": [],
        "total": [{3}],
    }


def test_a_box_elsewhere_is_wrong_and_so_is_one_too_many(tmp_path):
    write(tmp_path, "000")
    lines, _ = receipt(tmp_path, "000")
    right = BoundingBox(x0=210, y0=40, x1=240, y1=50)
    other = BoundingBox(x0=0, y0=0, x1=9, y1=9)
    assert is_right(Match(boxes=(right,)), [{3}], lines)
    assert not is_right(Match(boxes=(other,)), [{3}], lines)
    assert not is_right(Match(boxes=(right, other)), [{3}], lines)
    assert not is_right(Match(), [{3}], lines)


def test_values_of_other_receipts_must_have_no_box(tmp_path):
    write(tmp_path, "000")
    write(
        tmp_path,
        "001",
        ("0,0,9,0,9,9,0,9,OTHER LTD",),
        {"company": "OTHER LTD", "date": "", "address": "", "total": ""},
    )
    result = figures(tmp_path, ["000", "001"])
    assert (result["right"], result["strangers"], result.get("strangers_with_boxes", 0)) == (1.0, 5, 0)
