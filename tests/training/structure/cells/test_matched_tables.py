from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from documents.boxes import BoundingBox
from documents.inspection import Word
from documents.tables.cells import PlacedWord
from training.structure.cells.matched_tables import placed_cells, words_of_cells


class _Entry(NamedTuple):
    text: str
    cols: int = 1
    rows: int = 1


def _words(rows: Sequence[Sequence[tuple[float, str]]]) -> list[PlacedWord]:
    words: list[PlacedWord] = []
    for number, row in enumerate(rows):
        for x, text in row:
            box = BoundingBox(x0=x, y0=12.0 * number, x1=x + 5 * len(text), y1=12.0 * number + 10)
            words.append(PlacedWord(Word(text=text, box=box, font_size=10), box))
    return words


def _places(table: Sequence[Sequence[_Entry]], words: Sequence[PlacedWord]) -> dict[str, list[tuple[int, int]]] | None:
    cells = words_of_cells(placed_cells(table), words)
    if cells is None:
        return None
    places: dict[str, list[tuple[int, int]]] = {}
    for index, cell in sorted(cells.items()):
        places.setdefault(words[index].word.text, []).append((cell.row, cell.column))
    return places


def test_a_text_that_stands_in_several_places_is_told_by_the_cells_around_it() -> None:
    table = [
        [_Entry("Year"), _Entry("A"), _Entry("B")],
        [_Entry("2001"), _Entry("5"), _Entry("5")],
        [_Entry("2002"), _Entry("7"), _Entry("5")],
    ]
    words = _words(
        [
            [(0, "Year"), (60, "A"), (120, "B")],
            [(0, "2001"), (60, "5"), (120, "5")],
            [(0, "2002"), (60, "7"), (120, "5")],
        ]
    )
    places = _places(table, words)
    assert places is not None
    assert places["5"] == [(1, 1), (1, 2), (2, 2)]


def test_a_text_over_two_lines_is_one_cell() -> None:
    table = [[_Entry("a long"), _Entry("1")], [_Entry("short name"), _Entry("2")], [_Entry("end"), _Entry("3")]]
    words = _words(
        [[(0, "a"), (12, "long"), (90, "1")], [(0, "short"), (90, "2")], [(0, "name")], [(0, "end"), (90, "3")]]
    )
    places = _places(table, words)
    assert places is not None
    assert places["name"] == [(1, 0)]


def test_a_table_whose_texts_are_not_on_the_page_is_left_out() -> None:
    table = [[_Entry("one"), _Entry("two")], [_Entry("three"), _Entry("four")]]
    assert _places(table, _words([[(0, "one"), (60, "two")], [(0, "three"), (60, "fifth")]])) is None
