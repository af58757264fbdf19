"""The kinds of strips that are drawn, and how often; measuring goes kind by kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from training.ocr.fonts import Faces
from training.ocr.paper_wear import book, carbon, dot_matrix, form, thermal, typed
from training.ocr.wear import Wear, fax, inverse, office, photographed, uneven, worn

Setting = Literal["even", "small capitals", "raised capital"]
Around = Literal["nothing", "line", "rules", "form"]  # a line under the words, a table's cell, a form's lines and boxes
Genre = Literal["general", "prose", "form", "receipt"]  # of the texts
MOST, LEAST = 3.0, 0.5  # times its usual weight that a kind may get


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """How the strips of one name are set and spoilt."""

    weight: float  # how often it is drawn, beside the others
    longest: int = 1000  # characters
    western: bool = False  # a text in another language than English
    genre: Genre = "general"
    faces: Faces = "all"
    setting: Setting = "even"
    spaced: float = 0.0  # share of the strips whose letters stand apart
    strikes: bool = False  # each letter struck for itself: higher, lower, darker or paler than its neighbours
    stretch: tuple[float, float] = (1.0, 1.0)  # the least and the greatest width of the letters, beside the font's
    around: Around = "nothing"
    angle: float = 0.0  # degrees to either side
    wear: Wear = office
    worn_share: float = 0.65  # of the strips that are spoilt at all


KINDS: Mapping[str, Kind] = {
    "plain": Kind(weight=56),
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
    "spaced": Kind(weight=5, longest=40, genre="form", spaced=1.0),
    "form": Kind(weight=34, genre="form", around="form", wear=form, worn_share=1.0, spaced=0.08, stretch=(0.8, 1.15)),
    "form_prose": Kind(weight=10, genre="prose", around="form", wear=form, worn_share=1.0, stretch=(0.8, 1.1)),
    "typed": Kind(weight=16, genre="form", faces="typewriter", around="form", wear=typed, worn_share=1.0, strikes=True),
    "carbon": Kind(weight=3, genre="form", faces="typewriter", wear=carbon, worn_share=1.0, strikes=True),
    "thermal": Kind(weight=20, genre="receipt", wear=thermal, worn_share=1.0, spaced=0.05, stretch=(0.65, 1.2)),
    "thermal_monospaced": Kind(
        weight=20, genre="receipt", faces="monospaced", wear=thermal, worn_share=1.0, stretch=(0.6, 1.3)
    ),
    "dot_matrix": Kind(
        weight=9, genre="receipt", faces="monospaced", wear=dot_matrix, worn_share=1.0, stretch=(0.7, 1.3)
    ),
    "book": Kind(weight=14, genre="prose", faces="book", wear=book, worn_share=1.0),
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
