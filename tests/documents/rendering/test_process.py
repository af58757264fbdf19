"""A child that answers in another form, or does not start, is ended and told as what it is."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest

from documents.errors import PageFailed, RendererUnavailable
from documents.rendering import process, wire


def process_of(pool):
    return pool._children[0]._process


async def printing(*said):
    """A process in place of a child that says `said` (bytes) and ends."""
    code = f"import sys; sys.stdout.buffer.write({b''.join(said)!r}); sys.stdout.flush(); sys.stdin.read()"
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = (sys.executable, "-S", "-c", code)
    with theirs:
        given = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
        child = await asyncio.create_subprocess_exec(*command, **given, pass_fds=(theirs.fileno(),))
    return child, ours


def message(reply, payload=b""):
    return b"".join(wire.packed(reply, payload))


BROKEN = {
    "no answer": {"worn": False},
    "an answer of another kind": {"ok": []},
    "an error without words": {"error": {"code": "page_failed"}},
    "an error that is a number": {"error": 3},
    "an error with odd words": {"error": {"code": [], "message": "", "detail": ""}},
    "no boxes": {"ok": {"number": 1}},
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_reply_of_the_wrong_form_ends_its_child(with_pool, data, source, monkeypatch, kind):
    """Guards against a spoilt child that goes on, and against its words that end as an error of the server."""

    async def start(limits):
        return await printing(message({"walls": []}), message(BROKEN[kind]))

    async def use(pool):
        letter = source(data / "letter.pdf")
        for call in (pool.inspect(letter, 1), pool.picture(letter, 1)):
            with pytest.raises(PageFailed, match="the renderer ended"):
                await call
            assert process_of(pool) is None

    monkeypatch.setattr(process, "_start", start)
    with_pool(use, num_children=1)


def test_a_picture_of_another_size_than_told_ends_its_child(with_pool, data, source, monkeypatch):
    """Guards against pixels that are taken for a picture of another shape."""

    async def start(limits):
        return await printing(message({"walls": []}), message({"ok": {"shape": [2, 2, 3]}}, bytes(11)))

    async def use(pool):
        with pytest.raises(PageFailed):
            await pool.picture(source(data / "letter.pdf"), 1)
        assert process_of(pool) is None

    monkeypatch.setattr(process, "_start", start)
    with_pool(use, num_children=1)


def test_that_no_child_can_be_started_is_not_the_document_s_fault(with_pool, data, source, monkeypatch):
    """Guards against a sound document refused for good because the machine lacked memory or processes."""
    failing = [lambda: printing(message({"warm": True})), no_process]

    async def start(limits):
        return await failing.pop(0)()

    async def use(pool):
        letter = source(data / "letter.pdf")
        while failing:
            with pytest.raises(RendererUnavailable) as caught:
                await pool.open(letter)
            assert caught.value.retryable
            assert process_of(pool) is None

    monkeypatch.setattr(process, "_start", start)
    monkeypatch.setattr(process, "END_S", 0.01)
    with_pool(use, num_children=1, start_timeout_s=20.0)


async def no_process():
    raise BlockingIOError(11, "Resource temporarily unavailable")
