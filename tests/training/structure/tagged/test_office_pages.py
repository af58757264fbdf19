"""Office documents become tagged PDFs of the same half; LibreOffice is the real one where it is installed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.truths.headings import family_of
from training.structure.tagged.office_pages import BATCH, COMMAND, batches, convert, main, pdf_of
from training.structure.tagged.pages import examples, is_tuned_on

PAGE = r"""{\rtf1\ansi{\stylesheet{\s1\outlinelevel0\b\fs32 heading 1;}}
{\pard\s1\outlinelevel0\b\fs32 Harbour dues\par}
{\pard\fs20 BODY\par}
{\pard\fs20 BODY\par}}"""
BODY = "The harbour master signs the ledger every morning before the fog lifts and the boats leave for the banks. " * 4


@pytest.mark.parametrize("name", ["Minutes May 2021.docx", "report.docx", "slides.PPTX"])
def test_the_pdf_falls_into_the_half_of_its_document(name):
    folder = Path("/sets/agency")
    path = folder / "minutes" / name
    target = pdf_of(path, folder, Path("/out"))
    assert target.suffix == ".pdf"
    assert family_of(target.relative_to("/out")) == family_of(path.relative_to("/sets"))


def test_a_batch_goes_through_one_filter(tmp_path):
    for number in range(BATCH + 1):
        (tmp_path / f"{number}.docx").write_bytes(b"x" * number)
    (tmp_path / "slides.PPTX").write_bytes(b"")
    names = [[path.name for path in batch] for batch in batches(tmp_path.iterdir())]
    assert sorted(len(batch) for batch in names) == [1, 1, BATCH]
    assert ["slides.PPTX"] in names
    assert [f"{number}.docx" for number in range(BATCH)] in names


def test_what_libreoffice_cannot_convert_is_left_out(tmp_path, monkeypatch):
    """Guards against a run that ends with the first broken document."""
    (tmp_path / "a.docx").write_bytes(b"")
    monkeypatch.setattr("training.structure.tagged.office_pages.COMMAND", "true")
    convert({tmp_path / "a.docx": tmp_path / "out" / "a.docx.pdf"}, tmp_path)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which(COMMAND) is None, reason="LibreOffice is not installed")
def test_headings_of_an_office_document_are_headings_of_its_page(tmp_path, capsys):
    folder = next(
        tmp_path / name for name in ("a", "b", "c", "d") if is_tuned_on(tmp_path / name, tmp_path / name / "dues.rtf")
    )
    folder.mkdir()
    (folder / "dues.rtf").write_text(PAGE.replace("BODY", BODY))
    assert main([str(tmp_path / "out"), str(folder)]) == 0
    assert capsys.readouterr().out == "1 PDFs of 1 documents\n"
    (example,) = examples(tmp_path / "out" / folder.name / "dues.pdf")
    assert example.tokens.texts[int((example.role == 1).argmax())] == "Harbour dues"
