"""`benchmarks.consumers`: a client that names a wrong page or highlights another place is not counted as right."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.consumers import NotHere, judged, loader_units, overlap
from benchmarks.loads.marked_pages import Mark
from benchmarks.peers.consumers.units import blob, box_of

FIRST = Mark(file="a.pdf", page=2, text="Banide conlo ferun.", box=(10, 10, 110, 30), frame=None)
SECOND = Mark(file="a.pdf", page=2, text="Grahi juska lomen.", box=(10, 40, 110, 60), frame=None)
TABLE = Mark(file="a.pdf", page=3, text="oran pretor quaxe", box=(20, 20, 80, 40), frame=(10, 10, 110, 50))
MARKS = (FIRST, SECOND, TABLE)


def unit(text: str, page: int, *boxes: list[float]) -> dict[str, Any]:
    return {"text": text, "pages": [page], "boxes": list(boxes), "link": ""}


def test_all_units_with_the_words_must_name_their_page() -> None:
    """A second copy under a wrong page is what a person would be led to."""
    right, wrong = unit("BANIDE conlo ferun", 2), unit("banide conlo", 3)
    assert judged(FIRST, [right], MARKS).right_page
    assert not judged(FIRST, [wrong], MARKS).right_page
    assert not judged(FIRST, [right, wrong], MARKS).right_page
    assert not judged(FIRST, [unit("lomen", 2)], MARKS).arrived


def test_a_highlight_is_compared_with_all_paragraphs_that_its_unit_holds() -> None:
    one = unit(FIRST.text, 2, [2, 10, 10, 110, 30])
    both = unit(f"{FIRST.text} {SECOND.text}", 2, [2, 10, 10, 110, 30], [2, 10, 40, 110, 60])
    assert judged(FIRST, [one], MARKS).overlap == 1
    assert judged(FIRST, [both], MARKS).overlap == 1
    assert judged(FIRST, [unit(FIRST.text, 2, *both["boxes"])], MARKS).overlap == pytest.approx(0.4)
    assert judged(FIRST, [unit(FIRST.text, 2, [3, 10, 10, 110, 30])], MARKS).overlap == 0


def test_a_table_may_be_highlighted_by_its_words_or_its_rules() -> None:
    for box in (TABLE.box, TABLE.frame):
        assert box is not None
        assert judged(TABLE, [unit(TABLE.text, 3, [3, *box])], MARKS).overlap == 1


def test_overlap_is_the_shared_area_over_that_of_both() -> None:
    assert overlap((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert overlap((0, 0, 10, 10), (20, 0, 30, 10)) == 0


def test_boxes_of_docling_are_counted_from_the_top() -> None:
    """docling-core writes either, and says which."""
    box = {"l": 1, "t": 90, "r": 5, "b": 80, "coord_origin": "BOTTOMLEFT"}
    assert box_of({"page_no": 2, "bbox": box}, {2: 100}) == [2, 1, 10, 5, 20]
    box = {"l": 1, "t": 10, "r": 5, "b": 20, "coord_origin": "TOPLEFT"}
    assert box_of({"page_no": 2, "bbox": box}, {2: 100}) == [2, 1, 10, 5, 20]


def test_a_client_that_is_not_there_is_left_out_with_its_reason(tmp_path: Path) -> None:
    nothing = Namespace(open_webui=None, ragflow=None, python=None)
    with pytest.raises(NotHere, match="--open-webui"):
        loader_units("open_webui_docling", "http://127.0.0.1:1", [tmp_path], nothing)
    with pytest.raises(NotHere, match="--python"):
        loader_units("haystack", "http://127.0.0.1:1", [tmp_path], nothing)


def test_a_source_is_named_as_git_names_it(tmp_path: Path) -> None:
    """`git hash-object` gives this for the same bytes."""
    (tmp_path / "a.py").write_bytes(b"hello\n")
    assert blob(tmp_path / "a.py") == "ce013625030ba8dba906f756967f9e9ca394464a"
