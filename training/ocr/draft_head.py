"""Trains the draft head of a reader, `batching.inputs.got.draft_head`: what the engine's decoder only has to verify.

    python -m training.ocr.draft_head checkpoints/ocr-compact --minutes 25

The reader stays as it is: no output depends on the head. It learns by CTC from the reader's image tokens of drawn
strips; each strip is used several times, for drawing takes longer than learning. A head that lies in OUT, or else in
the folder, learns on. Every five minutes, and at the end, it is written to draft_head.safetensors (float16).
"""

from __future__ import annotations

import argparse
import os
import random
import time
from itertools import count
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from batching.inputs.got.draft_head import COLUMNS, FILE_NAME, DraftHead
from training.ocr.batches import StripBatches
from training.ocr.trainee import Trainee, ctc_loss
from training.ocr.trainer import SIZES
from training.schedule import Schedule
from training.workers import num_drawers

COLUMN_WIDTH = 64  # width of a column
DEPTH = 2  # layers in which a token sees its neighbours
LONGEST = 100  # characters of a text
RATE, DECAY, FALL = 3e-3, 0.01, 0.9
NUM_AGAIN, NUM_AGAIN_ON_GPU = 3, 10  # earlier batches beside each new one
ROWS_EACH, ROWS_EACH_ON_GPU = 128, 1024  # of a batch
SAVE_EVERY_S = 300
PRINT_EVERY = 50  # steps


def train(
    folder: Path,
    minutes: float,
    *,
    out: Path | None = None,
    rows_each: int = ROWS_EACH,
    num_again: int = NUM_AGAIN,
    device: str = "cpu",
    num_workers: int = 0,
    seed: int = 0,
    max_steps: int | None = None,
) -> list[float]:
    """Train a new head for the reader in `folder`, for so long or so many steps; the loss of each step."""
    torch.manual_seed(seed)
    reader = Trainee(*SIZES)
    reader.adopt(folder)
    reader.to(device).eval()
    text = reader.model.config.text_config
    folders = [place for place in (out, folder) if place]
    heads = (DraftHead.of_folder(place, text, torch.device(device), torch.float32) for place in folders)
    head = next(filter(None, heads), None) or DraftHead(text.hidden_size, COLUMN_WIDTH, text.vocab_size, DEPTH)
    head.to(device).train()
    optimizer = torch.optim.AdamW(head.parameters(), lr=0.0, weight_decay=DECAY)
    schedule, begun, saved_s = Schedule(budget_s=60 * minutes, fall=FALL), time.monotonic(), 0.0
    losses: list[float] = []
    past: list[tuple[Tensor, Tensor]] = []  # image tokens and texts
    shuffle = random.Random(seed)
    for step, batch in zip(count(), StripBatches(seed, rows_each, LONGEST).loader(num_workers), strict=False):
        spent_s = time.monotonic() - begun
        if spent_s >= schedule.budget_s or step == max_steps:
            break
        optimizer.param_groups[0]["lr"] = RATE * schedule.rate(step, spent_s)
        image, _, targets, *_ = batch.to(device)
        with torch.no_grad():
            past.append((reader.see(image).half(), targets))
        losses.append(
            [
                learn(head, optimizer, *strips)
                for strips in (*shuffle.sample(past, min(len(past), num_again)), past[-1])
            ][-1]
        )
        if step % PRINT_EVERY == PRINT_EVERY - 1:
            print(
                f"{spent_s / 60:.1f} min, step {step + 1}: {sum(losses[-PRINT_EVERY:]) / PRINT_EVERY:.3f}", flush=True
            )
        if spent_s - saved_s > SAVE_EVERY_S:
            saved_s = spent_s
            save(head, out or folder)
    save(head, out or folder)
    return losses


def learn(head: DraftHead, optimizer: torch.optim.Optimizer, features: Tensor, texts: Tensor) -> float:
    """One step; the loss before it."""
    loss = ctc_loss(head(features.float()), texts)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(head.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def save(head: DraftHead, folder: Path) -> None:
    """As `DraftHead.of_folder` reads it."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.detach().cpu().half().contiguous() for name, weight in head.state_dict().items()}
    save_file(weights, folder / FILE_NAME, metadata={"columns": str(COLUMNS)})


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--out", type=Path, help="folder for the head, if it is another one")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--workers", type=int, help="processes that draw strips; 0: this one; unset: all other cores")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    on_cpu = args.device == "cpu"
    if on_cpu:
        torch.set_num_threads(1)
        os.nice(10)  # serving on the same machine goes first
    train(
        args.folder,
        args.minutes,
        out=args.out,
        rows_each=ROWS_EACH if on_cpu else ROWS_EACH_ON_GPU,
        num_again=NUM_AGAIN if on_cpu else NUM_AGAIN_ON_GPU,
        device=args.device,
        num_workers=(0 if on_cpu else num_drawers()) if args.workers is None else args.workers,
        seed=args.seed,
    )


if __name__ == "__main__":
    main()
