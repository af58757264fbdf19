"""Clones of published scans become sets whose halves hold still."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from benchmarks import paper_sets
from training.ocr.real_lines import boxed


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """One or two pages of each clone, and pages that must stay out."""
    root = tmp_path / "sources"
    words = [{"box": [1, 2, 30, 12], "text": "TO:"}, {"box": [40, 2, 60, 12], "text": ""}]
    _write(root / "funsd/training_data/annotations/f1.json", json.dumps({"form": [{"text": "TO:", "words": words}]}))
    _write(root / "funsd/testing_data/annotations/f2.json", json.dumps({"form": []}))
    for number in (3, 499, 500):
        _write(root / f"sroie/data/box/{number:03}.csv", "9,8,30,8,30,20,9,20,JALAN A, NO. 5\n\n")
    for page in ("a001", "d002", "g003"):
        _write(root / f"books/groundtruth/{page}.txt", "Once upon a time.")
    for name in ("a001", "d002", "g003"):
        _picture(root / f"books/binarized_300dpi/Otsu/{name}.tiff")
    _write(root / "labels/ent/gold/ocr/x.txt", "U.C. Berkeley")
    for image in ("funsd/training_data/images/f1.png", "labels/ent/gold/inputs/x.jpg"):
        _picture(root / image)
    for number in (3, 499, 500):
        _picture(root / f"sroie/data/img/{number:03}.jpg")
    return root


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _picture(file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (80, 40), 255).save(file)


def _made(sources: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[dict[str, object]]]:
    monkeypatch.setattr("sys.argv", ["paper_sets", str(sources), str(out)])
    assert paper_sets.main() == 0
    return {kind: json.loads((out / kind / "truth.json").read_text("utf-8")) for kind in paper_sets.SETS}


def test_what_judges_others_stays_out(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that later judges the result must not be tuned on."""
    result = _made(sources, tmp_path / "out", monkeypatch)
    assert {kind: [page["file"] for page in pages] for kind, pages in result.items()} == {
        "forms": ["f1.png"],
        "receipts": ["003.jpg", "499.jpg"],
        "books": ["a001.tiff", "d002.tiff"],
        "labels": ["x.jpg"],
    }
    assert all((tmp_path / "out" / kind / str(page["file"])).is_file() for kind in result for page in result[kind])


def test_lines_and_words_have_boxes(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `training.ocr.real_lines` takes them; a comma in a receipt's text is no corner."""
    result = _made(sources, tmp_path / "out", monkeypatch)
    assert result["receipts"][0]["lines"] == [{"box": [9, 8, 30, 20], "text": "JALAN A, NO. 5"}]
    assert result["forms"][0]["words"] == [{"box": [1, 2, 30, 12], "text": "TO:"}]
    picture = paper_sets_picture(tmp_path / "out/receipts/003.jpg")
    assert [text for text, _ in boxed(result["receipts"][0], picture)] == ["JALAN A, NO. 5"]


def paper_sets_picture(file: Path):
    import numpy as np

    return np.asarray(Image.open(file).convert("L"))


def test_a_book_lies_in_one_half_and_a_page_in_the_same_whatever_else_there_is(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages of one book share their type: one half would teach what the other asks."""
    result = _made(sources, tmp_path / "out", monkeypatch)
    assert [page["split"] for page in result["books"]] == ["tune", "judge"]
    before = {page["file"]: page["split"] for page in result["receipts"]}
    _write(sources / "sroie/data/box/004.csv", "9,8,30,8,30,20,9,20,TOTAL\n")
    _picture(sources / "sroie/data/img/004.jpg")
    again = _made(sources, tmp_path / "out", monkeypatch)
    assert before.items() <= {page["file"]: page["split"] for page in again["receipts"]}.items()
    assert {paper_sets.half(f"{k:03}") for k in range(50)} == {"tune", "judge"}
