"""`pagemill.ingesting.ingest_log`: what is on the disk is enough to go on from."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pagemill.ingesting.ingest_log import FILE_NAME, Entry, IngestLog, options_fingerprint
from pagemill.values import Options


def entry(number: int = 0, **changes: object) -> Entry:
    fields = {
        "source": f"/in/{number}.pdf",
        "output": f"{number}.md",
        "options": "{}",
        "sha256": "ab",
        "status": "sent",
    }
    return Entry.model_validate(fields | changes)


@settings(deadline=None, max_examples=50)  # every line is synced
@given(st.data())
def test_a_record_that_is_cut_off_anywhere_keeps_every_whole_line(data: st.DataObject) -> None:
    """Guards against a kill in the middle of a line that costs the lines before it, or the next one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = IngestLog(folder)
        for number in range(4):
            log.put(entry(number, status="succeeded"))
        file = folder / FILE_NAME
        whole = file.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        file.write_bytes(whole[:cut])
        again = IngestLog(folder)
        again.put(entry(9, status="partial"))
        last = IngestLog(folder)
        numbers = [number for number in range(4) if last.entry(f"{number}.md", "ab", "{}") is not None]
        num_whole = whole[:cut].count(b"\n")
        assert numbers in (list(range(num_whole)), list(range(num_whole + 1)))  # a line may lack its end alone
        assert last.entry("9.md", "ab", "{}") is not None


def test_other_bytes_or_options_are_other_work(tmp_path: Path) -> None:
    """Guards against yesterday's text for today's file."""
    log = IngestLog(tmp_path)
    log.put(entry(status="succeeded"))
    assert log.entry("0.md", "cd", "{}") is None
    assert log.entry("0.md", "ab", '{"pages": "1"}') is None
    assert not log.is_done(log.entry("0.md", "ab", "{}")), "its result is not there"
    (tmp_path / "0.md").touch()
    assert log.is_done(log.entry("0.md", "ab", "{}"))


def test_a_password_makes_a_difference_and_is_not_told() -> None:
    """Guards against a secret in a file of the out folder."""
    fingerprint = options_fingerprint(Options(password="correct horse"))
    assert fingerprint != options_fingerprint(Options(password="other"))
    assert "horse" not in fingerprint


def test_an_output_stays_its_owner_s_whatever_the_order(tmp_path: Path) -> None:
    """Guards against two files of one stem that change places in the second run."""
    first, second = Path("/in/a.pdf"), Path("/in/a.png")
    log = IngestLog(tmp_path)
    names = {path: log.output(path, Path(path.name), "md") for path in (first, second)}
    assert list(names.values()) == ["a.md", "a.png.md"]
    for path, name in names.items():
        log.put(entry(source=str(path), output=name))
    again = IngestLog(tmp_path)
    assert {path: again.output(path, Path(path.name), "md") for path in (second, first)} == names
