"""What is chosen once for one table of a recipe: its columns, how rows are named, grouped and summed."""

from __future__ import annotations

from dataclasses import dataclass

from training.structure.drawings.tables.cell_contents import MIN_WIDTH_EM, TEXT_KINDS, Column, Kind, random_column
from training.structure.drawings.tables.recipes import Group, Recipe
from training.structure.drawings.web.sheet import Sheet

UNBROKEN_NAME_EM = 9.0  # assumed width of names of rows that do not break
BOLD = "font-weight:700;"
VERTICAL = "writing-mode:vertical-rl;transform:rotate(180deg);white-space:nowrap;"
THIN_RULE = "border-top:.5pt solid;"
DOUBLE_RULE = "border-top:.5pt solid;border-bottom:2.2pt double;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What has been chosen for one table."""

    recipe: Recipe
    columns: tuple[Column, ...]
    name_kind: str
    group: Group
    stub_em: float
    indent_em: float  # of the rows of a group
    hanging_em: float  # of the later lines of a name
    leader: str  # what is repeated from a name to its numbers
    prefix_everywhere: bool
    group_css: str
    total_css: str
    total_rule: str
    head_css: str
    name_css: str
    lowest_head_css: str

    @property
    def num_stubs(self) -> int:
        return 2 if self.group == "side" else 1

    @property
    def num_columns(self) -> int:
        return (self.num_stubs + len(self.columns)) * self.recipe.repeats


def random_plan(sheet: Sheet, recipe: Recipe, room_em: float) -> Plan:
    rng = sheet.rng
    room_em /= recipe.repeats
    stub_em = min(rng.choice(recipe.stub_em), 0.55 * room_em)
    group = rng.choice(recipe.groups)
    room = room_em - (stub_em or UNBROKEN_NAME_EM) * (1.6 if group == "side" else 1)
    only = rng.choice(recipe.kinds) if sheet.chance(recipe.same_kind) else None
    kinds: list[Kind] = []
    for _ in range(rng.randint(*recipe.columns)):
        kind = only or rng.choice(recipe.kinds)
        room -= MIN_WIDTH_EM[kind]
        if room < 0 and kinds:
            break
        kinds.append(kind)
    empty_share = rng.choice(recipe.empty_shares)
    columns = [
        random_column(sheet, kind, 0 if kind in TEXT_KINDS and sheet.chance(0.7) else empty_share) for kind in kinds
    ]
    if only:
        columns = [columns[0]] * len(columns)
    return Plan(
        recipe=recipe,
        columns=tuple(columns),
        name_kind=rng.choice(recipe.name_kinds),
        group=group,
        stub_em=stub_em,
        indent_em=rng.choice([0, 0.8, 1, 1.5, 2]),
        hanging_em=rng.choice([0, 0, 0.7, 1, 1.5, 2]),
        leader=rng.choice([".", ". ", " . ", "…", "·"]) if sheet.chance(recipe.leaders) and not sheet.words.rtl else "",
        prefix_everywhere=not sheet.chance(recipe.prefix_once),
        group_css=rng.choice([BOLD, BOLD, "font-style:italic;", "", "text-transform:uppercase;", "text-align:center;"]),
        total_css=rng.choice([BOLD, BOLD, ""]),
        total_rule=rng.choice([THIN_RULE, THIN_RULE, ""]),
        head_css=rng.choice([BOLD, BOLD, "", "font-style:italic;"]),
        name_css=rng.choice(["", "", "", BOLD]),
        lowest_head_css=VERTICAL if sheet.chance(recipe.vertical_heads) else "",
    )
