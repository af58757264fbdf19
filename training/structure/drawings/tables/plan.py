"""What is chosen once for one table of a recipe: its columns, how rows are named, grouped and summed."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.drawings.tables.contents import ROOM_EM, TEXTS, Column, Kind, some_column
from training.structure.drawings.tables.recipes import Group, Recipe
from training.structure.drawings.web.sheet import Sheet

NAME_EM = 9.0  # of a name of a row that may be as wide as it is
BOLD = "font-weight:700;"
TURNED = "writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;"
THIN = "border-top:.5pt solid;"
DOUBLE = "border-top:.5pt solid;border-bottom:2.2pt double;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What has been chosen for one table."""

    recipe: Recipe
    columns: tuple[Column, ...]
    name: str  # kind of the names of rows
    group: Group
    stub_em: float
    indent: float  # em, of the rows of a group
    hanging: float  # em, of the later lines of a name
    dots: str
    lead_everywhere: bool
    group_css: str
    total_css: str
    total_rule: str
    head_css: str
    name_css: str
    head_turn: str  # CSS of the lowest heads

    @property
    def num_stubs(self) -> int:
        return 2 if self.group == "side" else 1

    @property
    def num_columns(self) -> int:
        return (self.num_stubs + len(self.columns)) * self.recipe.repeats


def some_plan(sheet: Sheet, recipe: Recipe, room_em: float) -> Plan:
    rng = sheet.rng
    room_em /= recipe.repeats
    stub_em = min(rng.choice(recipe.stub_em), 0.55 * room_em)
    group = rng.choice(recipe.groups)
    room = room_em - (stub_em or NAME_EM) * (1.6 if group == "side" else 1)
    only = rng.choice(recipe.kinds) if sheet.chance(recipe.same_kind) else None
    kinds: list[Kind] = []
    for _ in range(rng.randint(*recipe.columns)):
        kind = only or rng.choice(recipe.kinds)
        room -= ROOM_EM[kind]
        if room < 0 and kinds:
            break
        kinds.append(kind)
    blanks = rng.choice(recipe.blanks)
    columns = [some_column(sheet, kind, 0 if kind in TEXTS and sheet.chance(0.7) else blanks) for kind in kinds]
    if only:
        columns = [columns[0]] * len(columns)
    return Plan(
        recipe=recipe,
        columns=tuple(columns),
        name=rng.choice(recipe.names),
        group=group,
        stub_em=stub_em,
        indent=rng.choice([0, 0.8, 1, 1.5, 2]),
        hanging=rng.choice([0, 0, 0.7, 1, 1.5, 2]),
        dots=rng.choice([".", ". ", " . ", "…", "·"]) if sheet.chance(recipe.dots) and not sheet.words.rtl else "",
        lead_everywhere=not sheet.chance(recipe.leads),
        group_css=rng.choice([BOLD, BOLD, "font-style:italic;", "", "text-transform:uppercase;", "text-align:center;"]),
        total_css=rng.choice([BOLD, BOLD, ""]),
        total_rule=rng.choice([THIN, THIN, ""]),
        head_css=rng.choice([BOLD, BOLD, "", "font-style:italic;"]),
        name_css=rng.choice(["", "", "", BOLD]),
        head_turn=TURNED if sheet.chance(recipe.is_upright) else "",
    )
