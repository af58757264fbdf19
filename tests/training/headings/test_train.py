"""What is exported decides as the library that learnt it does; drawn documents say which texts are headings."""

from __future__ import annotations

import numpy as np
import pymupdf
from sklearn.ensemble import GradientBoostingClassifier

from documents.structure.heading_features import NAMES
from documents.structure.heading_trees import HeadingTrees
from training.headings.drawn import draw
from training.headings.samples import Samples, folds, stacked
from training.headings.train import exported


def test_exported_trees_give_the_probabilities_of_the_model():
    """Guards against thresholds that are rounded over the numbers that they part."""
    random = np.random.default_rng(0)
    features = random.integers(0, 40, (400, len(NAMES))) / 7
    labels = features[:, 3] + features[:, 7] > 6
    model = GradientBoostingClassifier(random_state=0, n_estimators=30, max_depth=4).fit(features, labels)
    ours = HeadingTrees.of(exported(model)).probabilities(features)
    assert np.abs(ours - model.predict_proba(features)[:, 1]).max() < 1e-3


def test_a_drawn_document_holds_its_headings_and_is_the_same_again():
    for seed in range(5):
        drawing = draw(seed)
        with pymupdf.open(stream=drawing.content, filetype="pdf") as pdf:
            words = " ".join(" ".join(page.get_text() for page in pdf).split())
        title, _ = drawing.headings[0]
        assert title.split()[0] in words
        assert draw(seed).headings == drawing.headings


def test_no_document_is_both_learnt_from_and_judged():
    samples = [Samples(str(k), np.zeros((1, 2)), np.zeros(1, bool)) for k in range(7)]
    judged: list[str] = []
    for train, test in folds(samples, 3):
        assert not {item.name for item in train} & {other.name for other in test}
        judged += [item.name for item in test]
    assert sorted(judged) == [sample.name for sample in samples]


def test_long_documents_weigh_no_more_than_the_root_of_their_texts():
    samples = [Samples("a", np.zeros((4, 2)), np.zeros(4, bool)), Samples("b", np.zeros((1, 2)), np.zeros(1, bool))]
    _, _, weights = stacked(samples)
    assert weights.tolist() == [0.5] * 4 + [1.0]
