"""Words of captions, pages and hyphens in many languages."""

from __future__ import annotations

import pytest

from documents.text.languages import PAGE_NUMBER, caption_kind, is_caption, without_breaks
from documents.text.placed_text import PlacedText

NUMBERS = "TABLE II|TABLE I RESULTS|Table S1|Tab. 2-4|Tabelle A.1|Table 3a|Cuadro 1|Quadro 2|Çizelge 1|Table A"
CHARTS = "Chart 4|Exhibit 3|Scheme 1|Gráfico 3|Wykres 2|График 1|Schaubild 2|Kaavio 1|Grafik 4|Figure A.1|Fig. B2"
CLOSED = (
    "Table 3: Results|TABLE I RESULTS ON BOTH SETS|Table 3 – of both|Table 3|Figure 1 (left)|Figure 1 (a) Overview"
    "|Tab. 4 Ergebnisse|图 2 系统结构|図3：構成|Таблица 3. Данные|표 3 결과|Table A: more"
)
OPEN = (
    "Table 3 shows that|Figure 2 illustrates the|Figure 2, which|Figure 2 (left) shows|Figure 2's|Table II lists"
    "|Tabelle 3 zeigt|Таблица 3 показывает|图2显示了系统结构。|图 2 显示了系统结构。|표 3은 결과를 보여준다.|Şekil 2'de"
)
FIGURES = "Figura 3|Fig. 3|图 1|図1|圖 2|Рис. 1|Obr. 2|Kuva 1|Rysunek 4|Figuur 2|Εικόνα 5|Şekil 1|그림 2|Abb. 7"
TABLES = "Tabla 2|Tabel 1|表 2|Tabela 3|Taulukko 1|Table 4|Tableau 1|Таблица 1|Tabelle 9|Tab. 2|Πίνακας 1|표 3|Tablo 2"


@pytest.mark.parametrize("text", (FIGURES + "|" + CHARTS).split("|"))
def test_a_figures_caption_is_known_in_its_language(text):
    """Guards against captions of Spanish and Chinese papers in the running text."""
    assert caption_kind(f"{text}: x") == "figure_caption"


@pytest.mark.parametrize("text", (TABLES + "|" + NUMBERS).split("|"))
def test_a_tables_caption_is_known_in_its_language(text):
    """Guards against captions that were of tables only where they begin with "tab"."""
    assert caption_kind(f"{text}. x") == "table_caption"


@pytest.mark.parametrize(
    "text",
    ["Figures of speech", "A table 3", "图书馆", "Tabularium 1", "Configura 3", "3", "Tablet A1", "Table A shows"],
)
def test_other_words_begin_no_caption(text):
    """Guards against text that goes where captions go."""
    assert caption_kind(text) is None


@pytest.mark.parametrize("text", CLOSED.split("|"))
def test_a_number_that_is_closed_or_followed_by_a_new_beginning_is_a_captions(text):
    assert caption_kind(text) is not None
    assert is_caption(text)


@pytest.mark.parametrize("text", OPEN.split("|"))
def test_a_sentence_that_names_a_figure_first_is_no_caption(text):
    """Guards against paragraphs that leave the text and take a table from its caption."""
    assert caption_kind(text) is not None
    assert not is_caption(text)


@pytest.mark.parametrize("text", ["", "Table", "the harbour"])
def test_a_text_without_a_label_and_number_is_no_caption(text):
    assert not is_caption(text)


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("zażó- łcić gęś", "zażółcić gęś"),
        ("příš- tě", "příště"),
        ("çalış- ıyor", "çalışıyor"),
        ("θάλασ- σα", "θάλασσα"),
        ("боль- шой", "большой"),
        ("exam- ple", "example"),
        ("in- en uitvoer", "in- en uitvoer"),
        ("двух- и трёхлетний", "двух- и трёхлетний"),
        ("Jan- Peter", "Jan- Peter"),
        ("A- level", "A- level"),
        ("图图- 书书", "图图- 书书"),
    ],
)
def test_a_word_broken_in_a_line_is_made_whole_in_any_alphabet(broken, whole):
    """Guards against a range of letters that ends with ÿ."""
    assert without_breaks(PlacedText(broken)).text == whole


@pytest.mark.parametrize(
    "text", ["7", "xiv", "XIV", "- 3 -", "Page 3 of 9", "Seite 3 von 9", "Página 2 de 4", "- IV -"]
)
def test_numbers_of_pages_are_known(text):
    """Guards against page numbers in the text."""
    assert PAGE_NUMBER.fullmatch(text)


@pytest.mark.parametrize("text", ["Civil", "civic", "ill", "Lili", "IIX", "vx", "12345", "page"])
def test_words_of_roman_letters_are_no_numbers_of_pages(text):
    """Guards against short words at the edge of a page that vanish."""
    assert not PAGE_NUMBER.fullmatch(text)
