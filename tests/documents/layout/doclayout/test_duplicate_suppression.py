"""`documents.layout.doclayout.duplicate_suppression`: the same boxes as one by one, whatever else is in the batch."""

from __future__ import annotations

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchvision.ops import nms

from documents.layout.doclayout.duplicate_suppression import surviving


@given(seed=st.integers(0, 2**31), count=st.integers(1, 60), threshold=st.sampled_from([0.0, 0.3, 0.45, 0.7, 1.0]))
@settings(max_examples=80, deadline=None)
def test_layout_suppression_is_torchvisions_for_each_image(seed, count, threshold):
    """Guards against chains of overlaps that a few rounds get wrong, and against shifts between images that round."""
    torch.manual_seed(seed)
    corners = torch.rand(3, count, 2) * 50
    boxes = torch.cat((corners, corners + 5 + torch.rand(3, count, 2) * 40), 2)
    scores = torch.rand(3, count).sort(1, descending=True).values
    confident = scores > 0.2
    stay = surviving(boxes, confident, torch.tensor([threshold, 1.0, 0.5]))
    for image, limit in enumerate((threshold, 1.0, 0.5)):
        kept = nms(boxes[image][confident[image]], scores[image][confident[image]], limit)
        assert torch.equal(stay[image].nonzero().flatten(), confident[image].nonzero().flatten()[kept])


def test_boxes_without_area_neither_fail_nor_take_out_others():
    """Guards against a division by nothing on a page where the network finds a line."""
    boxes = torch.tensor([[[5.0, 5, 5, 5], [5, 5, 5, 5], [0, 0, 10, 10]]])
    assert surviving(boxes, torch.ones(1, 3, dtype=torch.bool), torch.tensor([0.5])).all()
