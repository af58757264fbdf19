"""How tables look: where rules, grounds and gaps are. A gap between columns may be narrower than one between words."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.drawings.web.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """CSS of rules; `{c}` is their colour and `{w}` their width. What is not named has none."""

    weight: float
    frame: str = ""  # of the table
    head: str = ""  # of every head
    lowest_head: str = ""  # of the heads that stand lowest
    cell: str = ""  # of every other cell
    between_columns: str = ""  # of every cell that is not the last of its row
    group: str = ""
    total: str = ""
    stub: str = ""
    stripes: tuple[float, float] = (0, 0)  # probabilities of striped rows and of a ground under the heads


RULES = (
    Rules(
        weight=22,
        frame="border-top:1pt solid {c};border-bottom:1pt solid {c};",
        lowest_head="border-bottom:.6pt solid {c};",
        group="border-top:.5pt solid {c};",
        stripes=(0.08, 0.08),
    ),
    Rules(weight=14, head="border:{w} solid {c};", cell="border:{w} solid {c};", stripes=(0.1, 0.4)),
    Rules(weight=20, stripes=(0.1, 0.1)),
    Rules(weight=8, lowest_head="border-bottom:{w} solid {c};"),
    Rules(
        weight=9,
        frame="border-top:{w} solid {c};",
        lowest_head="border-bottom:{w} solid {c};",
        cell="border-bottom:{w} solid {c};",
        stripes=(0, 0.3),
    ),
    Rules(weight=5, between_columns="border-inline-end:{w} solid {c};", frame="border-bottom:{w} solid {c};"),
    Rules(
        weight=5,
        between_columns="border-inline-end:{w} solid {c};",
        lowest_head="border-bottom:{w} solid {c};",
        frame="border-top:{w} solid {c};border-bottom:{w} solid {c};",
    ),
    Rules(weight=5, frame="border:{w} solid {c};", stripes=(0.2, 0.4)),
    Rules(weight=4, frame="border:{w} solid {c};", lowest_head="border-bottom:{w} solid {c};", stripes=(0.1, 0.2)),
    Rules(weight=7, stripes=(1, 0.5)),
    Rules(weight=6, stripes=(0, 1)),
    Rules(weight=5, group="border-top:{w} solid {c};", total="border-top:{w} solid {c};", stripes=(0, 0.1)),
    Rules(weight=4, stub="border-inline-end:{w} solid {c};", lowest_head="border-bottom:{w} solid {c};"),
    Rules(weight=3, cell="border-bottom:{w} dotted {c};", lowest_head="border-bottom:{w} solid {c};"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GridLook:
    """What all cells of one table have."""

    rules: Rules
    padding: str  # CSS
    colour: str
    width: str
    head_ground: int | None
    stripe: int | None
    is_stripe_wide: bool  # two rows
    stub_valign: str
    valign: str
    side_valign: str
    leading: float
    size: float  # points
    is_full: bool  # as wide as its room
    css: str
    stub_ink: int | None

    def rule(self, css: str) -> str:
        return css.format(c=self.colour, w=self.width)


def random_grid_look(sheet: Sheet, *, is_large: bool) -> GridLook:
    rng = sheet.rng
    rules = rng.choices(RULES, [rules.weight for rules in RULES])[0]
    gap = rng.choice([0.3, 0.3, 0.35, 0.45, 0.6, 0.8, 1.0, 1.5])  # em, at each side of a column
    height = rng.choice([0, 0, 0.5, 1, 1.5, 2, 3, 5] if not is_large else [0, 0, 0.5, 1])
    words_apart = rng.choice([0, 0, 0, 0, 0.1, 0.25, 0.4, 0.5])
    justified = "text-align:justify;" if sheet.chance(0.12) else ""
    valign = rng.choice(["top", "top", "middle", "bottom"])
    stripes, grounds = rules.stripes
    return GridLook(
        rules=rules,
        padding=f"padding:{height}pt {gap}em;",
        colour=rng.choice(["#000", "#000", "#777", "#bbb", f"#{sheet.look.accent:06x}"]),
        width=rng.choice([".3pt", ".5pt", ".5pt", ".75pt", "1pt"]),
        head_ground=rng.choice([sheet.look.accent, sheet.look.tint, sheet.look.dark, 0xDDDDDD, 0xEEEEEE])
        if sheet.chance(grounds)
        else None,
        stripe=rng.choice([sheet.look.tint, 0xEEEEEE, 0xE4ECF4]) if sheet.chance(stripes) else None,
        is_stripe_wide=sheet.chance(0.15),
        stub_valign=valign if sheet.chance(0.6) else rng.choice(["top", "middle", "bottom"]),
        valign=valign,
        side_valign=rng.choice(["top", "top", "middle", "middle", "bottom"]),
        leading=rng.choice([1.05, 1.15, 1.2, 1.3, 1.5]) if not is_large else rng.choice([1, 1.1, 1.2]),
        size=rng.choice([5, 5.5, 6, 6.5, 7] if is_large else [6.5, 7, 7.5, 8, 8, 8.5, 9, 9, 9.5, 10, 11]),
        is_full=sheet.chance(0.55),
        css=f"word-spacing:{words_apart}em;{justified}",
        stub_ink=rng.choice([None, None, None, 0x505050, sheet.look.accent]),
    )
