"""Tiny object detectors of transformers with weights drawn by a seed, as folders that `layout.model` takes.

python tests/documents/layout/tiny_detectors.py rt_detr_v2 FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from transformers import AutoModelForObjectDetection
from transformers.utils import logging

SIDE = 96  # pixels of the tiny networks' pictures
HERON = (
    "Caption",
    "Footnote",
    "Formula",
    "List-item",
    "Page-footer",
    "Page-header",
    "Picture",
    "Section-header",
    "Table",
    "Text",
    "Title",
    "Document Index",
    "Code",
    "Checkbox-Selected",
    "Checkbox-Unselected",
    "Form",
    "Key-Value Region",
)
DOCLAYNET = HERON[:11]
STAGES = ["stage2", "stage3", "stage4"]  # of the backbones, whose maps are looked at
PP_DOCLAYOUT = (
    "abstract",
    "algorithm",
    "aside_text",
    "chart",
    "content",
    "display_formula",
    "doc_title",
    "figure_title",
    "footer",
    "footer_image",
    "footnote",
    "formula_number",
    "header",
    "header_image",
    "image",
    "inline_formula",
    "number",
    "paragraph_title",
    "reference",
    "reference_content",
    "seal",
    "table",
    "text",
    "vertical_text",
    "vision_footnote",
)


def names(labels: tuple[str, ...]) -> dict[str, Any]:
    """The settings of a configuration that name its classes."""
    return {"id2label": dict(enumerate(labels)), "label2id": {label: k for k, label in enumerate(labels)}}


def resnet() -> Any:
    return transformers.RTDetrResNetConfig(
        embedding_size=8, hidden_sizes=[8, 12, 16, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=STAGES
    )


def hgnet(stages: Sequence[str] = STAGES) -> Any:
    return transformers.HGNetV2Config(
        stage_in_channels=[8, 8, 8, 12],
        stage_mid_channels=[8, 8, 8, 8],
        stage_out_channels=[8, 8, 12, 16],
        stage_num_blocks=[1, 1, 1, 1],
        stage_downsample=[False, True, True, True],
        stage_light_block=[False, False, True, True],
        stage_kernel_size=[3, 3, 5, 5],
        stage_numb_of_layers=[1, 1, 1, 1],
        stem_channels=[3, 8, 8],
        embedding_size=8,
        hidden_sizes=[8, 8, 12, 16],
        depths=[1, 1, 1, 1],
        out_features=list(stages),
    )


SMALL: Mapping[str, Any] = {
    "d_model": 16,
    "encoder_hidden_dim": 16,
    "encoder_ffn_dim": 32,
    "encoder_attention_heads": 2,
    "decoder_attention_heads": 2,
    "decoder_ffn_dim": 32,
    "decoder_layers": 2,
    "decoder_in_channels": [16, 16, 16],
    "num_queries": 30,
}


def rt_detr() -> Any:
    return transformers.RTDetrConfig(
        backbone_config=resnet(), encoder_in_channels=[12, 16, 16], **SMALL, **names(DOCLAYNET)
    )


def rt_detr_v2() -> Any:
    return transformers.RTDetrV2Config(
        backbone_config=resnet(), encoder_in_channels=[12, 16, 16], **SMALL, **names(HERON)
    )


def d_fine() -> Any:
    return transformers.DFineConfig(backbone_config=hgnet(), encoder_in_channels=[8, 12, 16], **SMALL, **names(HERON))


def pp_doclayout_v2() -> Any:
    order = {
        "hidden_size": 16,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "coordinate_size": 3,
        "shape_size": 2,
        "global_pointer_head_size": 8,
        "num_classes": len(PP_DOCLAYOUT),
    }
    return transformers.PPDocLayoutV2Config(
        backbone_config=hgnet(),
        encoder_in_channels=[8, 12, 16],
        reading_order_config=order,
        class_thresholds=[0.0] * len(PP_DOCLAYOUT),
        class_order=list(range(len(PP_DOCLAYOUT))),
        **SMALL,
        **names(PP_DOCLAYOUT),
    )


def pp_doclayout_v3() -> Any:
    return transformers.PPDocLayoutV3Config(
        backbone_config=hgnet(["stage1", *STAGES]),
        x4_feat_dim=8,
        encoder_in_channels=[8, 12, 16],
        **SMALL,
        **names(PP_DOCLAYOUT),
    )


def pp_doclayout_v4() -> Any:
    return transformers.PPDocLayoutV4Config(
        backbone_config=hgnet(), encoder_in_channels=[8, 12, 16], **SMALL, **names(PP_DOCLAYOUT)
    )


def detr() -> Any:
    backbone = transformers.ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8, 12, 16], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"]
    )
    small = {name: SMALL[name] for name in ("d_model", "encoder_ffn_dim", "decoder_ffn_dim", "num_queries")}
    return transformers.DetrConfig(
        backbone_config=backbone,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        **small,
        **names(DOCLAYNET),
    )


def yolos() -> Any:
    return transformers.YolosConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        image_size=[SIDE, SIDE],
        num_detection_tokens=20,
        **names(DOCLAYNET),
    )


SPREAD = 0.15  # standard deviation of what is added to all weights
SCORES, LEVEL = 1.5, -2.5  # standard deviation and mean of the classes' logits
SEEDS = {
    "pp_doclayout_v3": 3,
    "pp_doclayout_v4": 3,
}  # with others their queries are nearly the same, and rounding chooses
FREE_SIZE = ("detr", "yolos")  # families whose pictures keep the shape of the page
PROCESSORS = {
    "rt_detr": "RTDetrImageProcessor",
    "rt_detr_v2": "RTDetrImageProcessor",
    "d_fine": "RTDetrImageProcessor",
    "pp_doclayout_v2": "PPDocLayoutV2ImageProcessor",
    "pp_doclayout_v3": "PPDocLayoutV3ImageProcessor",
    "pp_doclayout_v4": "PPDocLayoutV4ImageProcessor",
    "detr": "DetrImageProcessor",
    "yolos": "YolosImageProcessor",
}
CONFIGS: Mapping[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (rt_detr, rt_detr_v2, d_fine, pp_doclayout_v2, pp_doclayout_v3, pp_doclayout_v4, detr, yolos)
}


def make_detector(family: str, folder: Path, **changes: Any) -> Path:
    """A folder with a tiny random network of `family`, whose scores differ and lie on both sides of 0.5."""
    if family == "pp_doclayout_v4" and not hasattr(transformers, "PPDocLayoutV4Config"):
        pytest.skip(f"transformers {transformers.__version__} has no PP-DocLayoutV4")
    logging.disable_progress_bar()
    config = CONFIGS[family]()
    for name, value in changes.items():
        setattr(config, name, value)
    torch.manual_seed(SEEDS.get(family, 0))
    model = AutoModelForObjectDetection.from_config(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(SPREAD * torch.randn_like(parameter))
        for _ in range(2):  # where one layer chooses the queries and tells their classes, others are chosen then
            _spread_scores(model)
    model.save_pretrained(folder)
    size = {"shortest_edge": SIDE, "longest_edge": 2 * SIDE} if family in FREE_SIZE else {"height": SIDE, "width": SIDE}
    getattr(transformers, PROCESSORS[family])(size=size).save_pretrained(folder)
    return folder


def _spread_scores(model: Any) -> None:
    """Scale the last layer that tells classes, so that the queries of a page differ in them."""
    heads = [m for name, m in model.named_modules() if isinstance(m, torch.nn.Linear) and _tells_classes(name)]
    pictures = torch.rand(4, 3, SIDE, SIDE)
    logits = model(pictures).logits
    head = [head for head in heads if head.out_features == logits.shape[-1]][-1]
    deviation = logits.flatten(0, 1).std(0).clamp(min=0.01)
    head.weight *= (SCORES / deviation)[:, None]
    head.bias *= SCORES / deviation
    head.bias -= model(pictures).logits.flatten(0, 1).mean(0) - LEVEL


def _tells_classes(name: str) -> bool:
    return any(part in name for part in ("decoder.class_embed", "class_labels_classifier"))


if __name__ == "__main__":
    make_detector(sys.argv[1], Path(sys.argv[2]))
