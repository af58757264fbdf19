"""The examples of the docs, run as they stand against the real server: what they print is what the docs say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.harness.server import ROOT, Running

pytestmark = pytest.mark.serve
EXAMPLE = re.compile(r"```bash\n(.*?)```(?:\n+```text\n(.*?)```)?", re.S)
MARK = "=== the next example ==="


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed here")
@pytest.mark.parametrize("name", ["tutorial.md", "api.md"])
def test_examples_print_what_the_docs_say(running: Running, tmp_path: Path, name: str) -> None:
    """Guards against docs that were true once. `...` stands for anything."""
    examples = EXAMPLE.findall((ROOT / "docs" / name).read_text(encoding="utf-8"))
    assert len(examples) >= 4
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    script = f"\necho '{MARK}'\n".join(code for code, _ in examples)
    script = script.replace("localhost:8000", running.url.removeprefix("http://"))
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
        env=os.environ | {"no_proxy": "*"},
    )
    printed = done.stdout.split(MARK)
    for (code, shown_output), output in zip(examples, printed, strict=False):
        expected = ".*".join(map(re.escape, shown_output.strip().split("...")))
        assert re.fullmatch(expected, output.strip(), re.S), f"{code}\nprinted\n{output}\nnot\n{shown_output}"
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert len(printed) == len(examples)
