"""The comparison of an image-text model with generate: that it compares like with like."""

from batching.loading.models import load_image_text
from benchmarks import vision_peers
from benchmarks.vision_peers import Run, exit_code, image_text_model, measured, requests


def test_sides_of_vision_are_asked_the_same_and_say_the_same():
    """A side that is asked for less is fast; padding that the positions do not see gives other text."""
    model = image_text_model(128, 2)
    figures, rows = measured(model, load_image_text(model), requests(5, longest=6), rounds=1)
    assert figures["outputs_equal"] == 1
    assert [row["equal"] for row in rows] == [1.0] * 4
    assert all(0 < row["first_token_median_s"] <= row["first_token_worst_s"] <= row["seconds"] for row in rows)


def test_other_text_is_seen(monkeypatch):
    """The exit status says so: a fast engine that says something else is no engine."""
    asks = requests(2, longest=3)
    wrong = Run([[0] * ask.num_output for ask in asks], 1.0, [1.0, 1.0])
    monkeypatch.setattr(vision_peers, "_ours", lambda *_: wrong)
    figures, _ = measured(image_text_model(128, 2), None, asks, rounds=1)
    assert figures["outputs_equal"] == 0
    assert (exit_code(figures, "float32"), exit_code(figures, "bfloat16")) == (1, 0)
