"""The sentence that a reader is shown first."""

import pytest

from retrieval.search import highlight
from retrieval.search.highlight import MAX_SENTENCE_CHARACTERS, MAX_TERMS, best_sentence, matched_terms

LETTER = (
    "A Letter to the Miller\n"
    "When a page arrives, the renderer opens it in a process of its\n"
    "own. If the page is damaged, only that process is lost, and the next page is drawn by\n"
    "another one. Running heads and page numbers repeat from page to page."
)


def sentence(text, query, headings=(), kind="plain text"):
    extent = best_sentence(text, kind, headings, query)
    return None if extent is None else " ".join(text[slice(*extent)].split())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "what if a page is damaged",
            "If the page is damaged, only that process is lost, and the next page is drawn by another one.",
        ),
        ("do numbers repeat", "Running heads and page numbers repeat from page to page."),
        ("who opens arriving pages", "When a page arrives, the renderer opens it in a process of its own."),
        ("zebra", None),
    ],
)
def test_the_sentence_with_most_words_of_the_query_is_chosen(query, expected):
    assert sentence(LETTER, query, ("A Letter to the Miller",)) == expected


def test_a_heading_is_no_sentence_unless_it_is_all_there_is():
    """The query's words stood in the heading, and the hit showed the heading twice."""
    assert not sentence(LETTER, "letter to the miller when", ("A Letter to the Miller",)).startswith("A Letter")
    assert sentence("Night rules\n", "night rules", ("Night rules",)) == "Night rules"


def test_abbreviations_and_numbers_do_not_end_a_sentence():
    text = "As Fig. 3 shows, e.g. Dr. Moll paid 3.5 crowns. Nobody else did."
    assert sentence(text, "crowns") == "As Fig. 3 shows, e.g. Dr. Moll paid 3.5 crowns."


def test_of_a_table_the_row_is_chosen():
    text = "ship | draught\nCormorant | 3.2 m\nHeron | 2.1 m"
    assert sentence(text, "draught of the heron", kind="table") in ("ship | draught", "Heron | 2.1 m")
    assert sentence(text, "heron", kind="table") == "Heron | 2.1 m"


def test_text_without_a_full_stop_is_shown_by_its_lines():
    """A scan without punctuation would be one sentence of a whole chunk."""
    lines = [f"line {number} of a list that has no full stop anywhere" for number in range(40)]
    lines[25] += " but walrus"
    shown = sentence("\n".join(lines), "walrus")
    assert "walrus" in shown
    assert len(shown) <= MAX_SENTENCE_CHARACTERS


def test_a_language_without_spaces_is_searched_by_pairs():
    assert sentence("船は港に入る。水先人は夜明けに乗る。", "水先人") == "水先人は夜明けに乗る。"


def test_terms_are_the_printed_forms_of_the_words():
    assert matched_terms("Damaged pages; the page was damaged.", "what damages a page") == ("damaged", "pages", "page")
    assert matched_terms("to be or not", "is it to be") == ("to", "be")


def test_a_long_query_costs_no_more_than_its_first_words(monkeypatch):
    """A query of 10,000 characters took 0.8 s per passage: each sentence was parted again for each word."""
    parted, compared = [], []
    words_of, same_stem = highlight.words_of, highlight._same_stem
    monkeypatch.setattr(highlight, "words_of", lambda text: parted.append(text) or words_of(text))
    monkeypatch.setattr(highlight, "_same_stem", lambda *pair: compared.append(pair) or same_stem(*pair))
    text = " ".join(f"Sentence with number{number}." for number in range(30)) + " A walrus."
    query = "zebra " + " ".join(f"query{number}y" for number in range(1000)) + " walrus"
    assert best_sentence(text, "plain text", (), query) is None
    assert len(parted) == 31
    assert len(compared) <= 31 * 3 * MAX_TERMS
    assert sentence(text, f"walrus {query}") == "A walrus."
