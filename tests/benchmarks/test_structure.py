"""Scores are asked only where a truth says something, and each file is in the groups and half that its name says."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from benchmarks.harness.page_networks import PageNetworks
from benchmarks.structure import Result, Sample, by_group, figures_of, keep, read, rows_of, samples_of, structure_score
from configs.settings import Settings
from documents.pdf.pdf_file import PdfFile
from documents.render_limits import RenderLimits
from documents.segments.packed_features import packed_segments
from documents.values import Source

DATA = Path(__file__).parents[1] / "data"
ALL = frozenset({"text", "order", "table", "heads", "furn"})
MANIFEST = """file,truth,scores,ocr_pages,sha256
pages/real_memo.pdf,truth/memo.md,,0,a
pages/table_log.pdf,truth/log.md,table,0,b
pages/scan_fax.pdf,truth/memo.md,,1,c
hostile/empty.pdf,,,,d
"""
SCORE = """
import re
HEADING = re.compile(r"^#+ (.+)$", re.M)
plain = str
def tables(markdown):
    return re.findall("<table>", markdown)
def score(truth, result):
    same = float(truth == result)
    names = ("text", "words", "order", "table", "heads", "furn")
    return {name: None if name == "heads" and not HEADING.search(truth) else same for name in names}
"""


def sample(name: str | Path = "pages/dps_001.pdf", truth="# The harbour\n", scores=ALL, half="tuned"):
    path = Path(name)
    return Sample(path, truth, scores, f"{path.parent}/{path.stem.split('_')[0]}", half)


def result(markdown="# The harbour\n", pages=1, **seconds):
    return Result(markdown, pages, seconds)


@pytest.fixture
def score(tmp_path):
    (tmp_path / "score.py").write_text(SCORE)
    return structure_score(tmp_path)


def test_a_corpus_is_read_as_far_as_its_text_layers_go(tmp_path):
    """Guards against scans that score 0 here, since nothing reads them, and against hostile files without a truth."""
    (tmp_path / "manifest.csv").write_text(MANIFEST)
    (tmp_path / "truth").mkdir()
    for name in ("memo", "log"):
        (tmp_path / "truth" / f"{name}.md").write_text(name)
    samples = {item.path.name: item for item in samples_of(tmp_path)}
    assert set(samples) == {"real_memo.pdf", "table_log.pdf"}
    assert samples["real_memo.pdf"].group == f"{tmp_path.name}/real"
    assert samples["table_log.pdf"].scores == {"table"}


def test_files_beside_their_truths_are_grouped_by_the_first_word_of_their_names(tmp_path):
    for name in ("dp_115", "dps_001", "dps_002"):
        (tmp_path / f"{name}.pdf.md").write_text("# The harbour\n")
    assert [item.group.split("/")[1] for item in samples_of(tmp_path)] == ["dp", "dps", "dps"]
    assert samples_of(tmp_path)[0].path == tmp_path / "dp_115.pdf"


def test_a_heading_or_table_where_the_truth_has_none_costs(score):
    """Guards against headings that cost nothing on a page without any, of which the corpus' script says nothing."""
    plain = sample(truth="It was closed.\n")
    rows = rows_of([plain] * 3, [result("It was closed.\n"), result("# It was closed.\n"), result("<table>")], score)
    assert [row["no_heads"] for row in rows] == [1, 0, 1]
    assert [row["no_table"] for row in rows] == [1, 1, 0]
    assert rows[0]["heads"] is None
    (with_heading,) = rows_of([sample()], [result()], score)
    assert (with_heading["heads"], with_heading["no_heads"]) == (1, None)


def test_broken_paragraphs_count_per_hundred_of_the_truth(score):
    truth = "One two.\n\nThree four.\n"
    row = rows_of([sample(truth=truth)], [result("One\n\ntwo. Three four.\n")], score)[0]
    assert (row["cut"], row["joined"]) == (50, 50)


