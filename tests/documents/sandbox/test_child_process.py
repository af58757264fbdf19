"""A child that answers in another form, or does not start, is ended and told as what it is."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal

import pytest

from documents.errors import ImageTooLarge, PageFailed, PageTooCostly, RendererUnavailable, UnreadableDocument
from documents.sandbox import child_process, framing
from documents.values import Source
from tests.documents.sandbox.spoken import message, printing


def process_of(pool):
    return pool._children[0]._spawned


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
            with pytest.raises(PageFailed, match="2 renderers ended"):
                await call
            assert process_of(pool) is None

    monkeypatch.setattr(child_process, "spawn", start)
    with_pool(use, num_children=1)


def test_a_picture_of_another_size_than_told_ends_its_child(with_pool, data, source, monkeypatch):
    """Guards against pixels that are taken for a picture of another shape."""

    async def start(limits):
        return await printing(message({"walls": []}), message({"ok": {"shape": [2, 2, 3]}}, bytes(11)))

    async def use(pool):
        with pytest.raises(PageFailed):
            await pool.picture(source(data / "letter.pdf"), 1)
        assert process_of(pool) is None

    monkeypatch.setattr(child_process, "spawn", start)
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

    monkeypatch.setattr(child_process, "spawn", start)
    monkeypatch.setattr(child_process, "END_TIMEOUT_S", 0.01)
    with_pool(use, num_children=1, start_timeout_s=20.0)


async def no_process():
    raise BlockingIOError(11, "Resource temporarily unavailable")


DYING = "os.read(0, 1); os.kill(os.getpid(), {})"
ENDS: dict[str, tuple[list[str], type[Exception], int]] = {  # what children do in mid-call: the error, children used
    "killed as by the kernel for want of memory": ([DYING.format(9)], RendererUnavailable, 2),
    "ended by an operator": ([DYING.format(15)], RendererUnavailable, 2),
    "an exit that nobody foresaw": (["os.read(0, 1); sys.exit(1)"], RendererUnavailable, 2),
    "a parser that crashes each time": ([DYING.format(11)], PageFailed, 2),
    "a crash, and then the kernel": ([DYING.format(11), DYING.format(9)], RendererUnavailable, 2),
    "its own limit of processor time": ([DYING.format(int(signal.SIGXCPU))], PageTooCostly, 1),
    "its own limit of memory": (["os.read(0, 1); os._exit(70)"], ImageTooLarge, 1),
}


@pytest.mark.parametrize("kind", ENDS)
def test_a_child_s_end_is_the_document_s_fault_only_if_it_is(with_pool, data, source, monkeypatch, kind):
    """Guards against a sound document refused for good (422) because the machine ended its child."""
    deeds, error, num_children = ENDS[kind]
    started = []

    async def start(limits):
        started.append(deeds[min(len(started), len(deeds) - 1)])
        return await printing(message({"walls": []}), then=started[-1])

    async def use(pool):
        letter = source(data / "letter.pdf")
        with pytest.raises(error) as caught:
            await pool.inspect(letter, 1)
        assert caught.value.retryable == (error is RendererUnavailable)
        assert len(started) == num_children
        if error is PageFailed:
            with pytest.raises(UnreadableDocument):
                await pool.open(letter)

    monkeypatch.setattr(child_process, "spawn", start)
    with_pool(use, num_children=1)


@pytest.mark.parametrize(("number", "error"), [(errno.EMFILE, RendererUnavailable), (errno.ENOENT, UnreadableDocument)])
def test_a_file_that_is_there_and_cannot_be_opened_is_the_machine_s_fault(
    with_pool, source, data, monkeypatch, number, error
):
    """Guards against a sound document that is called unreadable because this process has too many files open."""
    letter = source(data / "letter.pdf")

    def refuse(*args):
        raise OSError(number, os.strerror(number))

    async def use(pool):
        monkeypatch.setattr(child_process.os, "open", refuse)
        with pytest.raises(error):
            await pool.open(letter)

    with_pool(use)


def test_the_last_words_of_a_child_are_in_the_log_bounded_and_escaped(with_pool, data, source, monkeypatch, caplog):
    """Guards against an end whose cause is lost, and against a child that forges lines of the log or fills it."""
    words = r"sys.stderr.write('x' * 9000 + '\x1b[2J\nWARNING forged\n'); sys.stderr.flush()"

    async def start(limits):
        return await printing(message({"walls": []}), then=f"{words}; os.read(0, 1); sys.exit(1)")

    async def use(pool):
        with pytest.raises(RendererUnavailable) as caught:
            await pool.open(source(data / "letter.pdf"))
        assert "forged" not in caught.value.message

    monkeypatch.setattr(child_process, "spawn", start)
    with caplog.at_level(logging.WARNING):
        with_pool(use, num_children=1)
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    for line in lines:
        assert r"\x1b[2J\nWARNING forged\n" in line
        assert line.isprintable()
        assert len(line) < 2500


def test_the_exception_that_ends_a_child_is_in_the_log(with_pool, tmp_path, caplog, monkeypatch):
    """Guards against an end whose cause is lost: a real child whose request cannot be served at all."""
    letter = tmp_path / "letter.pdf"
    letter.write_bytes(b"%PDF-1.7")
    source = Source(path=str(letter), media_type="application/pdf")
    sent = framing.send_file

    async def use(pool):
        monkeypatch.setattr(framing, "send_file", lambda files, handle: files.send(b"f"))  # a message without its file
        with pytest.raises(RendererUnavailable):
            await pool.open(source)
        monkeypatch.setattr(framing, "send_file", sent)

    with caplog.at_level(logging.WARNING):
        with_pool(use, num_children=1)
    assert "OSError: no file came with the request" in caplog.text


def test_a_crash_tells_where_the_child_was(with_pool, data, source):
    """Guards against a crash of the parser about which nothing is known but the signal's number."""

    async def use(pool):
        letter = source(data / "letter.pdf")
        await pool.open(letter)
        os.kill(pool._children[0]._spawned.process.pid, signal.SIGSEGV)
        await pool._children[0]._spawned.process.wait()
        return pool._children[0]._spawned.last_words()

    assert "Segmentation fault" in with_pool(use, num_children=1)


