"""`benchmarks.roofline` in its tiny form."""

from __future__ import annotations

import torch

from benchmarks.roofline import Peaks, decoding, encoding, peaks


def test_every_route_is_held_against_the_bytes_of_its_steps() -> None:
    """Guards against an ideal that forgets the keys and values, or a share of steps in which prompts were read."""
    slow = Peaks(1e6, 1e9, measured=True)
    figures, rows = decoding(slow, "cpu", torch.float32, (2, 4), 16, 8, tiny=True)
    routes = {row["route"] for row in rows}
    assert routes - {"native"} == {"transformers", "torch"}  # native: where a compiler is
    assert len(rows) == len(figures) == 2 * len(routes)
    faster, _ = decoding(Peaks(2e6, 1e9, measured=True), "cpu", torch.float32, (2,), 16, 8, tiny=True)
    assert all(share > 0 for share in figures.values())
    ideals = [row["ideal_tokens_per_s"] for row in rows if row["route"] == "transformers"]
    assert ideals[0] < ideals[1] < 2 * ideals[0], "weights are shared by a batch, keys and values are not"
    assert set(faster) < set(figures)


def test_a_route_that_the_device_has_not_got_is_left_out(monkeypatch, capsys) -> None:
    """On the first GPU the whole benchmark ended, since it asked for C++ that is for processors."""
    monkeypatch.setattr("batching.routes.route_choice.library", lambda: None)
    _, rows = decoding(Peaks(1e6, 1e9, measured=True), "cpu", torch.float32, (2,), 16, 4, tiny=True)
    assert [row["route"] for row in rows] == ["transformers", "torch"]
    assert capsys.readouterr().out == "native: left out: there is none for this device\n"


def test_images_are_held_against_their_operations() -> None:
    """Guards against a count of operations of another number of images."""
    result = encoding(Peaks(1e9, 1e12, measured=True), "cpu", torch.float32, tiny=True)
    assert result["vision_share"] > 0
    assert result["vision_ideal_images_per_s"] * result["vision_gflop_an_image"] * 1e9 / 1e12 == 1


def test_a_device_that_is_not_known_is_measured() -> None:
    """Guards against shares of a peak that was made up."""
    result = peaks("cpu", torch.float32)
    assert result.measured
    assert result.bytes_per_s > 1e8
    assert result.operations_per_s > 1e8
