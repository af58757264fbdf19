"""Train the trees that tell headings from other short texts, and write them in plain arrays.

`python -m benchmarks.headings FOLDER... --half tuned --truths runs/headings.jsonl` writes what authors tagged;
`python -m training.headings.train runs/headings.jsonl [--drawn 150] [--out documents/structure/heading_trees.json]`
learns from that and from documents of our own drawing. Folds over whole documents are judged first: the mean F1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier

from benchmarks.harness.page_networks import PageNetworks
from configs.settings import Settings
from documents.structure import heading_trees
from documents.structure.heading_features import NAMES
from documents.structure.headings import LIKELY
from training.headings.drawn import draw
from training.headings.reading import pool_without_trees, read
from training.headings.samples import Samples, folds, samples_of, stacked

OUT = Path(heading_trees.__file__).with_name(heading_trees.FILE)
FOLDS = 4
DRAWN_WEIGHT = 0.3  # of a drawn document beside a real one
LEARNER = {
    "n_estimators": 200,
    "max_depth": 3,
    "learning_rate": 0.08,
    "subsample": 0.7,
    "max_features": 16,
    "min_samples_leaf": 15,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truths", type=Path, help="lines of JSON: path, and by page its headings (null: unknown)")
    parser.add_argument("--drawn", type=int, default=150, help="documents of our own drawing")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args()
    truths = [json.loads(line) for line in args.truths.read_text(encoding="utf-8").splitlines()]
    tagged, synthetic = asyncio.run(samples(truths, range(args.drawn)))
    print(f"mean F1 of headings in documents that were not learnt from: {cross_validated(tagged, synthetic):.3f}")
    fields = exported(learned(tagged, synthetic))
    args.out.write_text(json.dumps(fields) + "\n", encoding="utf-8")
    return 0


async def samples(truths: Sequence[dict[str, Any]], seeds: Sequence[int]) -> tuple[list[Samples], list[Samples]]:
    """Of tagged documents, and of drawn ones; each document is read once."""
    networks = PageNetworks.of(Settings())
    pool = pool_without_trees()
    tagged: list[Samples] = []
    synthetic: list[Samples] = []
    try:
        for truth in truths:
            headings = {int(number): texts for number, texts in truth["headings"].items()}
            outline, pages = await read(Path(truth["path"]), headings.keys(), pool, networks)
            tagged.append(samples_of(truth["path"], pages, outline, [headings[page.number] for page in pages]))
        with tempfile.TemporaryDirectory() as folder:
            for seed in seeds:
                document = draw(seed)
                path = Path(folder) / f"{seed}.pdf"
                path.write_bytes(document.content)
                outline, pages = await read(path, (), pool, networks)
                texts = [text for text, _ in document.headings]
                synthetic.append(samples_of(f"drawn {seed}", pages, outline, [texts] * len(pages)))
    finally:
        await pool.close()
    return [samples_of_document for samples_of_document in tagged if len(samples_of_document.is_heading)], [
        document for document in synthetic if len(document.is_heading)
    ]


def learned(tagged: Sequence[Samples], synthetic: Sequence[Samples]) -> GradientBoostingClassifier:
    """The same trees for the same samples."""
    features, labels, weights = stacked([*tagged, *synthetic])
    weights[sum(len(samples_of_document.is_heading) for samples_of_document in tagged) :] *= DRAWN_WEIGHT
    return GradientBoostingClassifier(random_state=0, **LEARNER).fit(features, labels, sample_weight=weights)


def cross_validated(tagged: Sequence[Samples], synthetic: Sequence[Samples]) -> float:
    """The mean F1 over tagged documents with headings, none of which was learnt from."""
    scores: list[float] = []
    for train, test in folds(tagged, FOLDS):
        model = learned(train, synthetic)
        for samples_of_document in (one for one in test if one.is_heading.any()):
            likely = model.predict_proba(samples_of_document.features)[:, 1] >= LIKELY
            scores.append(
                2
                * float((likely & samples_of_document.is_heading).sum())
                / float(likely.sum() + samples_of_document.is_heading.sum())
            )
    return float(np.mean(scores)) if scores else 0.0


def exported(model: GradientBoostingClassifier) -> dict[str, Any]:
    """As `HeadingTrees.of` reads them: for each node its feature (-1: a leaf), threshold, children and value."""
    trees: list[list[float]] = []
    depth = 0
    for (estimator,) in model.estimators_:
        tree = estimator.tree_
        depth = max(depth, int(tree.max_depth))
        values = tree.value[:, 0, 0] * model.learning_rate
        rows = zip(tree.feature, tree.threshold, tree.children_left, tree.children_right, values, strict=True)
        trees.append([number for row in rows for number in _node(*row)])
    init: Any = model.init_
    prior = float(init.class_prior_[1])
    return {"names": list(NAMES), "base": float(np.log(prior / (1 - prior))), "depth": depth, "trees": trees}


def _node(feature: int, threshold: float, left: int, right: int, value: float) -> tuple[float, ...]:
    """Nine digits of a threshold: fewer would move it over a number that it stands beside."""
    is_leaf = left < 0
    return (-1 if is_leaf else int(feature), float(f"{threshold:.9g}"), int(left), int(right), round(float(value), 5))


if __name__ == "__main__":
    sys.exit(main())
