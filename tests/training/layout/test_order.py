"""The score of reading order with a detector's regions."""

import textwrap
from pathlib import Path

import pytest

from documents.layout.doclayout.detector import Detector
from documents.layout.structure.structure_reader import StructureReader
from training.layout.order import order_with_detector, read

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def detector():
    return Detector(ROOT / "checkpoints" / "layout-compact")


def test_a_page_is_read_by_its_text_layer(detector):
    """Regions that do not reach the text would score as a page without any."""
    assert (
        len(
            read(
                detector,
                StructureReader(ROOT / "checkpoints" / "structure-compact"),
                ROOT / "tests" / "data" / "columns.pdf",
            ).split()
        )
        > 20
    )


def test_the_corpus_scores_itself(detector, tmp_path):
    """The mean of another kind, or of all, would hide what the detector does to the order."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.pdf").write_bytes((ROOT / "tests" / "data" / "columns.pdf").read_bytes())
    (tmp_path / "manifest.csv").write_text("file,kind\npages/a.pdf,order\npages/b.pdf,real\n")
    script = """
        import json, pathlib, sys
        read = sorted(path.name for path in pathlib.Path(sys.argv[1]).glob("*.md"))
        means = {"mean order (1)": {"order": len(read) / 4}, "mean of all": {"order": 9}}
        pathlib.Path(sys.argv[3]).write_text(json.dumps({"means": means}))
    """
    (tmp_path / "score.py").write_text(textwrap.dedent(script))
    assert order_with_detector(detector, tmp_path) == 0.25


def test_without_a_corpus_there_is_no_score(detector, tmp_path):
    assert order_with_detector(detector, tmp_path) is None
