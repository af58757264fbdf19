"""A small GOT-OCR2, of transformers' own class, and its tokenizer: what a checkpoint of ours holds."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from torch import nn
from transformers import GenerationConfig, GotOcr2Config, GotOcr2ForConditionalGeneration, PreTrainedTokenizerFast

from documents.ocr_input.strip_folding import ROWS, SQUARE_SIDE, STRIP_HEIGHT
from training.ocr.characters import CHARS

SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<img>", "</img>", "<imgpad>")  # GOT-OCR2's names
PAD, _, EOS, BEGIN, END, IMAGE = range(len(SPECIALS))
PER_ROW = SQUARE_SIDE // STRIP_HEIGHT  # image tokens of a row
STEPS = 4  # columns (of 8 pixels) of an image token
WINDOW = 8  # patches (of 8 x 8 pixels): two rows of text
MAX_TOKENS = 128  # of an answer


def build_model(vision: int, text: int, seers: int, readers: int, channels: int = 1) -> GotOcr2ForConditionalGeneration:
    """A small GOT-OCR2: `vision` and `text` are widths, `seers` and `readers` depths; weights start at unit gain."""
    config = GotOcr2Config(
        vision_config={
            "hidden_size": vision, "output_channels": vision, "num_hidden_layers": seers, "mlp_dim": vision * 8 // 3,
            "num_attention_heads": vision // 32, "num_channels": channels, "image_size": SQUARE_SIDE,
            "patch_size": STRIP_HEIGHT // 4, "window_size": WINDOW, "global_attn_indexes": [],
            "use_rel_pos": False, "initializer_range": 0.02,
        },
        text_config={
            "model_type": "qwen2", "vocab_size": len(SPECIALS) + len(CHARS), "hidden_size": text,
            "intermediate_size": text * 8 // 3, "num_hidden_layers": readers, "num_attention_heads": text // 48,
            "num_key_value_heads": text // 48, "max_position_embeddings": 512, "tie_word_embeddings": True,
            "eos_token_id": EOS, "pad_token_id": PAD, "bos_token_id": None,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
        image_token_index=IMAGE, image_seq_length=ROWS * PER_ROW,
    )  # fmt: skip
    model = GotOcr2ForConditionalGeneration(config)
    for name, weight in model.named_parameters():
        if weight.ndim > 1 and "embed" not in name:
            last = re.search(r"(o_proj|down_proj|attn\.proj|lin2)\.weight", name)
            nn.init.normal_(weight, std=(0.5 if last else 1.0) / math.sqrt(weight[0].numel()))
    nn.init.normal_(model.model.language_model.embed_tokens.weight, std=0.06)
    nn.init.normal_(model.model.vision_tower.patch_embed.projection.weight, std=0.1)
    return model


def build_tokenizer() -> PreTrainedTokenizerFast:
    """A token for each character."""
    inner = Tokenizer(
        models.WordLevel({token: k for k, token in enumerate((*SPECIALS, *CHARS))}, unk_token=SPECIALS[PAD])
    )
    inner.pre_tokenizer, inner.decoder = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated"), decoders.Fuse()
    inner.add_special_tokens(list(SPECIALS))
    return PreTrainedTokenizerFast(tokenizer_object=inner, pad_token=SPECIALS[PAD], eos_token=SPECIALS[EOS])


def write_checkpoint(model: GotOcr2ForConditionalGeneration, folder: Path) -> None:
    """Weights in half precision, tokenizer, and the settings that reading needs."""
    model.generation_config = GenerationConfig(
        eos_token_id=EOS, pad_token_id=PAD, do_sample=False, max_new_tokens=MAX_TOKENS
    )
    model.half().save_pretrained(folder)
    build_tokenizer().save_pretrained(folder)
    picture = {
        "image_processor_type": "GotOcr2ImageProcessor", "size": {"height": SQUARE_SIDE, "width": SQUARE_SIDE},
        "do_resize": True, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [1.0] * 3,
        "image_std": [0.5] * 3, "do_convert_rgb": True, "crop_to_patches": False,
    }  # fmt: skip
    reading = {
        "unit": "strip", "prompt": "<img>{image}</img>", "modes": ["plain"], "stop": SPECIALS[EOS],
        "max_tokens": MAX_TOKENS, "omits_blank": True,
    }  # fmt: skip
    for name, content in (("preprocessor_config.json", picture), ("reading.json", reading)):
        (folder / name).write_text(json.dumps(content, indent=2) + "\n")
