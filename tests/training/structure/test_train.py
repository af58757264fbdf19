"""Samples and options of one command go to the training of the network that it names."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.structure.cells import train as cells
from training.structure.network import train as structure
from training.structure.train import main


@pytest.mark.parametrize(
    ("network", "training", "samples"),
    [
        ("structure", structure, ["--pages", "carried/pages", "--held", "carried/held"]),
        ("cells", cells, ["--samples", "carried"]),
    ],
)
def test_options_of_the_training_are_handed_on(network: str, training, samples: list[str], monkeypatch) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(training, "main", lambda arguments: calls.append(arguments) or 0)
    assert main([network, "out", "--from", "checkpoint", "--samples", "carried", "--minutes", "7"]) == 0
    assert calls == [["out", "--from", "checkpoint", "--minutes", "7", *samples]]


@pytest.mark.parametrize(
    ("network", "training", "option"), [("structure", structure, "--pages"), ("cells", cells, "--samples")]
)
def test_tiny_samples_are_gone_after_the_run(network: str, training, option: str, monkeypatch) -> None:
    files: list[Path] = []

    def train(arguments: list[str]) -> int:
        files.extend(path for path in Path(arguments[arguments.index(option) + 1]).rglob("*.*") if path.is_file())
        return 0 if files else 1

    monkeypatch.setattr(training, "main", train)
    assert main([network, "out", "--tiny"]) == 0
    assert not any(path.exists() for path in files)


def test_a_run_without_samples_is_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["cells", "out"])
    assert "--samples" in capsys.readouterr().err
