"""A child with one more rule, which does with a page what its number says."""

from __future__ import annotations

import os

from documents.structure import child
from documents.structure.rule import Rule
from documents.structure.rules import RULES

RAISES, LOOPS, SWALLOWS, LOOPS_IN_C, ENDS = range(11, 16)


def misbehave(page, _):
    match page.inspection.number:
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
    return page


if __name__ == "__main__":
    RULES["regions"] = (Rule(name="misbehaves", purpose="None.", step=misbehave), *RULES["regions"])
    child.main()