def test_a_truth_of_tables_alone_says_nothing_of_words_or_headings(score):
    (row,) = rows_of([sample(scores=frozenset({"table"}))], [result()], score)
    assert row["table"] == 1
    assert row["words"] is row["text"] is row["heads"] is row["no_heads"] is None


def test_halves_and_groups_have_means_of_their_own(score):
    samples = [sample(), sample(half="held"), sample("pages/dp_115.pdf")]
    rows = rows_of(samples, [result(), result("other"), result()], score)
    means = {row["group"]: (row["files"], row["heads"]) for row in by_group(rows)}
    assert means["pages/dps"] == (2, 0.5)
    assert means["pages/dps held"] == (1, 0)
    assert means["pages/dp tuned"] == (1, 1)
    assert means["all"] == (3, pytest.approx(2 / 3, abs=1e-4))


def test_a_page_counts_the_same_in_a_long_document(score):
    """Guards against a mean of documents, in which the only page of one weighs as much as a hundred of another."""
    rows = rows_of([sample(), sample()], [result(pages=1, network=0.1), result(pages=3, network=0.9)], score)
    assert [row["network_ms"] for row in rows] == [100, 300]
    assert figures_of(rows)["ms_network"] == 250
    assert figures_of(rows)["pages"] == 4


def test_a_file_that_cannot_be_opened_scores_nothing_and_the_next_one_is_read(tmp_path, score):
    """Guards against a damaged file that ends the run, or that raises the means by being left out."""
    (tmp_path / "dp_1.pdf").write_bytes(b"%PDF-1.7 and nothing else")
    samples = [sample(tmp_path / "dp_1.pdf"), sample(DATA / "letter.pdf")]
    damaged, letter = asyncio.run(read(samples, when="always"))
    assert (damaged.markdown, damaged.num_pages) == ("", 0)
    assert letter.num_pages == 1
    assert all(letter.seconds[stage] > 0 for stage in ("inspection", "picture", "network", "blocks", "structure"))
    assert rows_of(samples, [damaged, letter], score)[0]["heads"] == 0


def test_looks_are_counted_and_cost_time_only_where_there_are_some():
    """Guards against a comparison of both settings in which one is measured twice."""
    samples = [sample(DATA / "letter.pdf")]
    results = [asyncio.run(read(samples, when=when))[0] for when in ("needed", "always")]
    assert [result.num_looks for result in results] == [0, 1]
    assert [{"picture", "network"} & set(result.seconds) for result in results] == [set(), {"picture", "network"}]


def test_what_is_taken_away_is_not_known():
    """Guards against an ablation that leaves the evidence where it was."""
    with pymupdf.open(DATA / "letter.pdf") as pdf:
        pixels = pdf[0].get_pixmap(dpi=72)
    picture = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    whole, without_regions = (PageNetworks.of(Settings(), without) for without in ((), ["regions"]))
    assert whole.detector.detect([picture], [None])[0]
    assert without_regions.detector.detect([picture], [None]) == [[]]
    inspected = PdfFile(Source(path=str(DATA / "letter.pdf"), media_type="application/pdf"), RenderLimits()).inspect(1)
    packed = packed_segments(inspected, inspected.lines)
    for name in ("type", "words", "graphics"):
        scores = [block.score for block in PageNetworks.of(Settings(), [name]).reader.blocks_of(packed)]
        assert scores != [block.score for block in whole.reader.blocks_of(packed)]


def test_the_markdown_of_each_file_is_kept_by_its_group(tmp_path):
    """Guards against files of one name in two folders that overwrite each other."""
    keep([sample(), sample("corpus/dps_001.pdf")], [result("one"), result("two")], tmp_path)
    assert (tmp_path / "pages" / "dps" / "dps_001.pdf.md").read_text() == "one"
    assert (tmp_path / "corpus" / "dps" / "dps_001.pdf.md").read_text() == "two"
