"""The kinds of strips that are drawn, and how often; measuring goes kind by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from training.ocr.wear import Wear, fax, inverse, office, photographed, uneven, worn

Setting = Literal["even", "small capitals", "raised capital"]
Around = Literal["nothing", "line", "rules"]  # a line under the words, or the rules of a table's cell
MOST, LEAST = 3.0, 0.5  # times its usual weight that a kind may get


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How the strips of one name are set and spoilt."""

    weight: float  # how often it is drawn, beside the others
    longest: int = 1000  # characters
    western: bool = False  # a text in another language than English
    setting: Setting = "even"
    around: Around = "nothing"
    angle: float = 0.0  # degrees to either side
    wear: Wear = office
    worn_share: float = 0.65  # of the strips that are spoilt at all


KINDS: Mapping[str, Kind] = {
    "plain": Kind(weight=50),
    "western": Kind(weight=9, western=True),
    "cell": Kind(weight=8, longest=14, around="rules"),
    "underlined": Kind(weight=3, around="line"),
    "small_capitals": Kind(weight=3, setting="small capitals"),
    "raised_capital": Kind(weight=2, setting="raised capital"),
    "skewed": Kind(weight=5, longest=24, angle=3.0),
    "inverse": Kind(weight=3, wear=inverse, worn_share=1.0),
    "fax": Kind(weight=5, wear=fax, worn_share=1.0),
    "photographed": Kind(weight=6, wear=photographed, worn_share=1.0),
    "uneven": Kind(weight=3, wear=uneven, worn_share=1.0),
    "worn": Kind(weight=3, wear=worn, worn_share=1.0),
}


def weights(figures: Mapping[str, float]) -> dict[str, float]:
    """How often each kind is drawn, when what is read worst shall be seen most.

    `figures` are evaluation's: a kind that is read as plain strips are, or that is not among them, keeps its weight.
    """
    plain = max(figures.get("cer_synthetic", 0.0), 1e-3)
    return {
        name: kind.weight * min(MOST, max(LEAST, figures.get(f"cer_{name}", plain) / plain))
        for name, kind in KINDS.items()
    }
