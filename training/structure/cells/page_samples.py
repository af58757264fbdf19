"""Makes samples of an inspected page whose words have known cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from documents.boxes import BoundingBox
from documents.inspection import Inspection, Ruling
from documents.rotated_boxes import unrotate
from documents.tables.cells import PlacedWord
from documents.tables.judged.region_words import region_words
from documents.text.text_direction import runs_backwards
from training.structure.cells.samples import OUTSIDE, UNKNOWN, TableSample, is_sound

BESIDE = 45.0  # points above and below a table, within which words are kept as such that are not of it
ASIDE = 4.0  # points at its left and right
RULE_MARGIN = 6.0
MAX_WORDS = 1200
MAX_WORDS_PER_CELL = 60.0  # in the mean: more, and it is a page set in a frame


@dataclass(frozen=True, slots=True)
class TrueCell:
    """The place of a word's cell, its columns counted from the side at which a line begins; header None: unknown."""

    row: int
    column: int
    num_rows: int = 1
    num_columns: int = 1
    is_header: bool | None = None


def sample_of(
    inspection: Inspection,
    words: Sequence[PlacedWord],
    angle: int,
    cells: Mapping[int, TrueCell],
    taken: frozenset[int],
) -> TableSample | None:
    """One table of a page: `cells` by the index of a word; `taken` are words of other tables. None if it is unsound."""
    if not cells:
        return None
    box = BoundingBox.around([words[index].box for index in cells])
    near = BoundingBox(x0=box.x0 - ASIDE, y0=box.y0 - BESIDE, x1=box.x1 + ASIDE, y1=box.y1 + BESIDE)
    index = [k for k, one in enumerate(words) if k in cells or (k not in taken and near.contains(*one.box.center))]
    within = [k for k in index if k not in cells and box.contains(*words[k].box.center)]
    num_cells = len({(cell.row, cell.column) for cell in cells.values()})
    if len(index) > MAX_WORDS or len(within) > 0.03 * len(cells) or len(cells) > MAX_WORDS_PER_CELL * num_cells:
        return None
    index = [k for k in index if k not in within]
    own = [words[k] for k in index]
    wide = BoundingBox(
        x0=near.x0 - RULE_MARGIN, y0=near.y0 - RULE_MARGIN, x1=near.x1 + RULE_MARGIN, y1=near.y1 + RULE_MARGIN
    )
    turned = (Ruling(box=unrotate(rule.box, angle)) for rule in inspection.rules)
    rules = [rule for rule in turned if wide.contains(*rule.box.center)]
    mirrored = runs_backwards("".join(words[k].word.text for k in cells))
    truth = [cells.get(k) for k in index]
    sample = TableSample(
        words=region_words(own, rules, mirrored=mirrored),
        row=np.array([OUTSIDE if one is None else one.row for one in truth], np.int16),
        column=np.array([OUTSIDE if one is None else one.column for one in truth], np.int16),
        num_rows=np.array([1 if one is None else one.num_rows for one in truth], np.int16),
        num_columns=np.array([1 if one is None else one.num_columns for one in truth], np.int16),
        header=np.array([UNKNOWN if one is None or one.is_header is None else one.is_header for one in truth], np.int8),
    )
    return sample if is_sound(sample) else None
