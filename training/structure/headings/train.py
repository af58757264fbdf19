"""Trains the judge of headings and levels: documents in, `headings.json` out.

    python -m training.structure.headings.train checkpoints/structure-compact/headings.json FOLDER... [--drawn 250]

Of the tagged PDFs in the folders, those of the half that is tuned on teach what their authors tagged (copies without
tags are read, as any file is); drawn documents teach what was drawn. Both are read with the networks of the settings.
The tagged ones judge by families, too: each by weights that have not seen it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import get_args

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.harness.page_networks import PageNetworks
from benchmarks.harness.rule_replay import Replay, facts_of
from benchmarks.harness.server import ROOT
from benchmarks.truths.headings import LEVEL, family_of, stripped, tagged_documents
from configs.settings import Settings
from documents.document.document_styles import FEATURES
from documents.document.heading_levels import PAIR_FEATURES, TIE_FEATURES
from documents.errors import IngestError
from documents.sandbox.renderer_pool import RendererPool
from training.structure.drawings.drawn_document import DrawnDocument
from training.structure.drawings.typesetters import Typesetter, drawn_documents
from training.structure.headings.judgement import judged
from training.structure.headings.samples import DocumentSample, drawn_sample, tagged_sample
from training.structure.tagged.pages import JUDGE_FOLDERS

UNITS = 32
STEPS, PAIR_STEPS = 400, 600
RATE, PAIR_RATE = 1e-2, 2e-2
DECAY, PAIR_DECAY = 5e-4, 1e-3
TAGGED_WEIGHT = 5.0  # weight of a tagged document beside a drawn one
MAX_OF_FAMILY = 12
SEED = 990_000_000  # of the drawings: the network has seen none of them


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--drawn", type=int, default=250, help="documents by each typesetter")
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus", help="its files are left out")
    args = parser.parse_args(arguments)
    drawings = [
        drawn for typesetter in get_args(Typesetter) for drawn in islice(drawn_documents(SEED, typesetter), args.drawn)
    ]
    samples = asyncio.run(read_samples(args.folders, args.corpus, drawings))
    print(f"{len(samples)} documents, of which {sum(sample.is_tagged for sample in samples)} are tagged PDFs")
    print("of families that it had not seen:", judged(samples, weights_of))
    args.out.write_text(json.dumps(weights_of(samples)) + "\n", encoding="utf-8")
    return 0


async def read_samples(
    folders: Sequence[Path], corpus: Path, drawings: Sequence[DrawnDocument]
) -> list[DocumentSample]:
    """Of tagged PDFs, then of the drawings; what cannot be read is left out."""
    networks, pool = PageNetworks.of(Settings()), RendererPool(1)
    samples: list[DocumentSample] = []
    try:
        for tagged in tagged_documents(folders, corpus, MAX_OF_FAMILY):
            if tagged.half != "tuned" or JUDGE_FOLDERS.intersection(tagged.path.parts):
                continue
            if any(LEVEL.search(page.markdown) for page in tagged.pages):
                numbers = [page.number for page in tagged.pages]
                document = await _read(lambda path, t=tagged: stripped(t.path, path), numbers, pool, networks)
                family = family_of(Path(tagged.name))
                samples += [tagged_sample(document, tagged.pages, family)] if document else []
        for drawn in drawings:
            document = await _read(lambda path, d=drawn: path.write_bytes(d.content), (), pool, networks)
            samples += [drawn_sample(document, drawn)] if document else []
    finally:
        await pool.close()
    return samples


async def _read(
    write: Callable[[Path], object], numbers: Sequence[int], pool: RendererPool, networks: PageNetworks
) -> Replay | None:
    """The document that `write` writes, its pages by all rules; None if it cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.pdf"
        write(path)
        try:
            opened, facts = await facts_of(path, numbers, pool, networks)
        except IngestError:
            return None
    return Replay.of("a", opened, facts)


def weights_of(samples: Sequence[DocumentSample]) -> dict[str, object]:
    """The fields of `HeadingJudge`, in four digits after the point."""
    torch.manual_seed(0)
    fields = {"features": FEATURES, "pair_features": PAIR_FEATURES}
    return {**fields, **_heading_weights(samples), **_level_weights(samples)}


def _heading_weights(samples: Sequence[DocumentSample]) -> dict[str, object]:
    """A layer of rectified units and one of a score."""
    known = [sample.weight(TAGGED_WEIGHT) for sample in samples]
    weight = np.concatenate(known)
    features = np.concatenate([sample.features for sample in samples])[weight > 0]
    is_heading = np.concatenate([sample.is_heading for sample in samples])[weight > 0]
    mean, scale = features.mean(0), np.maximum(features.std(0), 1e-2)
    x, y = _tensor((features - mean) / scale), _tensor(is_heading)
    share = _tensor(weight[weight > 0] / weight.sum())
    hidden, out = nn.Linear(len(FEATURES), UNITS), nn.Linear(UNITS, 1)

    def loss() -> Tensor:
        errors = nn.functional.binary_cross_entropy_with_logits(out(hidden(x).relu())[:, 0], y, reduction="none")
        return (share * errors).sum() + DECAY * (hidden.weight.square().sum() + out.weight.square().sum())

    _minimise(loss, [*hidden.parameters(), *out.parameters()], RATE, STEPS)
    return {
        "mean": _numbers(mean),
        "scale": _numbers(scale),
        "hidden": _numbers(torch.cat([hidden.weight.T, hidden.bias[None]]).detach().numpy()),
        "out": _numbers(torch.cat([out.weight[0], out.bias]).detach().numpy()),
    }


def _level_weights(samples: Sequence[DocumentSample]) -> dict[str, object]:
    """Of the margin between two looks; each pair is learnt from both sides."""
    pairs = [pair for sample in samples for pair in sample.pairs(TAGGED_WEIGHT)]
    features = np.array([pair.features for pair in pairs])
    scale = np.sqrt(np.square(features).mean(0)) + 1e-6
    x = _tensor(features / scale)
    sign = torch.tensor([pair.sign for pair in pairs])
    weight = np.array([pair.weight for pair in pairs])
    share = _tensor(weight / weight.sum())
    ties = _tensor(np.array([pair.ties for pair in pairs]))
    linear = torch.zeros(len(PAIR_FEATURES), requires_grad=True)
    tie = torch.zeros(len(TIE_FEATURES), requires_grad=True)

    def loss() -> Tensor:
        margin, slack = x @ linear, (ties @ tie).exp()
        above, below = torch.sigmoid(margin - slack), torch.sigmoid(-margin - slack)
        likelihood = torch.where(sign > 0, above, torch.where(sign < 0, below, 1 - above - below))
        decay = PAIR_DECAY * (linear.square().sum() + tie.square().sum())
        return decay - (share * torch.log(likelihood + 1e-6)).sum()

    _minimise(loss, [linear, tie], PAIR_RATE, PAIR_STEPS)
    return {"pairs": _numbers(linear.detach().numpy() / scale), "tie": _numbers(tie.detach().numpy())}


def _minimise(loss: Callable[[], Tensor], parameters: list[Tensor], rate: float, steps: int) -> None:
    optimiser = torch.optim.Adam(parameters, rate)
    for _ in range(steps):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()


def _tensor(array: np.ndarray) -> Tensor:
    return torch.tensor(array, dtype=torch.float32)


def _numbers(array: np.ndarray) -> list[object]:
    return np.round(array.astype(float), 4).tolist()


if __name__ == "__main__":
    sys.exit(main())
