"""Printed lines become running text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import box

from documents.text.list_markers import Lead
from documents.text.printed_rows import PrintedLine, printed_rows
from documents.text.program_text import program_text
from documents.text.running_text import ends_in_leader, join_lines, normal, running_text, vocabulary


def printed(text, x, y, width=None, height=10):
    return PrintedLine(text, box(x, y, x + (width or 5 * len(text)), y + height))


def read(*lines, words=frozenset(), angle=0):
    return running_text(printed_rows(lines, angle), words).text


def test_lines_are_read_from_the_top_and_parts_of_a_row_from_the_left():
    """Guards against words in the order in which the file draws them."""
    assert (
        read(printed("third", 60, 124), printed("second", 110, 100), printed("first", 60, 100)) == "first second third"
    )


def test_a_small_mark_beside_a_line_stays_in_its_row():
    """Guards against superscripts that come out before the line they stand in."""
    assert read(printed("as shown", 60, 100, 40), printed("2", 100.5, 99, 3, 6), printed("before", 110, 100)) == (
        "as shown2 before"
    )


@pytest.mark.parametrize(
    ("text", "more", "words", "whole"),
    [
        ("a conti-", "nent of", (), "a continent of"),
        ("a nose-", "down trim", ("nose", "down"), "a nose-down trim"),
        ("a well-", "known mill", ("well-known",), "a well-known mill"),
        ("the re-", "port", ("report",), "the report"),
        ("pages 4-", "17 of", (), "pages 4-17 of"),
        ("a 10-", "fold rise", (), "a 10-fold rise"),
        ("Anglo-", "Saxon", (), "Anglo-Saxon"),
        ("a UK-", "based mill", (), "a UK-based mill"),
        ("HAR-", "BOUR", ("harbour",), "HARBOUR"),
        ("a well-", "known mill", (), "a well-known mill"),
        ("a self-", "ish mill", (), "a selfish mill"),
        ("Ein-", "und Ausgabe", (), "Ein- und Ausgabe"),
        ("the wom-", "en of", (), "the women of"),
        ("from 4 -", "17 of", (), "from 4 - 17 of"),
        ("this:-", "(one)", (), "this:- (one)"),
        ("soft\u00ad", "ware", (), "software"),
        ("end", "begin", (), "end begin"),
        ("light- and heavy-", "duty trucks", (), "light- and heavy-duty trucks"),
        ("港务", "长每", (), "港务长每"),
        ("การพัฒนา", "ประเทศไทย", (), "การพัฒนาประเทศไทย"),
        ("ພາສາ", "ລາວ", (), "ພາສາລາວ"),
        ("ភាសា", "ខ្មែរ", (), "ភាសាខ្មែរ"),
        ("ဗမာ", "စာ", (), "ဗမာစာ"),
        ("한국", "사람", (), "한국 사람"),
        ("ราคา 5", "บาท", (), "ราคา 5 บาท"),
        ("see https://ex.org/foo-", "bar for it", (), "see https://ex.org/foo-bar for it"),
        ("at www.mill-", "stone.org", (), "at www.mill-stone.org"),
        ("of ex.org/mill-", "stone", (), "of ex.org/mill-stone"),
        ("to anna-", "maria@ex.org", (), "to anna-maria@ex.org"),
        ("the mill-", "stone.", (), "the millstone."),
        ("", "begin", (), "begin"),
    ],
)
def test_broken_words_are_mended_and_hyphens_of_their_own_are_kept(text, more, words, whole):
    """Guards against searches that miss a word because a line ended in it."""
    assert join_lines(text, more, frozenset(words)) == whole


def test_pieces_of_broken_words_are_no_words():
    """Guards against a vocabulary of halves that keeps hyphens where lines broke."""
    assert vocabulary(["the conti-", "nent is well-known"]) == {"the", "is", "well-known"}


def test_paragraphs_and_list_items_keep_their_lines():
    """Guards against lists and paragraphs that run into one."""
    lines = [
        printed("Intro", 60, 100),
        printed("goes on.", 60, 112),
        printed("• one", 60, 124),
        printed("• two", 60, 136),
    ]
    assert read(*lines) == "Intro goes on.\n• one\n• two"
    assert read(*lines[:2], printed("more", 60, 124), printed("apart", 60, 160)) == "Intro goes on. more\n\napart"


def test_the_next_number_begins_an_item_wherever_the_line_above_ends():
    """Guards against the last item of an enumeration glued to the one before, which ends in `and`."""
    lines = [
        printed(text, 60, 100 + 12 * k) for k, text in enumerate(["4. who;", "5. what; and", "6. when.", "7. end"])
    ]
    assert read(*lines) == "4. who;\n5. what; and\n6. when.\n7. end"
    assert (
        read(printed("4. by the rules of", 60, 100), printed("1. January", 60, 112)) == "4. by the rules of 1. January"
    )


def marked(text, x, y):
    """A line of an item whose words begin 18 points behind its bullet."""
    return PrintedLine(text, box(x, y, x + 200, y + 10), lead=Lead(box(x, y, x + 5, y + 10), 13.0))


def test_the_second_line_of_an_item_is_no_paragraph_after_a_full_stop_or_colon():
    """Guards against `Summary:` parted from the address below it, and `U.S.` from `Department`."""
    lines = [marked("• Summary:", 60, 100), printed("drought.ca.gov", 78, 112), marked("• Next", 60, 124)]
    assert read(*lines) == "• Summary: drought.ca.gov\n• Next"
    lines[1] = printed("A paragraph that stands in otherwise", 70, 112)
    assert read(*lines) == "• Summary:\n\nA paragraph that stands in otherwise\n• Next"


def test_a_plain_bullet_begins_an_item_wherever_the_line_above_ends():
    """Guards against lists whose items end in commas told as one paragraph; a dash there goes on with a sentence."""
    lines = [printed("• trucks that wait,", 60, 100), printed("• buses, and", 60, 112), printed("•trams", 60, 124)]
    assert read(*lines) == "• trucks that wait,\n• buses, and\n•trams"
    assert read(printed("wide,", 60, 100), printed("– as it seems –", 60, 112)) == "wide, – as it seems –"


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_turned_text_reads_like_upright_text(angle):
    """Guards against tables printed sideways that come out backwards."""
    turn = {
        90: lambda b: box(-b.y1, b.x0, -b.y0, b.x1),
        180: lambda b: box(-b.x1, -b.y1, -b.x0, -b.y0),
        270: lambda b: box(b.y0, -b.x1, b.y1, -b.x0),
    }[angle]
    upright = [printed("first", 60, 100), printed("second", 110, 100), printed("third", 60, 112)]
    assert read(*(PrintedLine(line.text, turn(line.box)) for line in upright), angle=angle) == "first second third"


def test_right_to_left_rows_are_read_from_the_right():
    """Guards against Arabic and Hebrew rows that are read backwards."""
    assert read(printed("عالم", 60, 100), printed("مرحبا", 110, 100)) == "مرحبا عالم"


def test_ligatures_soft_hyphens_and_controls_are_gone():
    """Guards against words that no search finds because of signs that nobody sees."""
    assert normal("e\ufb03cient  soft\u00adware\u00a0now\x07") == "efficient software now"


@given(st.text(max_size=60))
def test_normal_text_is_left_alone(text):
    """Guards against text that changes each time it is written."""
    assert normal(normal(text)) == normal(text)


def test_a_blank_line_after_a_sentence_parts_paragraphs_even_where_all_lines_stand_so():
    """Guards against paragraphs of one line each that run together."""
    lines = [
        PrintedLine(text, box(60, y, 300, y + 12)) for text, y in (("船长。", 100), ("雾气。", 126), ("港口", 152))
    ]
    assert running_text(printed_rows(lines), frozenset()).text == "船长。\n\n雾气。\n\n港口"


def test_a_word_broken_within_a_line_is_mended_and_a_hanging_hyphen_stays():
    """Guards against the breaks of an earlier setting, which files made from other files hold within their lines."""
    line = [PrintedLine("So- cial con- sumption of pre- and post-war Vor- und Nachteile", box(60, 100, 400, 112))]
    assert (
        running_text(printed_rows(line), frozenset()).text
        == "Social consumption of pre- and post-war Vor- und Nachteile"
    )


def test_rows_of_a_program_keep_their_indent_and_blank_lines():
    """Guards against programs whose blocks cannot be told."""
    lines = [
        PrintedLine(text, box(60 + 5 * blanks, y, 60 + 5 * (blanks + len(text)), y + 10))
        for text, blanks, y in (("def f():", 0, 100), ("return 1", 4, 112), ("f()", 0, 136))
    ]
    assert program_text(printed_rows(lines)).text == "def f():\n    return 1\n\nf()"
    assert program_text([]).text == ""


def test_a_first_line_that_stands_in_begins_a_paragraph():
    """Guards against the paragraphs of books, which no blank parts, run into one; a line set in alone is no such."""
    lines = [
        printed("The fog lifts late and the ferry", 60, 100, 240),
        printed("leaves with the tide.", 60, 112, 110),
        printed("Nobody waits for it at the", 75, 124, 225),
        printed("quay.", 60, 136, 30),
    ]
    assert read(*lines) == "The fog lifts late and the ferry leaves with the tide.\n\nNobody waits for it at the quay."
    centred = [printed("A line.", 90, 100), printed("A longer line.", 60, 112), printed("Short.", 95, 124)]
    assert read(*centred, printed("End", 100, 136)) == "A line. A longer line. Short. End"


def test_a_row_is_read_from_the_right_if_most_of_its_letters_are():
    """Guards against a row in pieces turned round by a name in other letters and a stop that stand alone."""
    pieces = [("בחורף הארוך של השנה", 387), ("בשנת 1924", 310), ("לפי Lloyd", 237), (".", 232)]
    (row,) = printed_rows([PrintedLine(text, box(x, 100, x + (5 if text == "." else 70), 110)) for text, x in pieces])
    assert row.text == "בחורף הארוך של השנה בשנת 1924 לפי Lloyd."


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("החורף הארוך )120 אוניות( וכתב", "החורף הארוך (120 אוניות) וכתב"),
        ("החורף הארוך (120 אוניות) וכתב", "החורף הארוך (120 אוניות) וכתב"),
        ("א) החורף הארוך", "א) החורף הארוך"),
        ("a list: 1) this, 2) that (", "a list: 1) this, 2) that ("),
    ],
)
def test_brackets_of_text_from_the_right_are_told_as_they_are_meant(printed, meant):
    """Guards against brackets that turn their backs on what they hold; files tell the shape of the sign."""
    assert running_text(printed_rows([PrintedLine(printed, box(60, 100, 400, 110))]), frozenset()).text == meant


@pytest.mark.parametrize(
    ("text", "more", "whole"),
    [
        ("没有人要求他", "，但是", "没有人要求他，但是"),
        ("没有人要求他", ",但是", "没有人要求他,但是"),
        ("见 page", "二", "见 page 二"),
    ],
)
def test_a_stop_in_plain_signs_follows_chinese_letters_without_a_blank(text, more, whole):
    """Guards against a blank before a comma that begins a printed line."""
    assert join_lines(text, more, frozenset()) == whole


def test_each_entry_of_a_table_of_contents_is_a_paragraph_and_its_leader_short():
    """Guards against a table of contents in one line, most of it dots."""
    entries = ["1 Introduction ................ 1", "1.1 Purpose . . . . . . . . . . . . 12", "2 The channel"]
    lines = [PrintedLine(text, box(60, 100 + 12 * k, 400, 110 + 12 * k)) for k, text in enumerate(entries)]
    text = running_text(printed_rows(lines), frozenset()).text
    assert text == "1 Introduction … 1\n\n1.1 Purpose … 12\n\n2 The channel"


LEADER = re.compile(r"(?:[.\u2026·_] ?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})$")  # what is meant, in quadratic time


@given(st.text(alphabet=".…·_ 19ivxa", max_size=16))
def test_dots_that_lead_to_a_page_are_known_from_the_end(text):
    """Guards against a form of dotted lines whose every row was searched from each of its dots."""
    assert ends_in_leader(text) == bool(LEADER.search(text))


def test_a_leader_s_end_decides_alone():
    assert ends_in_leader("Index " + "." * 100_000 + " xiv")
    assert not ends_in_leader("_" * 100_000)
