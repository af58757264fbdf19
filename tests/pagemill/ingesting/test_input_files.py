"""`pagemill.ingesting.input_files`: what a person means by a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagemill.ingesting.input_files import NoSuchFile, find


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (
        "in/b.PDF",
        "in/a.pdf",
        "in/deep/c.tiff",
        "in/notes.txt",
        "in/program.exe",
        "in/.hidden/d.pdf",
        "in/[1].pdf",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return tmp_path


def test_of_a_folder_all_documents_are_meant_and_nothing_hidden(folder: Path) -> None:
    """Guards against files that are silently left out, and a cache that is read with them."""
    assert [str(file.place) for file in find([str(folder / "in")])] == [
        "[1].pdf",
        "a.pdf",
        "b.PDF",
        "deep/c.tiff",
        "notes.txt",
    ]


def test_a_pattern_is_understood_and_a_file_comes_once(folder: Path) -> None:
    """Guards against a shell that passes patterns on, and a document that is sent twice."""
    named = [str(folder / "in/**/*.pdf"), str(folder / "in/a.pdf"), str(folder / "in/[1].pdf")]
    assert sorted(str(file.place) for file in find(named)) == ["[1].pdf", "a.pdf"]


def test_a_file_that_is_named_is_meant_whatever_its_name(folder: Path) -> None:
    """Guards against a scan without a suffix that is refused before anybody looked into it."""
    assert [str(file.place) for file in find([str(folder / "in/notes.txt")])] == ["notes.txt"]


@pytest.mark.parametrize("name", ["absent.pdf", "in/*.webp", "in/.hidden/*.png"])
def test_a_name_that_means_nothing_is_refused(folder: Path, name: str) -> None:
    """Guards against a slip of the pen that ends as success."""
    with pytest.raises(NoSuchFile, match="no such file"):
        find([str(folder / name)])
