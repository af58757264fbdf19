"""`scripts/doc_figures.py`: a figure in a text is what its result says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import doc_figures

RESULT = {
    "figures": {"ratio": 2.8049, "share": 0.0659, "count": 1385.6, "change": -0.0291, "loss": -0.0002},
    "rows": [{"mode": "none", "steps": 680}, {"mode": "static", "steps": 400}],
}


@pytest.fixture(autouse=True)
def _result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "speed.json").write_text(json.dumps(RESULT))
    monkeypatch.setattr(doc_figures, "RESULTS", tmp_path)
    doc_figures._result.cache_clear()


@pytest.mark.parametrize(
    "figure",
    [
        "2.8<!--speed:ratio-->",
        "2.80<!--speed:ratio-->",
        "6.6 %<!--speed:share-->",
        ".066<!--speed:share-->",
        "1,386<!--speed:count-->",
        "1386 MB<!--speed:count-->",
        "−.029<!--speed:change-->",
        "400<!--speed:rows[mode=static].steps-->",
    ],
)
def test_a_figure_is_right_as_the_text_rounds_it(figure: str) -> None:
    assert list(doc_figures.outdated(figure)) == []
    assert doc_figures.renewed(figure) == figure


@pytest.mark.parametrize(
    ("figure", "right"),
    [
        ("2.9<!--speed:ratio-->", "2.8"),
        ("5.0 %<!--speed:share-->", "6.6"),
        ("1,000<!--speed:count-->", "1,386"),
        (".100<!--speed:share-->", ".066"),
    ],
)
def test_a_figure_that_its_result_contradicts_is_named_and_renewed(figure: str, right: str) -> None:
    assert list(doc_figures.outdated(figure)) == [f"{figure}: the result says {right}"]
    assert list(doc_figures.outdated(doc_figures.renewed(figure))) == []


@pytest.mark.parametrize(
    "figure",
    [
        "1<!--speed:rows[mode].steps-->",
        "1<!--speed:rows-->",
        "1<!--speed:gone-->",
        "1<!--missing:ratio-->",
        "1<!--speed:rows[mode=other].steps-->",
    ],
)
def test_a_figure_without_a_result_is_named(figure: str) -> None:
    assert "no such result" in next(doc_figures.outdated(figure))


def test_decimals_that_name_no_result_are_listed() -> None:
    text = "2.8<!--speed:ratio--> times, 6.6 %<!--speed:share--> of `0.5`, [x](v1.2.md), but 0.95 and .3<!-- none -->"
    assert doc_figures.unbacked(text) == ["0.95", ".3"]
