"""`documents.straighten.printed_rules`: tables of pages that are pictures."""

import numpy as np
from PIL import Image, ImageDraw

from documents.straighten.printed_rules import printed_rules


def ruled(width=2, merged=False) -> np.ndarray:
    """144 dpi: three rows by two columns, ruled all around; `merged` leaves out a rule of the first row."""
    picture = Image.new("L", (800, 600), 240)
    pen = ImageDraw.Draw(picture)
    for y in (100, 150, 200, 250):
        pen.line((100, y, 700, y), 40, width)
    for x in (100, 400, 700):
        pen.line((x, 150 if merged and x == 400 else 100, x, 250), 40, width)
    pen.text((120, 115), "Boat Left Crew Catch", 0, font_size=20)
    return np.asarray(picture)


def test_cells_are_what_rules_enclose() -> None:
    """Guards against scanned tables that come out as lines of text."""
    rules, (grid,) = printed_rules(ruled(), 2.0)
    assert len(grid.cells) == 6
    frame = [rule for rule in rules if rule.level and rule.box.width > 250]
    assert len(frame) == 4
    assert abs(grid.box.x0 - 50) < 3
    assert abs(grid.box.y1 - 125) < 3


def test_a_merged_cell_is_one() -> None:
    """Guards against cells cut where no rule is drawn."""
    _, (grid,) = printed_rules(ruled(merged=True), 2.0)
    assert len(grid.cells) == 5


def test_noise_and_thick_bars_are_no_rules() -> None:
    """Guards against grids found in dirt or in shaded headings."""
    noisy = np.random.default_rng(0).integers(215, 256, (600, 800)).astype(np.uint8)
    noisy[100:140, 100:700] = 20
    assert printed_rules(noisy, 2.0) == ((), ())


def test_a_short_stroke_at_the_right_edge_takes_nothing_from_a_rule_at_the_left_edge() -> None:
    """Guards against a row's end that is joined to the next row's start, whose rule is then searched a row too high."""
    picture = np.full((300, 400), 240, np.uint8)
    picture[100, :200] = 20
    alone, grids = printed_rules(picture, 2.0)
    assert grids == ()
    assert [round(rule.box.width) for rule in alone] == [100]
    picture[99, 370:] = 20
    assert printed_rules(picture, 2.0) == (alone, ())
