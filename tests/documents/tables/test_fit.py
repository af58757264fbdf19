"""One measure says which proposal a person would have made."""

from __future__ import annotations

from page_making import printed

from documents.tables.cells import Cut, Slot, baselines, placed_words
from documents.tables.fit import fit, is_shaded_text, shares

ROWS = [["Port", "2009", "2010"], ["Hull", "60", "61"], ["Bergen", "50", "51"], ["Brest", "40", "41"]]


def words_at(row, column):
    return placed_words([printed(ROWS[row][column], 60 + 100 * column, 100 + 12 * row)], 0)


def parted():
    return Cut(4, 3, [Slot(row, column, 1, 1, words_at(row, column)) for row in range(4) for column in range(3)], 1)


def shares_of(cut):
    filled = [slot for slot in cut.slots if slot.words]
    return shares(filled, [baselines(slot.words) for slot in filled])


def test_every_value_in_a_cell_of_its_own_fits_wholly():
    assert fit(parted()) == 1.0


def test_rows_in_one_cell_fit_less():
    body = [Slot(1, c, 1, 1, [word for row in (1, 2, 3) for word in words_at(row, c)]) for c in range(3)]
    merged = Cut(2, 3, [slot for slot in parted().slots if slot.row == 0] + body, 1)
    assert shares_of(merged).one_value < 1.0
    assert fit(merged) < fit(parted())


def test_columns_in_one_cell_fit_less():
    body = [Slot(row, 0, 1, 3, [word for c in range(3) for word in words_at(row, c)]) for row in (1, 2, 3)]
    merged = Cut(4, 3, [slot for slot in parted().slots if slot.row == 0] + body, 1)
    assert shares_of(merged).unbroken < 1.0
    assert fit(merged) < fit(parted())


def test_lines_of_a_cell_as_rows_fit_less():
    """Guards against drawn boxes behind single lines of a header, each of which became a row."""
    line = Slot(1, 1, 1, 1, placed_words([printed("per year", 160, 106)], 0))
    lower = [Slot(slot.row + (slot.row > 0), slot.column, 1, 1, slot.words) for slot in parted().slots]
    assert fit(Cut(5, 3, [*lower, line], 1)) < 1.0


def characters(texts, pitch):
    """Rows of single characters, 40 points beside one another."""
    words = placed_words(
        [printed(texts[6 * r + c], 60 + 40 * c, 100 + pitch * r) for r in range(8) for c in range(6)], 0
    )
    return Cut(8, 6, [Slot(k // 6, k % 6, words=[word]) for k, word in enumerate(words)], 1)


TEXT = "法令第一条本是水道事業者其他之管理人有害物混入防止必要措置講右公布内閣總理大臣印昭和年月日官報號外"


def test_text_that_is_written_down_the_page_is_no_table():
    """Guards against upright lines of a gazette whose characters stand level with one another."""
    assert fit(characters(TEXT, 12)) == 0.0


def test_answers_of_one_character_are_a_table():
    """Guards against a ruled table of yes and no, or of sexes, that is taken for text in upright lines."""
    assert fit(characters("男女女男女是否是" * 6, 20)) > 0.5
    assert fit(characters("男女女男女是否是" * 6, 12)) > 0.5


def test_characters_with_room_below_them_are_a_table():
    assert fit(characters(TEXT, 22)) > 0.5
    assert fit(characters("가나다라마바사아자차카타파하거너" * 3, 22)) > 0.5


def test_a_value_and_its_result_are_one():
    words = placed_words([printed("1/1.54", 60, 100), printed("=0.65", 60, 112)], 0)
    others = placed_words([printed("1.54", 60, 100), printed("0.65", 60, 112)], 0)
    first, second = (Cut(2, 2, [Slot(0, 0, words=some), Slot(1, 0, words=words[:1])]) for some in (words, others))
    assert shares_of(first).one_value > shares_of(second).one_value


SHADED = [
    ["The quays were widened in the year of the flood", "and the"],
    ["harbour has"],
    ["kept all", "its boats since"],
]


def shaded_words(gap):
    """Lines of text in boxes that cut some of them, `gap` points wide."""
    slots = []
    for row, texts in enumerate(SHADED):
        left = 60.0
        for column, text in enumerate(texts):
            words = placed_words([printed(text, left, 100 + 12 * row)], 0)
            slots.append(Slot(row, column, 1, 1 if len(texts) > 1 else 2, words))
            left = max(one.box.x1 for one in words) + gap
    return Cut(3, 2, slots, 0)


def test_lines_of_text_that_white_boxes_cut_are_no_table():
    """Guards against a paragraph of a web page, whose words have a white ground each, as a table of three columns."""
    assert is_shaded_text(shaded_words(gap=4.0))
    assert not is_shaded_text(shaded_words(gap=12.0))


def test_lines_that_read_on_are_no_table_though_one_is_cut():
    lines = shaded_words(gap=4.0)
    assert is_shaded_text(Cut(3, 2, [slot for slot in lines.slots if (slot.row, slot.column) != (2, 1)], 0))
    assert not is_shaded_text(Cut(2, 2, [slot for slot in lines.slots if slot.row > 0], 0))


def test_values_that_stand_a_space_apart_are_a_table():
    """Guards against a register map or a dense table of years as lines of text."""
    slots = [
        Slot(row, column, 1, 1, placed_words([printed(str(1990 + row + column), 60 + 25 * column, 100 + 12 * row)], 0))
        for row in range(4)
        for column in range(5)
        if row + column != 3
    ]
    assert not is_shaded_text(Cut(4, 5, slots, 0))


def test_labels_of_a_form_in_small_letters_are_no_text():
    """Guards against a form that nobody filled in as a column of sentences."""
    labels = ["First name", "last name", "date of birth", "town"]
    slots = [Slot(k, 0, 1, 1, placed_words([printed(text, 60, 100 + 12 * k)], 0)) for k, text in enumerate(labels)]
    assert not is_shaded_text(Cut(4, 2, slots, 0))


def test_boxes_to_tick_before_statements_are_a_list_and_a_column_of_more_is_a_table():
    """A form of two boxes in frames was a table of two rows."""

    def cut(rows):
        slots = [
            Slot(row, column, 1, 1, placed_words([printed(text, 60 + 40 * column, 100 + 12 * row)], 0))
            for row, texts in enumerate(rows)
            for column, text in enumerate(texts)
        ]
        return Cut(len(rows), len(rows[0]), slots)

    assert fit(cut([["☐", "Agree"], ["☒", "Other"]])) == 0.0
    assert fit(cut([["☐", "Agree", "2009"], ["☒", "Other", "2010"]])) > 0.0
    assert fit(cut([["Agree", "☐"], ["Other", "☒"], ["Both", "no"]])) > 0.0
