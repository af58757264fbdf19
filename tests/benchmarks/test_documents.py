"""`benchmarks.documents`: that the sides read the same pages, and what becomes of one that cannot run."""

import sys

from benchmarks.documents import of_libraries


def test_the_library_is_measured_and_a_missing_peer_is_left_out(tmp_path, capsys):
    """Guards against a comparison in which one side read another document, or none."""
    figures, rows = of_libraries(tmp_path, sys.executable, 1, 1, ("ours_text", "pymupdf_text", "docling"))
    assert "docling is left out" in capsys.readouterr().out
    assert figures["pages_per_core_second_library"] > 0
    letters = {row["side"]: row["characters_a_page"] for row in rows if row["documents"] == "born-digital"}
    assert 0.8 < letters["ours_text"] / letters["pymupdf_text"] < 1.5
    assert all(row["peak_mb"] > 10 for row in rows)
