"""A child with one more rule, which does with a page what its number says; started in the place of the real one.

It does the same with a picture to be cut, of that width.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

from documents.draft.rule import Rule
from documents.ocr_input import line_strips
from documents.page.rules import RULES
from documents.sandbox import child, cutting_call

RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS, OPENS, CONNECTS = range(11, 18)


def misbehave(page, _):
    do(page.inspection.number)
    return page


def cut(picture, within):
    do(picture.shape[1])
    return line_strips.cut(picture, within)


def do(number):
    match number:
        case 11:
            raise ValueError("³")
        case 12:
            while True:
                pass
        case 13:
            while True:
                try:
                    sum(range(1000))
                except BaseException:
                    continue
        case 14:
            sum(range(10**15))
        case 15:
            os._exit(3)
        case 16:
            list(Path("/etc").iterdir())  # which anybody may read
        case 17:
            socket.socket()


WITH_ONE_MORE = {**RULES, "regions": (Rule(name="misbehaves", purpose="None.", step=misbehave), *RULES["regions"])}

if __name__ == "__main__":
    RULES.update(WITH_ONE_MORE)  # pyright: ignore[reportAttributeAccessIssue] (it is a dict that nobody changes)
    cutting_call.cut = cut
    child.main()
