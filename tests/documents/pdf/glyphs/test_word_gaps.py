"""Words are parted where the gaps of their line are wider than those between its letters, and nowhere else."""

from __future__ import annotations

import pymupdf
import pytest

from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.values import Source

CAPTION, HEADING = "Composition of the pretraining data for OLMo 2", "HEADING OF THE PAGE"


def lines_of(tmp_path, operators, *, rotation=0):
    """What a page says that shows some text by these operators, in bold type of 10 points."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((100, 700), ".", fontname="hebo")
    [content] = page.get_contents()
    document.update_stream(content, f"BT /hebo 10 Tf 1 0 0 1 100 500 Tm {operators} ET".encode("latin-1"))
    page.set_rotation(rotation)
    document.save(tmp_path / "a.pdf")
    source = Source(path=str(tmp_path / "a.pdf"), media_type="application/pdf")
    return [line.text for line in PdfFile(source, RenderLimits()).inspect(1).lines]


def moved(text, gap):
    """Words without spaces, each so far behind the one before, in thousandths of the type's size."""
    return f"[{f' {-gap} '.join(f'({word})' for word in text.split())}] TJ"


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize(
    "operators",
    [
        moved(CAPTION, 130),
        moved(CAPTION, 100),
        f"-0.3 Tc {moved(CAPTION, 130)}",
        f"60 Tz {moved(CAPTION, 130)}",
        f"0.5 Tc {moved(CAPTION, 130)}",
        f"60 Tz {moved(CAPTION, 300)}",
        f"({CAPTION}) Tj",
    ],
    ids=["close", "closer", "tight letters", "narrow letters", "tracked", "narrow, spaced", "typed"],
)
def test_words_set_close_together_are_parted(operators, rotation, tmp_path):
    """A bold caption came out as "CompositionofthepretrainingdataforOLMo2"."""
    assert lines_of(tmp_path, operators, rotation=rotation) == [CAPTION]


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize(
    "operators",
    [
        f"1 Tc ({HEADING}) Tj",
        f"3 Tc ({HEADING}) Tj",
        f"9 Tc ({HEADING}) Tj",
        f"2 Tc {moved(HEADING, 300)}",
        f"2 Tc {moved(HEADING, 600)}",
        f"({'   '.join(' '.join(word) for word in HEADING.split())}) Tj",
    ],
    ids=["little", "more", "wide", "without spaces", "far apart", "typed"],
)
def test_letters_set_apart_are_words(operators, rotation, tmp_path):
    """A heading came out as "H E A D I N G O F T H E P A G E"."""
    assert lines_of(tmp_path, operators, rotation=rotation) == [HEADING]


def test_a_word_typed_with_spaces_is_one(tmp_path):
    assert lines_of(tmp_path, "(H E A D I N G) Tj") == ["HEADING"]


@pytest.mark.parametrize(
    "text", ["A B C D E F", "x y z", "1 0 1 1 0 0", "I A M", "a b c d e f g", "Donaudampfschifffahrtsgesellschaft"]
)
def test_letters_and_long_words_stay(text, tmp_path):
    assert lines_of(tmp_path, f"({text}) Tj") == [text]


@pytest.mark.parametrize("text", ["I A N T E R are letters", "The keys s t o r e", "see I A N T E R here"])
def test_letters_typed_among_words_stay(text, tmp_path):
    """A list of letters whose pairs are common became a word: "IANTER"."""
    assert lines_of(tmp_path, f"({text}) Tj") == [text]


def test_a_word_typed_with_spaces_stands_further_from_the_words_beside_it(tmp_path):
    assert lines_of(tmp_path, "(see   H E A D I N G   here) Tj") == ["see HEADING here"]


def test_letters_of_columns_stay_apart(tmp_path):
    """Middles of equal distance are columns of a table: letters of a word have equal gaps."""
    widths = {letter: pymupdf.Font("hebo").text_length(letter, 10) for letter in "WINTER"}
    cells = [
        f"1 0 0 1 {100 + 14 * k - widths[letter] / 2:.2f} 500 Tm ({letter}) Tj" for k, letter in enumerate("WINTER")
    ]
    assert " ".join(lines_of(tmp_path, " ".join(cells))) == "W I N T E R"


def test_a_wrong_width_parts_no_word(tmp_path):
    """A font whose widths are wrong leaves gaps before some of its letters: "emis s ion"."""
    assert lines_of(tmp_path, "[(montmorillonite) -200 (emis) -120 (s) -120 (ion)] TJ") == ["montmorillonite emission"]
