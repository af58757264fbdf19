"""Which lines of a page may touch: looked up in squares of the page, so that many lines are not compared with all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from documents.inspection import TextLine
from documents.values import BoundingBox

SIDE = 12.0  # points of a square
FAR = 200.0  # points from a mark in the margin to its line
MARK = 3  # letters of a mark in the margin, at most
MOST = 400  # squares that one line is looked for in: a page has about a thousand


class Neighbours:
    """All lines stay where they are; two are neighbours if their boxes, each widened by its type, share a square."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self._squares: defaultdict[tuple[int, int], list[TextLine]] = defaultdict(list)
        self._places: dict[int, list[tuple[int, int]]] = {}
        for line in lines:
            places = self._places[id(line)] = list(_squares(_reach(line)))
            for place in places:
                self._squares[place].append(line)

    def of(self, line: TextLine) -> list[TextLine]:
        """The lines near one that was given at the start, itself left out, each once."""
        found = {id(other): other for place in self._places[id(line)] for other in self._squares[place]}
        found.pop(id(line), None)
        return list(found.values())


def _reach(line: TextLine) -> BoundingBox:
    box, room = line.box, line.font_size
    right = FAR if len(line.text) <= MARK and not any(map(str.isalpha, line.text)) else room
    return BoundingBox(x0=box.x0 - room, y0=box.y0 - room, x1=box.x1 + right, y1=box.y1 + room)


def _squares(box: BoundingBox) -> Iterator[tuple[int, int]]:
    x0, y0, x1, y1 = (int(edge // SIDE) for edge in (box.x0, box.y0, box.x1, box.y1))
    columns, rows = range(x0, min(x1, x0 + MOST) + 1), range(y0, min(y1, y0 + MOST) + 1)
    return ((x, y) for y in rows for x in columns)
