"""Detectors of transformers: as the class itself says, whatever shares the batch."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoImageProcessor, AutoModelForObjectDetection
from transformers.utils import logging

from documents.errors import PageFailed
from documents.layout.batch_runner import RunnerConfig
from documents.layout.class_names import kinds_of
from documents.layout.load_detector import load_detector
from documents.layout.objects.object_detector import PreparedPicture, _on_page
from documents.layout.region_detector import Thresholds
from tests.documents.layout.tiny_detectors import CONFIGS, HERON, PP_DOCLAYOUT, make_detector

BATCHED = ("rt_detr_v2", "pp_doclayout_v3", "pp_doclayout_v4", "detr")
LEAST = 0.3  # so that each family finds something
SAME_SCORE = 5e-3  # how far two roundings of one score may lie apart


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a family, made when first asked for."""
    base = tmp_path_factory.mktemp("detectors")
    return functools.cache(lambda family: make_detector(family, base / family))


@pytest.fixture(scope="module")
def detector(folder):
    return functools.cache(lambda family: load_detector(folder(family), runner=RunnerConfig(num_threads=2)))


def page(seed, height=130, width=100):
    """Coarse noise: a page on which random weights find different things at different places."""
    coarse = np.random.default_rng(seed).integers(0, 255, (height // 10 + 1, width // 10 + 1, 3), np.uint8)
    return np.ascontiguousarray(coarse.repeat(10, 0).repeat(10, 1)[:height, :width])


PAGES = {
    "tall": page(1),
    "wide": page(2, 60, 240),
    "other": page(3),
    "black": np.zeros((130, 100, 3), np.uint8),
    "strip": np.zeros((3, 900, 3), np.uint8),
    "thread": np.full((900, 1, 3), 90, np.uint8),
    "dot": np.zeros((1, 1, 3), np.uint8),
}


def facts(detections):
    if isinstance(detections, PageFailed):  # what is as thin as a thread, where pictures keep their shape
        return detections.message
    return [(one.kind, one.score, *one.box.model_dump().values()) for one in detections]


def assert_alike(some, others, max_alone=0):
    """The same regions, rounded differently: each beside one of its kind, box and score, and the surest first.

    `max_alone` of each side may have none: rounding may choose the last of the queries.
    """
    rest = list(others)
    alone = []
    for region in some:
        match = next((other for other in rest if is_alike(region, other)), None)
        if match is None:
            alone.append(region)
        else:
            rest.remove(match)
    for side in (alone, rest):
        sure = [region for region in side if region.score >= LEAST + SAME_SCORE]
        assert len(sure) <= max_alone, f"{sure} are in one of the two alone"
    for side in (some, others):
        assert all(one.score >= other.score for one, other in itertools.pairwise(side))


def is_alike(one, other):
    boxes = [[*region.box.model_dump().values()] for region in (one, other)]
    return one.kind == other.kind and abs(one.score - other.score) <= SAME_SCORE and np.allclose(*boxes, atol=0.5)


@pytest.mark.parametrize("family", CONFIGS)
def test_a_tiny_network_tells_regions_apart(detector, family):
    """Guards against a network whose queries all have one score: no test of their regions or order could fail."""
    (regions,) = detector(family).detect([PAGES["tall"]], [None], confidence=0.0)
    assert len({round(one.score, 3) for one in regions}) > len(regions) / 4


@pytest.mark.parametrize("family", CONFIGS)
@pytest.mark.parametrize("name", ["tall", "wide"])
def test_regions_are_those_of_the_class_and_its_own_post_processing(folder, detector, family, name):
    """Guards against boxes, scores or classes read in another way than their makers do; V3 there makes polygons too."""
    logging.disable_progress_bar()
    least = 0.0 if family == "detr" else LEAST
    model = AutoModelForObjectDetection.from_pretrained(folder(family)).eval()
    processor = AutoImageProcessor.from_pretrained(folder(family))
    picture = PAGES[name]
    with torch.inference_mode():
        outputs = model(**processor(images=picture, return_tensors="pt", input_data_format="channels_last"))
    sizes = torch.tensor([picture.shape[:2]])
    (expected_rows,) = processor.post_process_object_detection(outputs, threshold=least, target_sizes=sizes)
    kinds = kinds_of([model.config.id2label[k] for k in range(model.config.num_labels)], {})
    width, height = picture.shape[1], picture.shape[0]
    limits = np.array([width, height, width, height])
    expected = sorted(
        (
            (-score, kinds[label], np.minimum(np.maximum(box, 0), limits).tolist())
            for score, label, box in zip(
                expected_rows["scores"].tolist(),
                expected_rows["labels"].tolist(),
                expected_rows["boxes"].numpy(),
                strict=True,
            )
            if kinds[label] is not None
        ),
        key=lambda row: row[0],
    )
    (regions,) = detector(family).detect([picture], [None], confidence=least)
    assert len(regions) == len(expected) >= 2
    assert [one.score for one in regions] == pytest.approx([-row[0] for row in expected], abs=1e-6)
    ours = sorted((one.kind, *(round(value, 2) for value in one.box.model_dump().values())) for one in regions)
    theirs = sorted((kind, *(round(float(value), 2) for value in box)) for _, kind, box in expected)
    assert [row[0] for row in ours] == [row[0] for row in theirs]
    assert np.allclose([row[1:] for row in ours], [row[1:] for row in theirs], atol=0.02)


@pytest.mark.parametrize("family", BATCHED)
@given(names=st.lists(st.sampled_from(sorted(PAGES)), min_size=1, max_size=6))
@settings(max_examples=6, deadline=None)
def test_a_page_gives_the_same_bits_in_any_company(detector, family, names):
    """Guards against pictures padded to their batch mates', and threads that share what a pass writes."""
    network = detector(family)
    together = network.detect([PAGES[name] for name in names], [(612.0, 792.0)] * len(names), confidence=LEAST)
    for name, regions in zip(names, together, strict=True):
        assert facts(regions) == facts(network.detect([PAGES[name]], [(612.0, 792.0)], confidence=LEAST)[0])


@pytest.mark.parametrize("family", BATCHED)
def test_one_pass_of_many_pages_gives_the_same_regions(detector, family, monkeypatch):
    """Guards against the GPU's way, one pass for the pages of one shape, that finds other regions than a page alone."""
    network = detector(family)
    pictures = [PAGES[name] for name in ("tall", "wide", "other", "black")]
    apart = network.detect(pictures, [None] * 4, confidence=LEAST)
    monkeypatch.setattr(network._runner, "rows", lambda inputs: list(network._runner.step(inputs)))
    for one, other in zip(apart, network.detect(pictures, [None] * 4, confidence=LEAST), strict=True):
        assert_alike(one, other)


def test_pages_that_fail_fail_alone(detector, monkeypatch):
    """Guards against one page, or what the network gives of it, taking its batch along."""
    network = detector("rt_detr_v2")
    good = facts(network.detect([PAGES["tall"]], [None], confidence=LEAST)[0])
    no_picture, first = network.detect([np.zeros((4, 4), np.uint8), PAGES["tall"]], [None] * 2, confidence=LEAST)
    assert isinstance(no_picture, PageFailed)
    assert facts(first) == good
    rows = network._runner.rows

    def broken(inputs):
        _, two, three = rows(inputs)
        return [None, {**two, "logits": torch.full_like(two["logits"], torch.nan)}, three]

    monkeypatch.setattr(network._runner, "rows", broken)
    one, two, three = network.detect([PAGES["tall"]] * 3, [None] * 3, confidence=LEAST)
    assert one.message == "the layout model failed on this page"
    assert two.message == "the layout model returned invalid numbers for this page"
    assert facts(three) == good


def test_what_cannot_be_read_of_one_page_fails_that_page(detector, monkeypatch):
    """Guards against an output that a model's own code cannot read, and a batch that goes with it."""
    network = detector("pp_doclayout_v4")
    read = network._read
    sizes = []

    def failing(outputs, **options):
        sizes.append(options["target_sizes"])
        if len(sizes) == 1:
            raise IndexError("no such node")
        return read(outputs, **options)

    monkeypatch.setattr(network, "_read", failing)
    first, second = network.detect([PAGES["tall"]] * 2, [None] * 2, confidence=LEAST)
    assert first.message == "the layout model failed on this page"
    assert second


def test_no_box_takes_out_another_unless_a_call_asks_for_it(detector):
    """Guards against suppression after a network that needs none, and an `iou_threshold` that nobody reads."""
    network = detector("pp_doclayout_v2")
    (whole,), (thinned,) = (
        network.detect([PAGES["tall"]], [None], confidence=LEAST, iou_threshold=k) for k in (1, 0.3)
    )
    assert facts(whole) == facts(network.detect([PAGES["tall"]], [None], confidence=LEAST)[0])
    assert 0 < len(thinned) < len(whole)


def test_thresholds_go_by_page_and_by_kind(folder, detector):
    """Guards against a batch whose pages all get the thresholds of the first."""
    network = detector("pp_doclayout_v4")
    square = network.fit(PAGES["tall"])
    few, many = network.detect_squares([square] * 2, [Thresholds(confidence=0.6), Thresholds(confidence=0.2)])
    assert len(few) < len(many)
    kind = many[0].kind
    picky = load_detector(
        folder("pp_doclayout_v4"), thresholds=Thresholds(confidence=0.2), class_confidence={kind: 0.999}
    )
    (regions,) = picky.detect([PAGES["tall"]], [None])
    assert {one.kind for one in regions} == {one.kind for one in many} - {kind}


def test_boxes_are_in_points_where_the_size_is_known_and_within_the_page(detector):
    """Guards against boxes in two units, and boxes that a network puts beyond the page."""
    network = detector("rt_detr_v2")
    pixels, points = network.detect([PAGES["wide"]] * 2, [None, (1e6, 1e6)], confidence=LEAST)
    assert points[0].box.x1 == pytest.approx(pixels[0].box.x1 / 240 * 1e6, rel=1e-6)
    assert all(0 <= region.box.x0 <= region.box.x1 <= 1e6 + 1e-3 for region in points)


def test_no_order_of_many_boxes_is_made(folder):
    """Guards against a page whose graph of successors holds the model for minutes (45 s for 150 boxes)."""
    network = load_detector(folder("pp_doclayout_v4"))
    (output,) = network._runner.rows([network.fit(PAGES["tall"]).inputs])
    num_queries, num_classes = 300, len(PP_DOCLAYOUT)
    random = torch.Generator().manual_seed(0)
    matrix = torch.randn(1, num_queries, num_queries, generator=random)
    logits = torch.full((1, num_queries, num_classes), -9.0)
    logits[:, :, 3] = 2.0
    boxes = torch.rand(1, num_queries, output["pred_boxes"].shape[-1], generator=random)
    crowd = {
        "logits": logits,
        "pred_boxes": boxes,
        "relative_order_logits": matrix,
        "successor_order_logits": matrix,
    }
    regions = network._regions(crowd, network.fit(PAGES["tall"]), Thresholds())
    assert len(regions) == num_queries


def test_half_precision_rounds_the_layers_alone(folder, detector):
    """Guards against weights or inputs in two precisions, which torch refuses."""
    rough = load_detector(folder("rt_detr_v2"), runner=RunnerConfig(precision="bfloat16"))
    sure, roughly = (
        network.detect([PAGES["tall"]], [None], confidence=0.0)[0] for network in (detector("rt_detr_v2"), rough)
    )
    assert abs(sure[0].score - roughly[0].score) < 0.15
    assert facts(sure) != facts(roughly)


def test_classes_are_ours_by_their_names_and_by_the_setting(folder):
    """Guards against a frame around regions that takes them in, and one word that means two things."""
    assert kinds_of(HERON, {})[-2:] == (None, None)
    assert kinds_of(PP_DOCLAYOUT, {})[PP_DOCLAYOUT.index("number")] == "abandon"
    assert kinds_of(["List_Item", "TEXT", "page header"], {}) == ("plain text", "plain text", "abandon")
    own = load_detector(folder("rt_detr_v2"), classes={"text": "table", "Form": "figure", "list-item": "none"})
    kinds = dict(zip(HERON, own._kinds, strict=True))
    assert (kinds["Text"], kinds["Form"], kinds["List-item"], kinds["Table"]) == ("table", "figure", None, "table")


def test_the_picture_that_is_wanted_is_no_smaller_than_the_network_s(detector):
    """Guards against pages that are drawn at the size of the square and then enlarged."""
    assert detector("rt_detr_v2").image_size == 136  # 96 times the square root of 2
    assert detector("detr").image_size == 192  # its longest edge
    assert (detector("detr").name, detector("detr").family) == ("detr", "detr")


def test_boxes_end_at_the_edges_of_their_page():
    """Guards against crops beyond the page, whose sides are the picture's in the units of the page."""
    square = PreparedPicture({}, (130, 100), (2.0, 3.0))
    boxes = _on_page(torch.tensor([[-5.0, -7.0, 180.0, 150.0], [10.0, 20.0, 30.0, 40.0]]), square)
    assert boxes.tolist() == [[0, 0, 200, 390], [20, 60, 60, 120]]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("family", BATCHED)
def test_an_object_detector_on_a_gpu_gives_the_regions_of_the_cpu(folder, detector, family):
    """Guards against inputs or sizes that stay on another device."""
    on_gpu = load_detector(folder(family), runner=RunnerConfig(device="cuda"))
    cpu = detector(family)
    thresholds = [Thresholds(confidence=LEAST)] * 3
    pages = [cpu.fit(PAGES[name]) for name in ("tall", "other", "wide")]  # noise: on black, places tie for the queries
    for there, here in zip(
        on_gpu.detect_squares(pages, thresholds), cpu.detect_squares(pages, thresholds), strict=True
    ):
        assert len(there) == pytest.approx(len(here), abs=1)
        assert_alike(there, here, max_alone=1)
