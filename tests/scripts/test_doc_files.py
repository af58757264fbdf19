"""`scripts/doc_files.py`: docs/files.md lists every file with the sentence that it begins with."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from doc_files import ROOMS, files_page, first_sentence  # noqa: E402


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


def test_every_file_of_the_rooms_has_a_row_that_leads_to_it():
    """Guards against a page that leaves out the file that somebody looks for."""
    page = files_page()
    listing = subprocess.run(["git", "ls-files", "--", *ROOMS], check=True, capture_output=True, text=True, cwd=ROOT)
    for name in listing.stdout.splitlines():
        file = ROOT / name
        if file.suffix == ".py" and file.name != "__init__.py" and file.exists():
            assert f"](../{name}) | " in page, name
    assert "](../deployments/ingress/static/main.js) | " in page
