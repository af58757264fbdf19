"""What is printed and drawn where a table may be, turned upright once: all that its cells are read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from unicodedata import east_asian_width

from documents.boxes import BoundingBox
from documents.inspection import Inspection, Ruling, TextLine
from documents.rotated_boxes import unrotate, usual_angle
from documents.tables.cells import PlacedWord, SidewaysName, placed_words
from documents.tables.settings import DEFAULT_SETTINGS, TableSettings
from documents.text.text_direction import runs_backwards


@dataclass(frozen=True, slots=True)
class TableArea:
    """Words of one turn and what stands beside them; `grids` are the cells of each grid around most words.

    It `is_mirrored` where its columns count from the right.
    """

    words: Sequence[PlacedWord]
    rules: Sequence[Ruling]
    grids: Sequence[Sequence[BoundingBox]]
    names: Sequence[SidewaysName] = ()
    is_mirrored: bool = False
    is_vertical: bool = False  # Chinese or Japanese down the page

    @classmethod
    def of(
        cls,
        inspection: Inspection,
        box: BoundingBox,
        lines: Sequence[TextLine],
        settings: TableSettings = DEFAULT_SETTINGS,
    ) -> Self:
        """What stands in `box`, which holds `lines`; grids from the smallest, names from the left."""
        angle = usual_angle(lines)
        words = placed_words(lines, angle)
        text = "".join(one.word.text for one in words)
        near = box.widened(settings.rule_reach, settings.rule_reach)
        frames = [(unrotate(grid.box, angle), grid) for grid in inspection.grids]
        held = [
            (frame, grid)
            for frame, grid in frames
            if sum(frame.contains(*one.box.center) for one in words) >= settings.in_grid * len(words)
        ]
        names = [
            SidewaysName(
                unrotate(line.box, angle), [PlacedWord(word, unrotate(word.box, line.angle)) for word in line.words]
            )
            for line in lines
            if line.words and (line.angle - angle) % 180 == 90
        ]
        return cls(
            words=words,
            rules=[Ruling(box=unrotate(r.box, angle)) for r in inspection.rules if near.contains(*r.box.center)],
            grids=[[unrotate(c, angle) for c in grid.cells] for _, grid in sorted(held, key=lambda pair: pair[0].area)],
            names=sorted(names, key=lambda name: (name.box.x0, name.box.y0)),
            is_mirrored=runs_backwards(text),
            is_vertical=angle != 0 and 2 * sum(east_asian_width(character) in "WF" for character in text) > len(text),
        )
