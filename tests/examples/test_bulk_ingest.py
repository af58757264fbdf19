"""What `examples/bulk_ingest.py` finds to do; the ingestion itself runs in tests/serve."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from examples.bulk_ingest import documents, rows


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.pdf", "deep/b.PDF", "notes.txt"):
        (folder / name).write_bytes(name.encode())
    return folder


def test_a_folder_and_its_url_hold_the_same_documents(papers: Path) -> None:
    """Guards against a bucket that is read in another way than a folder."""
    rows = documents(str(papers))
    assert {(Path(path).name, size) for path, size in rows} == {("a.pdf", 5), ("b.PDF", 10)}
    assert documents(papers.as_uri()) == rows


def test_a_place_that_is_not_there_yet_has_no_rows(tmp_path: Path) -> None:
    """Guards against a first run that fails for want of its own results."""
    assert rows(str(tmp_path / "out")) == set()


@pytest.mark.parametrize("cut", [1, 8, 100])
def test_a_row_counts_only_in_a_file_that_is_whole(tmp_path: Path, cut: int) -> None:
    """Guards against documents that a killed run has half written and the next one takes for done."""
    for name in ("whole", "cut"):
        parquet.write_table(
            pa.table({"path": [f"/{name}.pdf"], "size": [5], "more": ["x"]}), tmp_path / f"{name}.parquet"
        )
    file = tmp_path / "cut.parquet"
    file.write_bytes(file.read_bytes()[:-cut])
    assert rows(str(tmp_path)) == {("/whole.pdf", 5)}
    assert not file.exists(), "others read the folder, too"


def test_somebody_else_s_file_is_left_alone(tmp_path: Path) -> None:
    """Guards against a folder that loses what was never ours."""
    parquet.write_table(pa.table({"other": [1]}), tmp_path / "theirs.parquet")
    assert rows(str(tmp_path)) == set()
    assert (tmp_path / "theirs.parquet").exists()


def test_a_document_that_has_changed_is_to_be_done(papers: Path, tmp_path: Path) -> None:
    """Guards against a revision that is never read."""
    (path,) = (path for path, _ in documents(str(papers)) if path.endswith("a.pdf"))
    parquet.write_table(pa.table({"path": [path], "size": [5]}), tmp_path / "rows.parquet")
    assert (path, 5) not in documents(str(papers)) - rows(str(tmp_path))
    (papers / "a.pdf").write_bytes(b"another length")
    assert (path, 14) in documents(str(papers)) - rows(str(tmp_path))
