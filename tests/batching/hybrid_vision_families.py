"""Tiny image-text models whose decoders have recurrent layers, and their processors."""

from __future__ import annotations

from typing import Any

from tests.batching.byte_tokenizer import byte_tokenizer
from tests.batching.vision_parts import ROPE, TEXT, VISION, chat_template, qwen_ids, qwen_processor

QWEN3_5_TEXT = TEXT | {
    "head_dim": 16,
    "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "full_attention"] * 2,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
    "rope_parameters": ROPE | {"partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1], "mrope_interleaved": True},
}
TILES = tuple(f"<|img_row_{row}_col_{column}|>" for row in range(1, 5) for column in range(1, 5))


def qwen3_5() -> tuple[Any, Any]:
    from transformers import Qwen3_5Config

    processor = qwen_processor("Qwen3VLProcessor", 8)
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8}
    vision |= {"out_hidden_size": 64, "num_position_embeddings": 64}
    return Qwen3_5Config(text_config=QWEN3_5_TEXT, vision_config=vision, **qwen_ids(processor.tokenizer)), processor


def minicpm_ocr() -> tuple[Any, Any]:
    from transformers import MiniCPMOcrConfig, MiniCPMOcrImageProcessor, MiniCPMOcrProcessor, MiniCPMOcrVideoProcessor

    tokens = {
        "image_token": "<|image_pad|>",
        "video_token": "<|video_pad|>",
        "image_start_token": "<image>",
        "image_end_token": "</image>",
        "slice_start_token": "<slice>",
        "slice_end_token": "</slice>",
        "image_id_start_token": "<image_id>",
        "image_id_end_token": "</image_id>",
    }
    tokenizer = byte_tokenizer(**tokens)
    sizes = {"patch_size": 8, "scale_resolution": 64, "max_slice_nums": 4}
    processor = MiniCPMOcrProcessor(
        MiniCPMOcrImageProcessor(**sizes),
        MiniCPMOcrVideoProcessor(**sizes),
        tokenizer,
        chat_template=chat_template("<|image_pad|>"),
    )
    config = MiniCPMOcrConfig(
        text_config=QWEN3_5_TEXT | {"model_type": "qwen3_5_text"},
        vision_config=VISION | {"image_size": 64, "patch_size": 8},
        image_token_id=tokenizer.image_token_id,
        video_token_id=tokenizer.video_token_id,
        insert_layer_id=0,
        tie_word_embeddings=False,
    )
    return config, processor


def lfm2_vl() -> tuple[Any, Any]:
    from transformers import Lfm2VlConfig, Lfm2VlImageProcessor, Lfm2VlProcessor

    tokens = {
        "image_token": "<image>",
        "image_start_token": "<|image_start|>",
        "image_end_token": "<|image_end|>",
        "image_thumbnail_token": "<|img_thumbnail|>",
    }
    tokenizer = byte_tokenizer(TILES, **tokens)
    images = Lfm2VlImageProcessor(
        encoder_patch_size=8, tile_size=32, min_image_tokens=4, max_image_tokens=9, max_tiles=4
    )
    text = TEXT | {
        "model_type": "lfm2",
        "num_hidden_layers": 4,
        "layer_types": ["conv", "full_attention"] * 2,
        "conv_L_cache": 3,
        "rope_parameters": ROPE,
    }
    config = Lfm2VlConfig(
        text_config=text,
        vision_config=VISION | {"model_type": "siglip2_vision_model", "patch_size": 8, "num_patches": 64},
        image_token_id=tokenizer.image_token_id,
        projector_hidden_size=64,
        tie_word_embeddings=False,
    )
    return config, Lfm2VlProcessor(images, tokenizer, chat_template=chat_template("<image>"))
