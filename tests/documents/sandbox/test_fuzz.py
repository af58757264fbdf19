"""Damaged PDFs and images by the thousand: each gives a page or a named error, and the next file is served.

`make test-long` mutates a few hundred; with `FUZZ_S=600` it goes on for ten minutes.
"""

from __future__ import annotations

import asyncio
import os
import random
import time

import pytest

from documents.errors import IngestError
from documents.sandbox import RendererPool, RenderLimits
from documents.values import Source

pytestmark = pytest.mark.slow
SECONDS = float(os.environ.get("FUZZ_S", "20"))
TOKENS = (
    b"obj",
    b"endobj",
    b"stream",
    b"/Length 99999999",
    b"/Kids[1 0 R]",
    b"/Filter/FlateDecode",
    b"<<" * 50,
    b"-1",
    b"\0",
)
LIMITS = RenderLimits(page_cpu_s=5, page_timeout_s=20, memory_bytes=1_000_000_000)


def mutated(content: bytes, chance: random.Random) -> bytes:
    """The bytes with a few of them changed, cut, doubled, or replaced by what a parser knows."""
    changed = bytearray(content)
    for _ in range(chance.randint(1, 12)):
        at = chance.randrange(len(changed))
        how = chance.randrange(5)
        if how == 0:
            changed[at] = chance.randrange(256)
        elif how == 1:
            changed[at : at + chance.randint(1, 200)] = b""
        elif how == 2:
            changed[at:at] = changed[at : at + chance.randint(1, 400)]
        elif how == 3:
            changed[at : at + chance.randint(0, 8)] = chance.choice(TOKENS)
        else:
            changed[at : at + 4] = str(chance.choice([0, -1, 2**31, 10**12])).encode()
        if len(changed) < 32:
            return content
    return content[:8] + bytes(changed[8:])  # the magic stays, or the door would have it


@pytest.mark.parametrize("name", ["letter.pdf", "columns.pdf", "scan.png"])
def test_no_damage_escapes(name: str, data, tmp_path) -> None:
    """Guards against a file that ends in anything but pages or a named error, or that spoils the next one."""
    whole = next(path for path in (data / name, *sorted(data.glob("*.pdf"))) if path.exists())
    kind = "image/png" if whole.suffix == ".png" else "application/pdf"
    chance = random.Random(name)

    async def fuzz() -> int:
        pool, count, end = RendererPool(1, LIMITS), 0, time.monotonic() + SECONDS / 3
        try:
            while time.monotonic() < end:
                file = tmp_path / f"{count}{whole.suffix}"
                file.write_bytes(mutated(whole.read_bytes(), chance))
                await tried(pool, Source(path=str(file), media_type=kind))
                file.unlink()
                count += 1
            opened = await pool.open(Source(path=str(whole), media_type=kind))
            assert opened.num_pages >= 1
        finally:
            await pool.close()
        return count

    assert asyncio.run(fuzz()) > 0


async def tried(pool: RendererPool, source: Source) -> None:
    try:
        opened = await pool.open(source)
        for number in range(1, min(3, opened.num_pages) + 1):
            await pool.inspect(source, number)
            await pool.picture(source, number, long_side=256)
    except IngestError:
        pass
