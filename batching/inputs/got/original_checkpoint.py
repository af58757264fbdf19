"""Loads the original GOT-OCR2_0 checkpoint into transformers' own classes."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import base64
import itertools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

TENSOR_RENAMES = (
    (r"^model\.vision_tower_high\.blocks\.(\d+)\.norm([12])\.", r"model.vision_tower.layers.\1.layer_norm\2."),
    (r"^model\.vision_tower_high\.blocks\.", "model.vision_tower.layers."),
    (r"^model\.vision_tower_high\.patch_embed\.proj\.", "model.vision_tower.patch_embed.projection."),
    (r"^model\.vision_tower_high\.neck\.0\.", "model.vision_tower.neck.conv1."),
    (r"^model\.vision_tower_high\.neck\.1\.", "model.vision_tower.neck.layer_norm1."),
    (r"^model\.vision_tower_high\.neck\.2\.", "model.vision_tower.neck.conv2."),
    (r"^model\.vision_tower_high\.neck\.3\.", "model.vision_tower.neck.layer_norm2."),
    (r"^model\.vision_tower_high\.net_2\.", "model.multi_modal_projector.conv_upsampler1."),
    (r"^model\.vision_tower_high\.net_3\.", "model.multi_modal_projector.conv_upsampler2."),
    (r"^model\.mm_projector_vary\.", "model.multi_modal_projector.multimodal_projector."),
    (r"^model\.vision_tower_high\.", "model.vision_tower."),
    (r"^model\.(embed_tokens|layers|norm)\.", r"model.language_model.\1."),
)
"""As transformers' convert_got_ocr2_weights_to_hf.py; the first that fits a key is taken."""

WORD_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
END_TOKEN = "<|endoftext|>"  # noqa: S105  not a password
SPECIAL_TOKENS = (
    END_TOKEN,
    "<|im_start|>",
    "<|im_end|>",
    *(f"<|extra_{number}|>" for number in range(205)),
    *("<ref>", "</ref>", "<box>", "</box>", "<quad>", "</quad>", "<img>", "</img>", "<imgpad>"),
)
"""Qwen's, then those of GOT; their ids follow the ranks of qwen.tiktoken."""


def is_original(folder: Path) -> bool:
    """Whether the folder holds the checkpoint as it was published first."""
    config = folder / "config.json"
    return config.is_file() and json.loads(config.read_text("utf-8")).get("model_type") == "GOT"


def load_original(folder: Path, dtype: torch.dtype | None = None) -> tuple[Any, Any]:
    """Model in evaluation mode, in `dtype` or that of the file, and processor.

    Raises:
        OSError: a file of the checkpoint is missing.
        RuntimeError: a weight is missing, left over, or of another shape.
    """
    from safetensors.torch import load_file
    from transformers import GotOcr2ForConditionalGeneration, GotOcr2ImageProcessor, GotOcr2Processor

    weights: dict[str, Tensor] = {}
    for file in sorted(folder.glob("*.safetensors")):
        weights |= native_weights(load_file(file))
    if not weights:
        raise FileNotFoundError(f"{folder} holds no *.safetensors")
    config = native_config(json.loads((folder / "config.json").read_text("utf-8")), weights)
    tokenizer = load_tokenizer(folder / "qwen.tiktoken")
    config.image_token_id = int(tokenizer.convert_tokens_to_ids("<imgpad>"))
    if config.tie_word_embeddings:  # the file may hold the tied matrix twice, or once
        weights["lm_head.weight"] = weights["model.language_model.embed_tokens.weight"]
    target_dtype = dtype or weights["model.language_model.embed_tokens.weight"].dtype
    # made without numbers of its own, which would take minutes, and then of the file's
    loaded: Any = GotOcr2ForConditionalGeneration.from_pretrained(
        None,
        config=config,
        state_dict=weights,
        dtype=target_dtype,
        output_loading_info=True,
        ignore_mismatched_sizes=True,  # they are in the report
    )
    model, report = loaded
    if wrong := {kind: sorted(map(str, keys)) for kind, keys in report.items() if keys}:
        raise RuntimeError(f"the weights do not fit the model: {wrong}")
    size = config.vision_config.image_size
    images = GotOcr2ImageProcessor(size={"height": size, "width": size})
    return model.eval(), GotOcr2Processor(images, tokenizer)


