"""What a child says of a bad file is ours alone: fixed words, no path, no library's name."""

from __future__ import annotations

import gc
import io
import logging
from pathlib import Path

import pytest
from PIL import Image

from documents.errors import PageFailed, UnreadableDocument
from documents.media_types import PLAIN_TEXT
from documents.render_limits import RenderLimits
from documents.sandbox import framing
from documents.sandbox.child import Desk
from documents.values import Source


def opened(with_pool, source):
    async def use(pool):
        return await pool.open(source)

    return with_pool(use)


@pytest.mark.parametrize(
    ("content", "media_type", "message"),
    [
        (b"%PDF-1.7\n" + bytes(range(256)) * 16, "application/pdf", "the file is damaged: it cannot be opened"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "image/png", "the file is damaged: it cannot be opened"),
        (None, "application/pdf", "the file cannot be opened"),
        ("half", "image/png", "the image is damaged"),
    ],
)
def test_clients_never_see_the_parsers_words(with_pool, tmp_path, caplog, content, media_type, message):
    """Guards against answers that tell clients where the server keeps its files and what it runs."""
    path = tmp_path / "secret-folder-name"
    if content == "half":
        Image.effect_noise((200, 200), 90).save(path, "PNG")
        path.write_bytes(path.read_bytes()[:9000])
    elif content is not None:
        path.write_bytes(content)
    with caplog.at_level(logging.WARNING), pytest.raises(UnreadableDocument) as caught:
        opened(with_pool, Source(path=str(path), media_type=media_type))
    assert caught.value.message == message
    assert "Error" in caplog.text  # the parser's own words are for whoever runs the server


def test_a_page_that_fails_is_told_in_fixed_words(data, source, monkeypatch):
    """Guards against a parser's words about a page that reach the page's warnings."""

    class Spoilt:
        def inspect(self, number):
            raise RuntimeError("mupdf: /srv/blobs/ab/abcdef: bad alloc")

    desk = Desk(RenderLimits())
    monkeypatch.setattr(desk, "_open", lambda source, file: Spoilt())
    reply, _ = desk.answer(
        {"call": "inspect", "source": source(data / "letter.pdf").model_dump(), "number": 1, "text_source": "auto"},
        io.BytesIO(),
    )
    assert reply["error"] == {
        "code": PageFailed.code,
        "message": "the page is damaged: it cannot be drawn or read",
        "detail": "RuntimeError: mupdf: /srv/blobs/ab/abcdef: bad alloc",
    }
    assert reply["worn"]


@pytest.mark.parametrize("broken", [False, True], ids=["sound", "broken"])
def test_a_document_that_is_put_away_leaves_no_file_open(data, source, tmp_path, broken):
    """Guards against a child that runs out of files: an error's traceback holds the document, and with it its file."""
    desk, counts = Desk(RenderLimits()), list[int]()
    gc.disable()  # as good as disabled in the child: a page makes fewer objects than it waits for
    try:
        for n in range(8):
            path = tmp_path / f"{n}.pdf"
            path.write_bytes(b"%PDF-1.7\n" + bytes(range(256)) if broken else (data / "letter.pdf").read_bytes())
            request = {"call": "inspect", "source": source(path).model_dump(), "number": 1, "text_source": "auto"}
            reply, _ = desk.answer(request, path.open("rb"))
            assert ("error" in reply) == broken
            counts.append(len(list(Path("/proc/self/fd").iterdir())))
    finally:
        gc.enable()
    assert counts[-1] <= counts[1], counts


def test_a_page_full_of_text_is_told_whatever_pictures_may_have(with_pool, data, source):
    """Guards against a limit for pixels that cuts off an inspection, which is many kilobytes of JSON."""

    async def use(pool):
        return await pool.inspect(source(data / "columns.pdf"), 1)

    assert with_pool(use, max_pixels=1000).inspection().lines


def test_a_page_that_is_too_long_to_be_delivered_is_refused_by_name(tmp_path, monkeypatch):
    """A workbook of 105 kB became pages of 120 MB, each parsed on an event loop, stored, and sent on (A3)."""
    letter = tmp_path / "letter.txt"
    letter.write_text("A letter.\n" * 100, encoding="utf-8")
    request = {"call": "authored", "source": Source(path=str(letter), media_type=PLAIN_TEXT).model_dump(), "number": 1}
    with letter.open("rb") as file:
        assert "ok" in Desk(RenderLimits()).answer(request, file)[0]
    monkeypatch.setattr(framing, "MAX_FINISHED_PAGE_BYTES", 1000)
    with letter.open("rb") as file:
        reply, content = Desk(RenderLimits()).answer(request, file)
    assert reply["error"]["code"] == "unpacks_too_large"
    assert content == b""
