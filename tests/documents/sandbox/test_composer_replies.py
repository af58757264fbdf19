"""How a child ends, or what it replies, decides what is blamed: a rule, the page or the machine."""

from __future__ import annotations

import signal

import pytest

from documents.errors import PageFailed, PageTooCostly, RendererUnavailable
from documents.sandbox import child_process
from documents.sandbox.structure_runner import StructureError
from tests.documents.sandbox.composing import DETECTIONS, composing, page_of, plain
from tests.documents.sandbox.spoken import message, printing

READY = message({"walls": []})
IN_A_RULE = message({"rule": "duplicates"})
KILLED, CRASHED = (f"os.read(0, 1); os.kill(os.getpid(), {number})" for number in (9, 11))
SAYS: dict[str, tuple[list[tuple[bytes, str]], type[Exception], int]] = {  # of children in turn: error, children used
    "killed from outside in a rule, twice": ([(IN_A_RULE, KILLED)], RendererUnavailable, 2),
    "each time a rule crashes": ([(IN_A_RULE, CRASHED)], PageTooCostly, 3),
    "crashes between rules": ([(IN_A_RULE + message({"rule": None}), CRASHED)], PageFailed, 2),
    "processor time between rules": ([(b"", KILLED.replace("9", str(int(signal.SIGXCPU))))], PageTooCostly, 1),
    "out of memory between rules": ([(b"", "os.read(0, 1); os._exit(70)")], PageTooCostly, 1),
    "a rule that does not exist": ([(message({"rule": "forged"}), "sys.stdin.read()")], PageFailed, 2),
    "rules without end": ([(message({"rule": None}) * 999, "sys.stdin.read()")], PageFailed, 2),
    "a failure of no rule": (
        [(message({"ok": {"failures": [{"rule": "forged", "trace": ""}]}}), "sys.stdin.read()")],
        PageFailed,
        2,
    ),
    "no page": ([(message({"ok": {}}, b"{}"), "sys.stdin.read()")], PageFailed, 2),
    "another page": (
        [(message({"ok": {}}, plain(2).model_dump_json(exclude_defaults=True).encode()), "sys.stdin.read()")],
        PageFailed,
        2,
    ),
    "our own bug": ([(message({"ok": {"trace": "Traceback\nKeyError"}}), "sys.stdin.read()")], StructureError, 1),
}


@pytest.mark.parametrize("kind", SAYS)
def test_what_ends_a_child_or_what_it_says_is_blamed_on_whom_it_should(monkeypatch, kind):
    """Guards against a rule, or a sound page, that is blamed for the machine; and against replies of any form."""
    deeds, error, num_children = SAYS[kind]
    started = []

    async def start(limits):
        messages, then = deeds[min(len(started), len(deeds) - 1)]
        started.append(kind)
        return await printing(READY, messages, then=then)

    async def use(composer, _):
        with pytest.raises(error) as caught:
            await composer.structure(page_of(1), DETECTIONS)
        return caught.value

    monkeypatch.setattr(child_process, "spawn", start)
    raised, _ = composing(use)
    assert type(raised) is error
    assert len(started) == num_children


def test_a_child_that_is_killed_once_costs_neither_page_nor_rule(monkeypatch):
    """Guards against a page without a rule's work because the kernel was short of memory for a moment."""
    page = plain(1).model_dump_json(exclude_defaults=True).encode()
    lives = [(IN_A_RULE, KILLED), (IN_A_RULE + message({"ok": {}}, page), "sys.stdin.read()")]

    async def start(limits):
        messages, then = lives.pop(0)
        return await printing(READY, messages, then=then)

    async def use(composer, _):
        return await composer.structure(page_of(1), DETECTIONS)

    monkeypatch.setattr(child_process, "spawn", start)
    assert composing(use) == (plain(1), [])


def test_a_trace_forges_no_line_of_the_log(monkeypatch):
    """Guards against a child that was taken over and writes what it likes into the log."""
    page = plain(1).model_dump_json(exclude_defaults=True).encode()
    failures = [{"rule": "duplicates", "trace": "x" * 9000 + "\nWARNING forged\r\x1b[2J"}]

    async def start(limits):
        return await printing(READY, message({"ok": {"failures": failures}}, page))

    async def use(composer, _):
        await composer.structure(page_of(1), DETECTIONS)

    monkeypatch.setattr(child_process, "spawn", start)
    _, ((failure, _),) = composing(use)
    assert all(line.startswith("  ") and line.isprintable() for line in failure.trace.split("\n"))
    assert len(failure.trace) < 4100
    assert "forged" in failure.trace
