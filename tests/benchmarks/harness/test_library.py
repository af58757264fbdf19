"""The benchmark's way through the functions, without a server."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness.library import read_all

DATA = Path(__file__).parents[2] / "data"


def test_a_document_is_read_and_one_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "none.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    rows = read_all([DATA / "letter.pdf", tmp_path / "none.pdf"], tmp_path)
    assert [row["status"] for row in rows] == ["succeeded", "failed"]
    assert rows[0]["num_unread"] == 0
    assert len((tmp_path / "letter.pdf.md").read_text(encoding="utf-8")) > 20
    assert (tmp_path / "none.pdf.md").read_text(encoding="utf-8") == ""
