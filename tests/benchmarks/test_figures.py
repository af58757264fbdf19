"""Words are counted where a person sees them: in a figure, outside, or where nobody counts."""

from __future__ import annotations

from benchmarks.figures import PARTS, Answer, Delivered, means, part_by_path, scores
from benchmarks.truths.figures import PAGES, FigurePage

CHART = (100, 100, 300, 200)
TICK, LEGEND, TEXT, EITHER = (110, 110, 120, 118), (250, 110, 280, 118), (110, 300, 150, 310), (110, 500, 150, 510)
PAGE = FigurePage(
    path="ports/boats.pdf", page=1, figures=(CHART,), tables=((100, 600, 300, 700),), either=((0, 490, 600, 520),)
)


def delivered(kind, *parts):
    return Delivered(kind, parts[0], parts)


def test_a_figures_words_delivered_as_anything_else_are_wrong_and_those_left_out_are_not():
    answer = Answer((delivered("figure", TICK), delivered("plain text", LEGEND), delivered("plain text", TEXT)), 0.5)
    result = scores(PAGE, [TICK, LEGEND, TEXT, EITHER], answer)
    assert (result["as_text"], result["swallowed"], result["lost"]) == (0.5, 0.0, 0.0)
    assert scores(PAGE, [TICK, LEGEND], Answer((), 0.5))["as_text"] == 0.0


def test_text_delivered_as_a_figures_or_not_at_all_is_wrong():
    answer = Answer((delivered("figure", (90, 90, 400, 400)),), 0.5)
    result = scores(PAGE, [TEXT, (110, 700, 150, 710), EITHER], answer)
    assert (result["swallowed"], result["lost"]) == (0.5, 0.5)


def test_a_word_is_of_the_smallest_line_around_it():
    """Guards against a figure around a paragraph that is delivered as text."""
    answer = Answer((delivered("figure", (90, 90, 400, 400)), delivered("plain text", (105, 295, 200, 315))), 0.5)
    assert scores(PAGE, [TEXT], answer)["swallowed"] == 0.0


def test_a_table_is_false_where_no_true_one_lies():
    tables = (delivered("table", CHART), delivered("table", (110, 610, 290, 690)))
    assert scores(PAGE, [], Answer(tables, 0.5))["false_tables"] == 1


def test_pages_of_one_document_are_of_one_part_and_new_ones_to_tune_on_move_none():
    parts = part_by_path(PAGES)
    assert set(parts.values()) == set(PARTS)
    more = FigurePage(path="ports/harbour.pdf", page=1, part="tuned")
    assert part_by_path([*PAGES, more]) == parts | {"ports/harbour.pdf": "tuned"}
    series = [FigurePage(path=f"ports/Harbour news, issue {k}.pdf", page=1) for k in range(6)]
    assert len({part_by_path([*series, PAGE])[page.path] for page in series}) == 1


def test_means_are_of_pages_by_part():
    rows = [{"file": "a", "page": 1, "part": "judged", "ours_as_text": value} for value in (0.0, 0.5)]
    assert means(rows) == {"ours_as_text_judged": 0.25}
