"""What `examples/bulk_ingest.py` lists, holds and repeats; the ingestion itself runs in tests/serve."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from examples import bulk_ingest
from examples.bulk_ingest import Block, run
from examples.bulk_report import FAILURES_FILE, BlockReport, failure
from examples.bulk_rows import FinishedRows, write_rows
from examples.bulk_source import NUM_PER_PAGE, Document, pages_of, source_of
from tests.examples.killed_runs import check_repetitions, killed


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder"
    (folder / "deep").mkdir(parents=True)
    for name in ("a.pdf", "deep/b.PDF", "notes.txt"):
        (folder / name).write_bytes(name.encode())
    return folder


def documents(place: str) -> list[Document]:
    return [document for page in pages_of(source_of(place)) for document in page]


def finished(out: Path, page: list[Document]) -> dict[Document, dict[str, Any]]:
    rows = FinishedRows(str(out))
    try:
        return rows.of(page)
    finally:
        rows.close()


def test_a_folder_and_its_url_hold_the_same_documents(papers: Path) -> None:
    """Guards against a bucket that is read in another way than a folder."""
    listed = documents(str(papers))
    assert {(Path(path).name, size) for path, size in listed} == {("a.pdf", 5), ("b.PDF", 10)}
    assert documents(papers.as_uri()) == listed
    assert [source_of(str(papers)).content(path) for path, _ in listed] == [b"a.pdf", b"deep/b.PDF"]


def test_a_place_that_is_not_there_yet_has_no_rows(tmp_path: Path) -> None:
    """Guards against a first run that fails for want of its own results."""
    assert finished(tmp_path / "out", [Document("/a.pdf", 5)]) == {}


@pytest.mark.parametrize("cut", [1, 8, 100])
def test_a_row_counts_only_in_a_file_that_is_whole(tmp_path: Path, cut: int) -> None:
    """Guards against documents that a killed run has half written and the next one takes for done."""
    for name in ("whole", "cut"):
        parquet.write_table(
            pa.table({"path": [f"/{name}.pdf"], "size": [5], "more": ["x"]}), tmp_path / f"{name}.parquet"
        )
    file = tmp_path / "cut.parquet"
    file.write_bytes(file.read_bytes()[:-cut])
    assert set(finished(tmp_path, [Document("/cut.pdf", 5), Document("/whole.pdf", 5)])) == {("/whole.pdf", 5)}
    assert not file.exists(), "others read the folder, too"


def test_somebody_else_s_file_is_left_alone(tmp_path: Path) -> None:
    """Guards against a folder that loses what was never ours."""
    parquet.write_table(pa.table({"other": [1]}), tmp_path / "theirs.parquet")
    assert finished(tmp_path, [Document("/a.pdf", 5)]) == {}
    assert (tmp_path / "theirs.parquet").exists()


def test_a_document_that_has_changed_is_to_be_done(papers: Path, tmp_path: Path) -> None:
    """Guards against a revision that is never read."""
    out = tmp_path / "out"
    out.mkdir()
    (path,) = (path for path, _ in documents(str(papers)) if path.endswith("a.pdf"))
    parquet.write_table(pa.table({"path": [path], "size": [5]}), out / "rows.parquet")
    assert (path, 5) in finished(out, documents(str(papers)))
    (papers / "a.pdf").write_bytes(b"another length")
    assert (path, 14) in documents(str(papers))
    assert finished(out, documents(str(papers))) == {}


def test_rows_of_several_runs_count_wherever_their_files_overlap(tmp_path: Path) -> None:
    """Guards against rows that are looked for in one file only: a later run writes between those of the first."""
    everything = [Document(f"/{number:04}.pdf", number) for number in range(1000)]
    for first in range(7):
        some = everything[first::14]
        rows = [{"path": path, "size": size, "status": "succeeded"} for path, size in some]
        write_rows(str(tmp_path), some, rows)
    expected = {document for first in range(7) for document in everything[first::14]}
    rows = FinishedRows(str(tmp_path))
    assert {
        document for first in range(0, 1000, 90) for document in rows.of(everything[first : first + 90])
    } == expected
    rows.close()


def test_a_block_that_is_done_twice_has_its_rows_once(tmp_path: Path) -> None:
    """Guards against doubled rows of an actor that dies when its file is written and nobody knows of it."""
    block = [Document("/a.pdf", 5)]
    for status in ("failed", "succeeded"):
        write_rows(str(tmp_path), block, [{"path": "/a.pdf", "size": 5, "status": status}])
    assert parquet.read_table(tmp_path).column("status").to_pylist() == ["succeeded"]
    assert len(list(tmp_path.iterdir())) == 1


class Endless:
    """A source of so many documents that counts those that were taken from it and are not done."""

    def __init__(self, num_documents: int) -> None:
        self.num_documents = num_documents
        self.num_held = self.max_held = self.num_done = 0

    def documents(self) -> Iterator[Document]:
        for number in range(self.num_documents):
            self.num_held += 1
            self.max_held = max(self.max_held, self.num_held)
            yield Document(f"shelf/papers/{number:09}.pdf", number)

    async def work(self, block: Block) -> BlockReport:
        await asyncio.sleep(0)  # the others' turn
        self.num_done += len(block)
        self.num_held -= len(block)
        return BlockReport(len(block), ())


def test_of_a_million_documents_no_more_are_held_than_are_on_their_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guards against a listing that runs ahead of the server, and against a set of all keys."""
    source = Endless(1_000_000)
    monkeypatch.setattr(bulk_ingest, "source_of", lambda _: source)
    counts = asyncio.run(run("s3://any", str(tmp_path / "out"), source.work, rows_per_file=100, max_blocks=4))
    assert counts == {"found": 1_000_000, "done": 0, "written": 1_000_000, "left": 0, "failed": 0}
    assert source.max_held <= 4 * 100 + NUM_PER_PAGE + 100


