"""Writes docs/first-ten-minutes.md and its pictures from a real server: `python scripts/first_ten_minutes.py`.

Each block of the page is what the command printed, but for the port, the folder and the ids, which are made short. The
pictures need Chromium.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from pagemill import Client
from pagemill.ingesting.local_server import free_port

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "first-ten-minutes.md"
PICTURES = ROOT / "docs" / "first-ten-minutes"
QUESTION = "what if a page is damaged"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
NUM_COLOURS = 128  # of a picture: small files, and no difference that a person would see
STOP_S = 120.0


@dataclass(slots=True)
class Session:
    """A folder with documents, a server whose data lie in it, and what was printed."""

    folder: Path
    port: int
    blocks: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "pagemill", *arguments]

    def environment(self) -> dict[str, str]:
        return os.environ | {"PAGEMILL_URL": self.url, "COLUMNS": "100", "PYTHONPATH": str(ROOT)}

    def run(self, *arguments: str) -> None:
        """Keep what a command prints, whatever its exit code."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.blocks[arguments[0]] = self.shortened(done.stdout)

    def shortened(self, text: str) -> str:
        """Without what differs from machine to machine."""
        text = text.replace(str(self.folder), ".").replace(str(self.port), "8000")
        text = re.sub(r"(/documents/[0-9a-f]{12})[0-9a-f]+", r"\1...", text)
        return "\n".join(line.rstrip() for line in text.strip().splitlines())


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ten-") as name:
        session = Session(Path(name), free_port())
        documents(session.folder / "papers")
        began = time.monotonic()
        with serving(session), browsing() as page:
            seconds = {"ready": time.monotonic() - began}
            page.goto(session.url)
            expect(page.locator(".sample").first).to_be_visible()
            picture(page, "empty")
            session.run("ingest", "papers", "--out", "out")
            session.run("query", QUESTION, "-k", "2")
            seconds["answer"] = time.monotonic() - began
            pictures(page, session)
        PAGE.write_text(written(session, seconds), encoding="utf-8")
    return 0


def documents(folder: Path) -> None:
    """Two documents, a scan, and one that was cut in half on its way."""
    folder.mkdir()
    for name in ("columns.pdf", "letter.pdf", "scan.png"):
        shutil.copyfile(ROOT / "tests" / "data" / name, folder / name)
    whole = (folder / "columns.pdf").read_bytes()
    (folder / "cut.pdf").write_bytes(whole[: len(whole) * 2 // 3])


@contextlib.contextmanager
def serving(session: Session) -> Iterator[None]:
    """Until the block is left; what the server printed is kept."""
    command = session.command("serve", "--port", str(session.port), "--data-dir", str(session.folder / "data"))
    process = subprocess.Popen(
        command,
        cwd=session.folder,
        env=session.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        while not any("Ctrl-C" in line for line in lines):
            lines.append(process.stdout.readline())
            if not lines[-1]:
                raise RuntimeError("".join(lines))
        yield
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=STOP_S)
        session.blocks["serve"] = session.shortened("".join(lines) + rest)


@contextlib.contextmanager
def browsing() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=WIDE, reduced_motion="reduce")  # pyright: ignore[reportArgumentType]
        page.set_default_timeout(60_000)
        yield page
        browser.close()


def pictures(page: Page, session: Session) -> None:
    """The page with the documents that were read."""
    with Client(session.url) as client:
        jobs = {job.file_name: job.id for job in client.jobs()}
    page.goto(f"{session.url}/#/jobs/{jobs['columns.pdf']}")
    page.reload()
    expect(page.locator(".region").nth(1)).to_be_visible()
    page.locator(".region").nth(1).hover()
    picture(page, "document")
    page.get_by_role("searchbox", name="Search all").fill(QUESTION)
    page.get_by_role("button", name="Search").click()
    page.locator(".passage").first.click()
    expect(page.locator(".hit").first).to_be_in_viewport()
    picture(page, "hit")
    page.get_by_role("button", name="Close").click()
    page.emulate_media(color_scheme="dark")
    page.goto(f"{session.url}/#/jobs/{jobs['scan.png']}")
    expect(page.locator(".top-of-job h2")).to_contain_text("scan.png")
    expect(page.locator(".region").first).to_be_visible()
    picture(page, "scan-dark")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(NARROW)  # pyright: ignore[reportArgumentType]
    page.reload()
    expect(page.locator(".region").first).to_be_visible()
    picture(page, "narrow")


def picture(page: Page, name: str) -> None:
    """One file of a few colours."""
    page.wait_for_function("[...document.images].every(image => image.complete)")
    page.wait_for_timeout(300)  # transitions have no end that a script could wait for
    PICTURES.mkdir(exist_ok=True)
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(NUM_COLOURS)
    image.save(PICTURES / f"{name}.png", optimize=True)


def written(session: Session, seconds: dict[str, float]) -> str:
    """The page."""
    blocks = session.blocks
    return f"""# The first ten minutes

What you see, from the start of the server to an answer with its place on the page. Made by
`python scripts/first_ten_minutes.py` on a busy machine: ready after {seconds["ready"]:.0f} s, the first answer after
{seconds["answer"]:.0f} s, with four documents read in between. In steps, with every call: [the tutorial](tutorial.md).

## A server

On a terminal the start is one live line; elsewhere, as here, it is a line per part. Afterwards there is a line per job
and per important warning; everything else is in the log.

```
$ pagemill serve
{blocks["serve"]}
```

![The empty page: a place to drop files, and three samples](first-ten-minutes/empty.png)

## A folder

`papers` holds two documents, a scan, and a file whose last third is missing. On a terminal each has a progress bar,
which moves region by region while OCR reads a page.

```
$ pagemill ingest papers --out out
{blocks["ingest"]}
```

![A document beside its picture, one region lit in both](first-ten-minutes/document.png)

## A question

Each passage names its file, its page and its headings, and leads to the place on the page.

```
$ pagemill query "{QUESTION}" -k 2
{blocks["query"]}
```

![The first hit, opened: the sentence is marked on the page](first-ten-minutes/hit.png)

## By night, and on a telephone

![The scan in dark colours](first-ten-minutes/scan-dark.png)

![The same scan, 360 pixels wide](first-ten-minutes/narrow.png)
"""


if __name__ == "__main__":
    sys.exit(main())
