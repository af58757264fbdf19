"""How much work a call is: counted in Python's own instructions, so the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def steps_of(call: Callable[[], object]) -> int:
    """Instructions that run until `call` returns; what C does within one of them is not counted."""
    count = 0

    def counted(frame: FrameType, event: str, _: object):
        nonlocal count
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        count += event == "opcode"
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
