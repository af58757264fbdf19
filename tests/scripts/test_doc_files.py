"""`scripts/doc_files.py` prints every file with its first sentence, and names folders that are too full."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import doc_files  # noqa: E402
from doc_files import first_sentence, main  # noqa: E402


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("one.py", '"""Counts pages."""\n', "Counts pages."),
        ("two.py", '"""Counts the pages\nof a file. It keeps none.\n\nAnd more.\n"""\n', "Counts the pages of a file."),
        (
            "three.py",
            '"""Reads `pagemill.jsonl` and [1], 1.5 times\n\nAnd more.\n"""\n',
            "Reads `pagemill.jsonl` and [1], 1.5 times",
        ),
        ("four.py", "X = 1\n", ""),
        ("five.js", '// Shows pages,\n// one by one.\nimport "x";\n// Not this.\n', "Shows pages, one by one."),
        ("six.js", 'import "x";\n// Not this.\n', ""),
    ],
)
def test_the_first_sentence_is_that_of_the_docstring_or_of_the_first_comment(tmp_path, name, text, sentence):
    """Guards against half sentences, and against comments from within a file."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert first_sentence(tmp_path / name) == sentence


def test_a_folder_that_is_asked_for_is_printed_with_its_rooms(monkeypatch, capsys):
    """Guards against a list that leaves out the file that somebody looks for."""
    monkeypatch.setattr(sys, "argv", ["doc_files.py", "documents/office"])
    main()
    printed = capsys.readouterr().out
    assert "documents/office/word/" in printed
    assert "  word.py: Reads DOCX" in printed
    assert "documents/pdf" not in printed


def test_a_folder_with_more_files_than_a_glance_takes_is_named(monkeypatch):
    assert "documents/office/word" not in set(doc_files.crowded())
    monkeypatch.setattr(doc_files, "MAX_FILES", 5)
    assert "documents/office/word" in set(doc_files.crowded())
