"""Names above several columns span these, also where no rule below them says so."""

from __future__ import annotations

from page_making import box, printed, printed_table
from work import steps_of

from documents.inspection import Ruling
from documents.tables.aligned import cut_by_alignment
from documents.tables.cells import placed_words
from documents.tables.group_names import MAX_TABLE_COLUMNS, with_group_names
from documents.tables.table_columns import segment_of
from documents.tables.table_lines import TableLine

BODY = [["Hull", "60", "61", "40", "41"], ["Brest", "50", "51", "30", "31"], ["Bergen", "55", "56", "35", "36"]]
NAMES = ["Port", "Land", "Sea", "Land", "Sea"]


def spans_of(lines, rules=()):
    cut = cut_by_alignment(placed_words(lines, 0), list(rules))
    assert cut is not None
    assert cut.num_columns == 5
    return {
        " ".join(one.word.text for one in slot.words): (slot.column, slot.num_columns)
        for slot in cut.slots
        if slot.row == 0
    }


def below(*groups):
    """A table with names of groups above the third line, each with where it begins."""
    table = printed_table([["", "", "", "", ""], NAMES, *BODY], pitch=20)
    return [*table, *(printed(text, x, 100) for x, text in groups)]


def test_groups_span_the_columns_whose_names_repeat_below_them():
    """Guards against a name of a group that stays on the column that it happens to stand over."""
    spans = spans_of(below((162, "Nets"), (362, "Lines")))
    assert spans["Nets"] == (1, 2)
    assert spans["Lines"] == (3, 2)


def test_the_pieces_of_a_rule_between_two_upright_ones_are_below_one_group():
    """Guards against a border that each cell draws for itself, of which a name sees that of one column."""
    lines = below((162, "Nets"), (362, "Lines"))
    level = [Ruling(box=box(x, 113, x + 100, 113.4)) for x in (150, 250, 350, 450)]
    upright = [Ruling(box=box(x, 98, x + 0.4, 113)) for x in (150, 350, 550)]
    spans = spans_of(lines, [*level, *upright])
    assert (spans["Nets"], spans["Lines"]) == ((1, 2), (3, 2))


def test_names_of_groups_are_compared_in_few_columns_alone():
    """Guards against a header of some hundred columns, all of whose groups are compared with all others."""

    def header(num):
        names = [(k, k, segment("BA"[k % 2] if k < num - 1 else "C", 20 * k)) for k in range(num)]
        groups = [(k, k, segment("G", 20 * k)) for k in range(1, num, 2)]
        return [TableLine(groups, 0, 10, ruled=False), TableLine(names, 12, 22, ruled=False)]

    def segment(text, x):
        (word,) = placed_words([printed(text, x, 0)], 0)
        return segment_of([word])

    few, many, too_many = (header(num) for num in (15, MAX_TABLE_COLUMNS, 10 * MAX_TABLE_COLUMNS))
    assert steps_of(lambda: with_group_names(many)) < 5 * steps_of(lambda: with_group_names(few))
    assert steps_of(lambda: with_group_names(too_many)) < steps_of(lambda: with_group_names(many))
