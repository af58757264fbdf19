"""docs/client.md: its examples run as they stand, but for the address and the file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pagemill.local_ingress import Here
from tests.pagemill.test_client import PDF

PAGE = Path(__file__).parents[2] / "docs" / "client.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_page_runs(
    example: str, here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Guards against a page that shows calls which are no longer there."""
    (tmp_path / "paper.pdf").write_bytes(PDF)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(example.replace("http://127.0.0.1:8000", here.url), names)
    assert here.calls("GET", "/result") > 0
