"""Text that a CTC head reads from columns of a picture: which token stands where, or none."""

# torch tells only part of its types, so unknowns that come from it are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # importing `batching` imports no torch
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Draft:
    """What the output of a sequence may be, without what ends it."""

    token_ids: tuple[int, ...]
    probabilities: tuple[float, ...]  # that each is right


@dataclass(frozen=True, slots=True, eq=False)
class CtcColumns:
    """What a head says of the columns of one picture, in reading order."""

    logits: Tensor  # (columns, vocabulary), on any device
    blank: int  # the token that stands for none

    def draft(self) -> Draft:
        """The likeliest token of each column; equal neighbours are one token.

        A token is as sure as its surest column, and as it is sure that none is missed between it and the one before.
        """
        chances = self.logits.float().softmax(-1).cpu().numpy()
        best = chances.argmax(-1)
        starts = np.flatnonzero(np.diff(best, prepend=-1))  # of runs of equal columns
        tokens = starts[best[starts] != self.blank]
        if not len(tokens):
            return Draft((), ())
        peaks = np.maximum.reduceat(chances.max(-1), starts)[best[starts] != self.blank]
        gaps = np.minimum.reduceat(self._nothing_missed(chances, best), [0, *tokens])[:-1]
        return Draft(tuple(best[tokens].tolist()), tuple((peaks * gaps).tolist()))

    def _nothing_missed(self, chances: npt.NDArray[np.float32], best: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """Of each column: how likely it shows nothing but the tokens beside it."""
        places = np.arange(len(best))
        has_token = best != self.blank
        before = np.maximum.accumulate(np.where(has_token, places, 0))
        behind = np.minimum.accumulate(np.where(has_token, places, len(best) - 1)[::-1])[::-1]
        beside = [chances[places, best[neighbours]] for neighbours in (before, behind)]
        twice = best[before] == best[behind]
        blank = np.where(best[before] == self.blank, 0, chances[:, self.blank])
        missed_none = blank + beside[0] + np.where(twice, 0, beside[1])
        return np.where(has_token, 1.0, missed_none).astype(np.float32)