def test_a_full_server_stops_the_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards against keys that pile up while nothing is done."""
    source = Endless(100_000)
    monkeypatch.setattr(bulk_ingest, "source_of", lambda _: source)

    async def main() -> int:
        is_full, num_blocks = asyncio.Event(), 0

        async def work(block: Block) -> BlockReport:
            nonlocal num_blocks
            num_blocks += 1
            if num_blocks == 3:
                is_full.set()
            await asyncio.Event().wait()
            raise AssertionError

        running = asyncio.ensure_future(run("s3://any", str(tmp_path), work, rows_per_file=100, max_blocks=3))
        await is_full.wait()
        for _ in range(100):  # turns in which the listing could go on
            await asyncio.to_thread(int)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return num_blocks

    assert asyncio.run(main()) == 3
    assert source.max_held == NUM_PER_PAGE


def test_what_failed_is_listed_in_this_run_and_in_the_next(papers: Path, tmp_path: Path) -> None:
    """Guards against failures that only the run knows in which they happened, and those that stay when they pass."""
    out = tmp_path / "out"
    let = False

    async def work(block: Block) -> BlockReport:
        lines, rows = [], []
        for document in block:
            row = {"status": "failed", "error": "unreadable_document: broken", "failed_pages": None}
            is_final = document.path.endswith("a.pdf")
            if not is_final and let:
                rows.append({**document._asdict(), "status": "succeeded"})
                continue
            lines.append(failure(document, row, is_final=is_final))
            if is_final:
                rows.append(document._asdict() | row)
        write_rows(str(out), block, rows)
        return BlockReport(len(rows), tuple(lines))

    def ran() -> tuple[dict[str, int], set[tuple[str, bool, str]]]:
        counts = asyncio.run(run(str(papers), str(out), work, rows_per_file=10, max_blocks=2))
        lines = [json.loads(line) for line in (out / FAILURES_FILE).read_text().splitlines()]
        return counts, {(Path(line["path"]).name, line["is_final"], line["error"]) for line in lines}

    final, passing = (("a.pdf", True, "unreadable_document: broken"), ("b.PDF", False, "unreadable_document: broken"))
    assert ran() == ({"found": 2, "done": 0, "written": 1, "left": 1, "failed": 1}, {final, passing})
    let = True
    assert ran() == ({"found": 2, "done": 1, "written": 1, "left": 0, "failed": 1}, {final})
    assert parquet.read_table(out).num_rows == 2


def test_what_a_killed_run_wrote_is_neither_lost_nor_done_again(tmp_path: Path) -> None:
    """Guards against a resumed run that trusts how far the listing came, or begins again."""
    folder, out, log = tmp_path / "in", tmp_path / "out", tmp_path / "log"
    for number in range(1500):
        path = folder / f"{number % 7}" / f"{number}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    assert killed(str(folder), str(out), log, 5, "before") is None
    assert killed(str(folder), str(out), log, 4, "behind") is None
    (folder / "3" / "between.pdf").write_bytes(b"new")
    counts = killed(str(folder), str(out), log, 0, "")
    assert counts is not None
    assert (counts["found"], counts["done"] + counts["written"], counts["left"]) == (1501, 1501, 0)
    paths = parquet.read_table(out).column("path").to_pylist()
    assert sorted(paths) == sorted(str(path) for path in folder.rglob("*.pdf"))
    check_repetitions(log, 2, counts)
    again = killed(str(folder), str(out), log, 0, "")
    assert again == {"found": 1501, "done": 1501, "written": 0, "left": 0, "failed": 0}
    shutil.rmtree(out)
