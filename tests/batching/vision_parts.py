"""What the tiny image-text models of several families share: widths, chat template, Qwen's processors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.batching.byte_tokenizer import byte_tokenizer

VOCABULARY = 320
ROPE = {"rope_type": "default", "rope_theta": 1e4}
TEXT = {
    "vocab_size": VOCABULARY,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
    "initializer_range": 0.2,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": 0,
    "tie_word_embeddings": False,
}
VISION = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
SECTIONS = ROPE | {"mrope_section": [2, 3, 3]}  # of 8 pairs of channels
TEMPLATE = (
    "{% for message in messages %}[{{ message['role'] }}]{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endfor %}[assistant]"
)
QWEN_TOKENS = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")


@dataclass(frozen=True)
class Family:
    """How its model and its processor are made, and which route it has on a CPU."""

    make: Callable[[], tuple[Any, Any]]  # config, processor
    route: str  # "torch" or "transformers"
    native: bool = True  # where it has the torch route


def chat_template(image: str) -> str:
    return TEMPLATE.replace("IMAGE", image)


def qwen_processor(processor: str, patch_size: int) -> Any:
    import transformers
    from transformers import Qwen2VLImageProcessor, Qwen2VLVideoProcessor

    size = {"shortest_edge": 16 * 16, "longest_edge": 96 * 96}
    sizes = {"patch_size": patch_size, "merge_size": 2, "temporal_patch_size": 2, "size": size}
    return getattr(transformers, processor)(
        Qwen2VLImageProcessor(**sizes),
        byte_tokenizer(QWEN_TOKENS),
        Qwen2VLVideoProcessor(**sizes),
        chat_template=chat_template("<|vision_start|><|image_pad|><|vision_end|>"),
    )


def qwen_ids(tokenizer: Any) -> dict[str, int]:
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    return {name: tokenizer.convert_tokens_to_ids(token) for name, token in zip(names, QWEN_TOKENS, strict=True)}
