"""A text layer is used where it is sound, and the reason is always told."""

from __future__ import annotations

import base64

import pytest
from page_making import box, inspection, line

from documents.draft.text_source import Layer, must_stand_straight, plausible

PROSE = "The harbour master signs the ledger every morning before the fog has lifted from the bay."
WHOLE = box(50, 90, 560, 130)


def shifted(text):
    """Each letter replaced by the next one, as a wrong ToUnicode table does."""
    return "".join(chr(ord(sign) + 1) if sign.isalpha() else sign for sign in text)


def decide(*lines, kind="plain text", text_source="auto", where=WHOLE, **page):
    return Layer(inspection(*lines, **page)).decide(kind, where, lines, text_source)


def test_sound_text_is_taken_from_the_layer():
    """Guards against needless OCR, slower and worse than the text that is there."""
    assert decide(line(PROSE)) == ("text_layer", "sound")


def test_letters_that_belong_to_no_language_are_read_from_the_picture():
    """Guards against shifted letters being indexed as text."""
    assert decide(line(shifted(PROSE))) == ("ocr", "implausible letters")


def test_signs_of_a_bad_old_ocr_layer_are_read_from_the_picture():
    """Guards against noise of an old scanner's layer that is taken for text."""
    garbage = line(";!|n~:v^.,~!'; |1^:v,r! ^1' ;^1l1rlvn~!:~;v^,|.vl~^.~^:v;!,^", invisible=True)
    assert decide(garbage) == ("ocr", "implausible letters")


def test_private_characters_are_read_from_the_picture():
    """Guards against characters without a meaning in the index."""
    private = line("\ue054\ue068\ue065\ue020" * 10, bad_share=1.0)
    assert decide(private) == ("ocr", "characters without a meaning")


def test_a_few_unknown_signs_in_a_formula_do_not_condemn_a_sound_page():
    """Guards against needless OCR of pages with large brackets."""
    formula = line("n\ufffd", y=200, bad_share=0.5)
    layer = Layer(inspection(line(PROSE), formula))
    assert layer.decide("plain text", formula.box, [formula], "auto").text_source == "text_layer"


def test_ink_without_a_layer_is_read_and_blank_paper_is_not():
    """Guards against lost scans on one side, OCR of blank paper on the other."""
    ink = box(60, 100, 300, 110)
    assert decide(ink=[ink]) == ("ocr", "no text layer")
    assert decide() == ("text_layer", "nothing to read")


def test_a_line_that_covers_little_of_the_ink_of_a_picture_is_not_enough():
    """Guards against a stamp over a scan being taken for the scan's text."""
    stamp = line("Received", width=40)
    picture = box(0, 0, 612, 792)
    assert decide(stamp, ink=[box(60, 100, 550, 128)], images=[picture]) == ("ocr", "ink without text")
    assert decide(stamp, ink=[box(60, 100, 550, 128)]).text_source == "text_layer"


@pytest.mark.parametrize("text_source", ["text_layer", "ocr"])
def test_what_is_asked_for_is_done(text_source):
    """Guards against a choice of text source that evidence overrules."""
    assert decide(line(PROSE), text_source=text_source) == (text_source, "asked for")


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        "Der Hafenmeister unterschreibt jeden Morgen das Buch, bevor sich der Nebel hebt.",
        "Le capitaine du port signe chaque matin le registre avant que la brume ne se lève.",
        "El capitán del puerto firma el registro cada mañana antes de que se levante la niebla.",
        "Начальник порта подписывает журнал каждое утро, пока туман не рассеялся над заливом.",
        "港务长每天早上在雾气散去之前签署账簿。港务长每天早上在雾气散去之前签署账簿。",
        "12.50 13.75 14.00 99.12 1,204.55 3,310.87 12.50 13.75 14.00 99.12",
        "short",
    ],
)
def test_honest_text_of_any_language_is_plausible(text):
    """Guards against good pages being sent to a reader that knows English only."""
    assert plausible(text)


BYTES = [(k * k * 7919 + 101 * k + k // 3) % 256 for k in range(400)]
BASE64 = base64.b64encode(bytes(BYTES)).decode()
ALBUMIN = "MKWVTFISLLFLFSSAYSRGVFRRDAHKSEVAHRFKDLGEENFKALVLIAFAQYLQQCPFEDHVKLVNEVTEFAKTCVADESAENCDKSLHTLFGDKLCTVATLRE"


def broken(text, width, between="\n"):
    return between.join(text[k : k + width] for k in range(0, len(text), width))


@pytest.mark.parametrize(
    "text",
    [
        broken(BASE64, 64),
        broken(BASE64, 76),
        broken(BASE64.replace("+", "-").replace("/", "_"), 43),
        ALBUMIN,
        broken(ALBUMIN, 60),
        broken(ALBUMIN, 10, " "),
    ],
)
def test_codes_are_no_garbage_of_a_font(text):
    """Base64 and sequences of amino acids went to OCR, whose reading of them is worse."""
    assert plausible(text)


@pytest.mark.parametrize("text", [PROSE.lower(), PROSE.upper(), PROSE.title()])
@pytest.mark.parametrize("gap", [" ", ""])
def test_shifted_letters_are_garbage_with_and_without_spaces(text, gap):
    assert not plausible(shifted(text).replace(" ", gap))


SHEET = box(0, 0, 612, 792)
PRINTED = [box(60, y, 550, y + 5) for y in range(60, 700, 16)]


def test_a_stamp_on_a_scan_is_no_text_layer():
    """Guards against a scanned page whose text is lost because a number was stamped on it."""
    stamp = line("CONFIDENTIAL - ABC-0012345", y=770)
    scan = inspection(stamp, ink=PRINTED, images=[SHEET])
    assert must_stand_straight(Layer(scan), "auto")
    assert not must_stand_straight(Layer(scan), "text_layer")
    assert Layer(scan).decide("plain text", PRINTED[0], [], "auto").text_source == "ocr"


def test_few_words_on_a_photograph_are_a_text_layer():
    """Guards against OCR of the pictures behind slides and covers."""
    title = line("The harbour at dawn, a history", y=700)
    assert not must_stand_straight(Layer(inspection(title, ink=[box(0, 0, 600, 690)], images=[SHEET])), "auto")
    assert not must_stand_straight(Layer(inspection(title, ink=PRINTED)), "auto"), "no scan: rules or drawings"


def test_an_empty_page_needs_no_straightening():
    """Guards against time spent on blank pages."""
    assert not must_stand_straight(Layer(inspection()), "ocr")