def native_weights(original: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same tensors under the names of transformers' GotOcr2."""
    return {_renamed(key): tensor for key, tensor in original.items()}


def native_config(original: Mapping[str, Any], weights: Mapping[str, Tensor]) -> Any:
    """The decoder as the original config says, which is silent on the vision tower: that is as its weights' shapes."""
    from transformers import GotOcr2Config

    text = {key: original[key] for key in TEXT_KEYS if key in original}
    text |= {"model_type": "qwen2", "rope_parameters": {"rope_type": "default", "rope_theta": original["rope_theta"]}}
    tied = bool(original.get("tie_word_embeddings", True))
    return GotOcr2Config(
        vision_config=_vision(weights),
        text_config=text | {"use_sliding_window": False, "tie_word_embeddings": tied},
        tie_word_embeddings=tied,
    )


TEXT_KEYS = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "max_position_embeddings",
    "rms_norm_eps",
    "hidden_act",
)


def load_tokenizer(ranks: Path) -> Any:
    """Qwen's byte-level BPE of a tiktoken file: a token in base64 and its rank a line."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    lines = [line.split() for line in ranks.read_text("ascii").splitlines() if line]
    of_bytes = {base64.b64decode(token): int(rank) for token, rank in lines}
    letters = _letters()
    vocabulary = {_spelled(token, letters): rank for token, rank in of_bytes.items()}
    merges = [
        (_spelled(left, letters), _spelled(right, letters))
        for token in sorted(of_bytes, key=of_bytes.__getitem__)
        if len(token) > 1
        for left, right in _merged(token, of_bytes)
    ]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(WORD_PATTERN), behavior="isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIAL_TOKENS))
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=END_TOKEN,
        eos_token=END_TOKEN,
        padding_side="left",
        model_input_names=["input_ids", "attention_mask"],
    )


def _renamed(key: str) -> str:
    for pattern, name in TENSOR_RENAMES:
        renamed, count = re.subn(pattern, name, key)
        if count:
            return renamed
    return key


def _vision(weights: Mapping[str, Tensor]) -> dict[str, Any]:
    """The shape of the vision tower, of the shapes of its weights."""
    tower = "model.vision_tower."
    hidden, _, patch, _ = weights[f"{tower}patch_embed.projection.weight"].shape
    side = weights[f"{tower}pos_embed"].shape[1]
    lengths: list[int] = []
    while (key := f"{tower}layers.{len(lengths)}.attn.rel_pos_h") in weights:
        lengths.append((weights[key].shape[0] + 1) // 2)
    local = [length for length in lengths if length != side]
    return {
        "hidden_size": hidden,
        "num_hidden_layers": len(lengths),
        "num_attention_heads": hidden // weights[f"{tower}layers.0.attn.rel_pos_h"].shape[1],
        "mlp_dim": weights[f"{tower}layers.0.mlp.lin1.weight"].shape[0],
        "output_channels": weights[f"{tower}neck.conv1.weight"].shape[0],
        "image_size": side * patch,
        "patch_size": patch,
        "window_size": local[0] if local else side,
        "global_attn_indexes": [index for index, length in enumerate(lengths) if length == side],
    }


def _merged(token: bytes, ranks: Mapping[bytes, int]) -> list[tuple[bytes, bytes]]:
    """The last merge that makes `token`: what is left when merges of lower rank are done; none for a lone token."""
    parts = [token[index : index + 1] for index in range(len(token))]
    while len(parts) > 2:
        pairs = [
            (ranks.get(left + right, ranks[token]), index)
            for index, (left, right) in enumerate(itertools.pairwise(parts))
        ]
        rank, index = min(pairs)
        if rank >= ranks[token]:
            return []
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
    return [(parts[0], parts[1])]


def _letters() -> dict[int, str]:
    """How byte-level BPE spells each byte as a visible character (GPT-2's table)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + index) for index, byte in enumerate(hidden)}


def _spelled(token: bytes, letters: Mapping[int, str]) -> str:
    return "".join(letters[byte] for byte in token)
