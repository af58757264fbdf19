"""The counts of fields, comments and characters are those of the files."""

from __future__ import annotations

from pathlib import Path

import pymupdf

from benchmarks import born_digital


def _form(path: Path) -> Path:
    with pymupdf.open() as document:
        page = document.new_page()
        for name, value in (("berth", "7"), ("boat", "Alma")):
            widget = pymupdf.Widget()
            widget.field_type = pymupdf.PDF_WIDGET_TYPE_TEXT
            widget.field_name, widget.field_value = name, value
            widget.rect = pymupdf.Rect(100, 100, 200, 120) if name == "berth" else pymupdf.Rect(100, 140, 200, 160)
            page.add_widget(widget)
        document.save(path)
    return path


def test_fields_that_differ_are_no_same_ones(tmp_path: Path, monkeypatch) -> None:
    path = _form(tmp_path / "a.pdf")
    monkeypatch.setattr(born_digital, "pikepdf_fields", lambda _: [("berth", "7"), ("boat", "Anna"), ("flag", "")])
    row = born_digital.form_row(path)
    assert row is not None
    assert (row["expected"], row["read"], row["matched"], row["same"]) == (3, 2, 2, 1)


def test_a_file_that_the_other_reader_cannot_open_does_not_count(tmp_path: Path, monkeypatch) -> None:
    def broken(_: Path) -> list[born_digital.Field]:
        raise ValueError

    monkeypatch.setattr(born_digital, "pikepdf_fields", broken)
    assert born_digital.form_row(_form(tmp_path / "a.pdf")) is None


def test_comments_are_the_same_with_kind_text_and_words(tmp_path: Path, monkeypatch) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((100, 100), "twelve euros a day")
        mark = page.add_highlight_annot(page.search_for("twelve euros")[0])
        mark.set_info(content="not ten?")
        mark.update()
        document.save(tmp_path / "a.pdf")
    for words, same in (("twelve euros", 1), ("a day", 0)):
        monkeypatch.setattr(
            born_digital, "pdfannots_comments", lambda _, words=words: [(1, "highlight", "not ten?", words)]
        )
        row = born_digital.comment_row(tmp_path / "a.pdf")
        assert row is not None
        assert (row["expected"], row["matched"], row["same"]) == (1, 1, same)


def test_accents_apart_are_counted() -> None:
    assert len(born_digital.ACCENTS_APART.findall("caf´e and e ´ e, but café and 5´ and ˆ")) == 2


def test_figures_are_sums_and_time_per_page() -> None:
    rows = [{"file": "a", "same": 2, "pages": 1, "cpu_s": 0.1}, {"file": "b", "same": 1, "pages": 3, "cpu_s": 0.3}]
    assert born_digital._sums(rows) == {"files": 2, "same": 3, "pages": 4, "cpu_ms_per_page": 100.0}