@pytest.fixture
def num_started(monkeypatch):
    """How many processes were started, in a list of one number."""
    number, spawn = [0], child_process.spawn

    async def start(limits):
        number[0] += 1
        return await spawn(limits)

    monkeypatch.setattr(child_process, "spawn", start)
    return number


def test_a_child_that_was_started_ahead_serves_the_first_namespace_and_no_other(with_pool, data, source, num_started):
    """Guards against a first document that waits for a child, and against two namespaces that share one."""

    async def use(pool):
        await pool.warm()
        await pool.warm()
        assert num_started == [1]
        letter = source(data / "letter.pdf")
        assert (await pool.open(letter.model_copy(update={"namespace": "first"}))).num_pages
        assert num_started == [1]
        await pool.open(letter.model_copy(update={"namespace": "second"}))
        assert num_started == [2]
        await pool.warm()
        assert num_started == [2]

    with_pool(use, num_children=1)


def test_a_call_that_comes_while_a_child_is_started_ahead_gets_that_one(with_pool, data, source, num_started):
    """Guards against two processes of one child, of which one is lost."""

    async def use(pool):
        await asyncio.gather(pool.warm(), pool.open(source(data / "letter.pdf")))
        assert num_started == [1]

    with_pool(use, num_children=1)


def test_a_child_that_cannot_be_started_ahead_starts_with_its_first_call(with_pool, data, source, monkeypatch):
    async def refuse(limits):
        raise OSError(errno.ENOMEM, "no memory")

    async def use(pool):
        with monkeypatch.context() as patch:
            patch.setattr(child_process, "spawn", refuse)
            await pool.warm()
        assert process_of(pool) is None
        assert (await pool.open(source(data / "letter.pdf"))).num_pages

    with_pool(use, num_children=1)
