"""Tiny random models of every image-text family that the engine is tested with, and their processors."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tests.batching.byte_tokenizer import byte_tokenizer
from tests.batching.hybrid_vision_families import lfm2_vl, minicpm_ocr, qwen3_5
from tests.batching.vision_parts import ROPE, SECTIONS, TEXT, VISION, Family, chat_template, qwen_ids, qwen_processor

ROWS = tuple(f"<row_{row}_col_{column}>" for row in range(1, 7) for column in range(1, 7))
IDEFICS_TOKENS = ("<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>", *ROWS)


def picture(seed: int, height: int, width: int) -> np.ndarray:
    """Smooth, so that a processor that resizes it does not make every picture the same grey."""
    numbers = np.random.default_rng(seed)
    waves = numbers.uniform(0.01, 0.2, (3, 2))
    y, x = np.mgrid[:height, :width]
    colours = [np.sin(a * x + b * y + numbers.uniform(0, 6)) for a, b in waves]
    return ((np.stack(colours, axis=-1) + 1) * 127.5).astype(np.uint8)


def make(name: str) -> tuple[Any, Any]:
    """The model, in evaluation mode and with weights that no picture is lost in, and its processor."""
    import torch
    from transformers import AutoModelForImageTextToText

    torch.manual_seed(4)
    config, processor = FAMILIES_VISION[name].make()
    model = AutoModelForImageTextToText.from_config(config).eval()
    decoder = {id(parameter) for parameter in model.get_decoder().parameters()} | {
        id(model.get_output_embeddings().weight)
    }
    for parameter in model.parameters():
        if id(parameter) not in decoder and parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    return model, processor


def _qwen2_vl() -> tuple[Any, Any]:
    from transformers import Qwen2VLConfig

    processor = qwen_processor("Qwen2VLProcessor", 8)
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "patch_size": 8}
    text = TEXT | {"rope_parameters": SECTIONS}
    return Qwen2VLConfig(text_config=text, vision_config=vision, **qwen_ids(processor.tokenizer)), processor


def _qwen2_5_vl() -> tuple[Any, Any]:
    from transformers import Qwen2_5_VLConfig

    processor = qwen_processor("Qwen2_5_VLProcessor", 8)
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8}
    vision |= {"window_size": 32, "fullatt_block_indexes": [1], "out_hidden_size": 64}
    text = TEXT | {"rope_parameters": SECTIONS}
    return Qwen2_5_VLConfig(text_config=text, vision_config=vision, **qwen_ids(processor.tokenizer)), processor


def _qwen3_vl() -> tuple[Any, Any]:
    from transformers import Qwen3VLConfig

    processor = qwen_processor("Qwen3VLProcessor", 8)
    vision = {"depth": 3, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8}
    vision |= {"out_hidden_size": 64, "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1]}
    text = TEXT | {"head_dim": 16, "num_hidden_layers": 3, "rope_parameters": SECTIONS}
    return Qwen3VLConfig(text_config=text, vision_config=vision, **qwen_ids(processor.tokenizer)), processor


def _glm_ocr() -> tuple[Any, Any]:
    from transformers import Glm46VImageProcessor, Glm46VProcessor, Glm46VVideoProcessor, GlmOcrConfig

    tokens = ("<|image|>", "<|video|>", "<|begin_of_image|>", "<|end_of_image|>")
    tokenizer = byte_tokenizer((*tokens, "<|begin_of_video|>", "<|end_of_video|>"))
    size = {"shortest_edge": 16 * 16, "longest_edge": 2 * 96 * 96}
    sizes = {"patch_size": 8, "merge_size": 2, "temporal_patch_size": 2, "size": size}
    processor = Glm46VProcessor(
        Glm46VImageProcessor(**sizes),
        tokenizer,
        Glm46VVideoProcessor(**sizes),
        chat_template=chat_template("<|begin_of_image|><|image|><|end_of_image|>"),
    )
    names = ("image_token_id", "video_token_id", "image_start_token_id", "image_end_token_id")
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in zip(names, tokens, strict=True)}
    vision = {"depth": 2, "hidden_size": 32, "intermediate_size": 48, "num_heads": 2, "patch_size": 8}
    vision |= {"image_size": 96, "out_hidden_size": 64}
    text = TEXT | {"head_dim": 16, "rope_parameters": SECTIONS | {"partial_rotary_factor": 1.0}}
    return GlmOcrConfig(text_config=text, vision_config=vision, **ids), processor


def _paddleocr_vl() -> tuple[Any, Any]:
    from transformers import PaddleOCRVLConfig, PaddleOCRVLImageProcessor, PaddleOCRVLProcessor

    tokens = ("<|IMAGE_PLACEHOLDER|>", "<|video_pad|>", "<|IMAGE_START|>", "<|IMAGE_END|>")
    tokenizer = byte_tokenizer(tokens, image_token=tokens[0])
    size = {"shortest_edge": 16 * 16, "longest_edge": 96 * 96}
    images = PaddleOCRVLImageProcessor(patch_size=8, merge_size=2, size=size)
    template = chat_template("<|IMAGE_START|><|IMAGE_PLACEHOLDER|><|IMAGE_END|>")
    processor = PaddleOCRVLProcessor(images, tokenizer, chat_template=template)
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in zip(names, tokens, strict=True)}
    text = TEXT | {"head_dim": 16, "rope_parameters": SECTIONS}
    vision = VISION | {"image_size": 64, "patch_size": 8}
    return PaddleOCRVLConfig(text_config=text, vision_config=vision, tie_word_embeddings=False, **ids), processor


def _lighton_ocr() -> tuple[Any, Any]:
    from transformers import LightOnOcrConfig, LightOnOcrProcessor, PixtralImageProcessor

    tokens = {
        "image_token": "<|image_pad|>",
        "image_break_token": "<|vision_pad|>",
        "image_end_token": "<|vision_end|>",
    }
    tokenizer = byte_tokenizer(**tokens)
    images = PixtralImageProcessor(patch_size={"height": 16, "width": 16}, size={"longest_edge": 96})
    processor = LightOnOcrProcessor(
        images, tokenizer, patch_size=8, spatial_merge_size=2, chat_template=chat_template("<|image_pad|>")
    )
    text = TEXT | {"model_type": "qwen3", "head_dim": 16, "rope_parameters": ROPE}
    vision = VISION | {"model_type": "pixtral", "image_size": 96, "patch_size": 8, "head_dim": 16}
    config = LightOnOcrConfig(
        text_config=text,
        vision_config=vision,
        spatial_merge_size=2,
        image_token_id=tokenizer.image_token_id,
        tie_word_embeddings=False,
    )
    return config, processor


def _idefics3_processor(template: str) -> Any:
    from transformers import Idefics3ImageProcessor, Idefics3Processor

    images = Idefics3ImageProcessor(
        size={"longest_edge": 128}, max_image_size={"longest_edge": 64}, do_image_splitting=True
    )
    return Idefics3Processor(images, byte_tokenizer(IDEFICS_TOKENS), image_seq_len=16, chat_template=template)


def _idefics3(config: str = "Idefics3Config") -> tuple[Any, Any]:
    """Also SmolVLM, whose own processor wants a package for the numbers of video frames; its pictures are the same."""
    import transformers

    processor = _idefics3_processor(chat_template("<image>"))
    text = TEXT | {"model_type": "llama", "rope_parameters": ROPE}
    vision = VISION | {"image_size": 64, "patch_size": 8}
    ids = {"image_token_id": processor.image_token_id, "scale_factor": 2, "pad_token_id": 0}
    settings = {"text_config": text, "vision_config": vision, "tie_word_embeddings": False}
    return getattr(transformers, config)(**settings, **ids), processor


def _internvl() -> tuple[Any, Any]:
    from transformers import GotOcr2ImageProcessor, InternVLConfig, InternVLProcessor, InternVLVideoProcessor

    tokens = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = byte_tokenizer(**tokens)
    images = GotOcr2ImageProcessor(size={"height": 64, "width": 64}, crop_to_patches=True, max_patches=4)
    processor = InternVLProcessor(
        images,
        tokenizer,
        InternVLVideoProcessor(),
        image_seq_length=16,
        chat_template=chat_template("<IMG_CONTEXT>"),
    )
    config = InternVLConfig(
        text_config=TEXT | {"model_type": "qwen2", "rope_parameters": ROPE},
        vision_config=VISION | {"image_size": (64, 64), "patch_size": (8, 8)},
        image_token_id=tokenizer.context_image_token_id,
        image_seq_length=16,
        tie_word_embeddings=False,
    )
    return config, processor


def _got_config(tokenizer: Any) -> Any:
    from transformers import GotOcr2Config

    vision = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "mlp_dim": 48, "output_channels": 16}
    vision |= {"image_size": 64, "patch_size": 8, "window_size": 3, "global_attn_indexes": [1]}
    return GotOcr2Config(
        vision_config=vision,
        text_config=TEXT | {"model_type": "qwen2", "rope_parameters": ROPE},
        image_token_id=tokenizer.convert_tokens_to_ids("<imgpad>"),
        tie_word_embeddings=False,
    )


def _got_ocr2() -> tuple[Any, Any]:
    """Its processor writes a prompt of its own for one picture; here a chat may have several."""
    tokenizer = byte_tokenizer(["<|im_start|>", "<|im_end|>", "<img>", "</img>", "<imgpad>"])
    return _got_config(tokenizer), TiledPictures(tokenizer)


def _pp_chart2table() -> tuple[Any, Any]:
    from transformers import PPChart2TableImageProcessor, PPChart2TableProcessor

    tokenizer = byte_tokenizer(["<img>", "</img>", "<imgpad>"])
    images = PPChart2TableImageProcessor(size={"height": 64, "width": 64})
    processor = PPChart2TableProcessor(
        images, tokenizer, chat_template=chat_template("<img>" + 4 * "<imgpad>" + "</img>")
    )
    return _got_config(tokenizer), processor


class TiledPictures:
    """GotOcr2's image processor, and a chat template."""

    def __init__(self, tokenizer: Any) -> None:
        from transformers import GotOcr2ImageProcessor

        self.tokenizer = tokenizer
        self._images = GotOcr2ImageProcessor(size={"height": 64, "width": 64})

    def apply_chat_template(self, messages: Any, **settings: Any) -> str:
        template = chat_template("<img>" + 4 * "<imgpad>" + "</img>")
        return self.tokenizer.apply_chat_template(messages, chat_template=template, **settings)

    def __call__(self, text: Any, images: Any = None, return_tensors: str = "pt") -> Any:
        tokens = self.tokenizer(text, return_tensors=return_tensors)
        if images is None:
            return tokens
        return {**tokens, "pixel_values": self._images(images=images, return_tensors=return_tensors)["pixel_values"]}


FAMILIES_VISION = {
    "lighton_ocr": Family(_lighton_ocr, "torch"),
    "paddleocr_vl": Family(_paddleocr_vl, "torch"),
    "qwen2_vl": Family(_qwen2_vl, "torch"),
    "qwen2_5_vl": Family(_qwen2_5_vl, "torch"),
    "qwen3_vl": Family(_qwen3_vl, "torch", native=False),
    "idefics3": Family(_idefics3, "torch"),
    "smolvlm": Family(functools.partial(_idefics3, "SmolVLMConfig"), "torch"),
    "glm_ocr": Family(_glm_ocr, "transformers"),
    "internvl": Family(_internvl, "torch"),
    "got_ocr2": Family(_got_ocr2, "torch"),
    "pp_chart2table": Family(_pp_chart2table, "torch"),
    "qwen3_5": Family(qwen3_5, "transformers"),
    "minicpm_ocr": Family(minicpm_ocr, "transformers"),
    "lfm2_vl": Family(lfm2_vl, "transformers"),
}
