"""The original GOT-OCR2_0 checkpoint."""

import base64
import itertools
import json

import numpy as np
import pytest

from batching import Request, SamplingParams, generate
from batching.inputs.got.original_checkpoint import (
    END_TOKEN,
    SPECIAL_TOKENS,
    is_original,
    load_original,
    load_tokenizer,
    native_weights,
)
from batching.loading.models import load_got_ocr2

BACK = (
    ("model.vision_tower.neck.conv1.", "model.vision_tower_high.neck.0."),
    ("model.vision_tower.neck.layer_norm1.", "model.vision_tower_high.neck.1."),
    ("model.vision_tower.neck.conv2.", "model.vision_tower_high.neck.2."),
    ("model.vision_tower.neck.layer_norm2.", "model.vision_tower_high.neck.3."),
    ("model.vision_tower.patch_embed.projection.", "model.vision_tower_high.patch_embed.proj."),
    ("model.vision_tower.layers.", "model.vision_tower_high.blocks."),
    (".layer_norm1.", ".norm1."),
    (".layer_norm2.", ".norm2."),
    ("model.vision_tower.", "model.vision_tower_high."),
    ("model.multi_modal_projector.conv_upsampler1.", "model.vision_tower_high.net_2."),
    ("model.multi_modal_projector.conv_upsampler2.", "model.vision_tower_high.net_3."),
    ("model.multi_modal_projector.multimodal_projector.", "model.mm_projector_vary."),
    ("model.language_model.", "model."),
)
WORDS = ("the", " the", " a", "OCR", " OCR", "user", "\n\n", "é", "日本", " system", "12", "!!")


def original_key(key):
    for native, original in BACK:
        key = key.replace(native, original)
    return key


def ranks():
    """Merges of all prefixes of some words, after the 256 bytes: token by rank, as tiktoken's training gives them."""
    tokens = [bytes([byte]) for byte in range(256)]
    for word in WORDS:
        spelled = word.encode()
        tokens += [spelled[:end] for end in range(2, len(spelled) + 1) if spelled[:end] not in tokens]
    return tokens


@pytest.fixture(scope="module")
def folders(torch, tmp_path_factory):
    """The same tiny model as transformers' folder and as the original was published."""
    from safetensors.torch import save_file
    from transformers import GotOcr2Config, GotOcr2ForConditionalGeneration, GotOcr2ImageProcessor, GotOcr2Processor

    original, native = (tmp_path_factory.mktemp(name) for name in ("original", "native"))
    lines = [f"{base64.b64encode(token).decode()} {rank}" for rank, token in enumerate(ranks())]
    (original / "qwen.tiktoken").write_text("\n".join(lines) + "\n")
    tokenizer = load_tokenizer(original / "qwen.tiktoken")
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "max_position_embeddings": 1024,
        "rms_norm_eps": 1e-6,
    }
    vision = {
        "hidden_size": 32,
        "num_hidden_layers": 3,
        "num_attention_heads": 2,
        "mlp_dim": 48,
        "output_channels": 16,
        "image_size": 64,
        "patch_size": 16,
        "window_size": 2,
        "global_attn_indexes": [1],
        "initializer_range": 0.02,
    }
    torch.manual_seed(4)
    config = GotOcr2Config(
        vision_config=vision,
        text_config=text | {"model_type": "qwen2", "initializer_range": 0.2, "rope_theta": 1e6},
        image_token_index=tokenizer.convert_tokens_to_ids("<imgpad>"),
    )
    model = GotOcr2ForConditionalGeneration(config).eval()
    for name, parameter in model.named_parameters():
        if "rel_pos" in name or "pos_embed" in name:
            torch.nn.init.normal_(parameter, std=0.05)
    model.save_pretrained(native)
    GotOcr2Processor(GotOcr2ImageProcessor(size={"height": 64, "width": 64}), tokenizer).save_pretrained(native)
    settings = text | {"model_type": "GOT", "rope_theta": 1e6, "tie_word_embeddings": True, "use_im_start_end": True}
    (original / "config.json").write_text(json.dumps(settings))
    weights = {original_key(key): values.clone().contiguous() for key, values in model.state_dict().items()}
    save_file(weights, original / "model.safetensors")
    return original, native


def test_every_key_comes_back_under_its_own_name(folders, torch):
    """A key that is not renamed is a layer of random numbers."""
    from safetensors.torch import load_file
    from transformers import GotOcr2ForConditionalGeneration

    original, native = folders
    assert is_original(original)
    assert not is_original(native)
    expected = GotOcr2ForConditionalGeneration.from_pretrained(native).state_dict()
    renamed = native_weights(load_file(original / "model.safetensors"))
    assert renamed.keys() == expected.keys()
    assert all(torch.equal(renamed[key], expected[key]) for key in expected)
    assert not any(key in renamed for key in load_file(original / "model.safetensors") if "vision" in key)


def test_the_original_reads_as_the_converted_one(folders):
    """Weights, shapes, tokenizer, prompt and picture size, all at once."""
    params = SamplingParams(max_tokens=20)
    pictures = [np.random.default_rng(seed).integers(0, 255, (64, 64 + seed, 3), np.uint8) for seed in range(3)]
    requests = [Request(image=picture, sampling=params) for picture in pictures]
    of_original, of_native = (generate(load_got_ocr2(folder), requests) for folder in folders)
    assert [completion.token_ids for completion in of_original] == [completion.token_ids for completion in of_native]
    assert [completion.text for completion in of_original] == [completion.text for completion in of_native]
    assert len({token for completion in of_original for token in completion.token_ids}) > 10


@pytest.fixture
def in_bfloat16(folders, tmp_path):
    """The original as it is published, in bfloat16; a function that puts other weights in their place."""
    from safetensors.torch import load_file, save_file

    weights = {name: values.bfloat16() for name, values in load_file(folders[0] / "model.safetensors").items()}
    for name in ("config.json", "qwen.tiktoken"):
        (tmp_path / name).write_bytes((folders[0] / name).read_bytes())

    def write(**others):
        present = {name: values for name, values in (weights | others).items() if values is not None}
        save_file(present, tmp_path / "model.safetensors")
        return tmp_path

    return write


def test_a_file_in_bfloat16_runs_in_float32_on_the_cpu(in_bfloat16, torch):
    """It stayed as the file has it, and gave other tokens than the converted checkpoint with equal weights."""
    folder = in_bfloat16()
    model = load_got_ocr2(folder, route="transformers").model
    dtypes = {name: values.dtype for name, values in (*model.named_parameters(), *model.named_buffers())}
    assert set(dtypes.values()) == {torch.float32}, dtypes
    assert load_got_ocr2(folder, dtype=torch.bfloat16).model.dtype == torch.bfloat16
    assert load_original(folder)[0].dtype == torch.bfloat16
    assert model.lm_head.weight is model.model.language_model.embed_tokens.weight


def test_a_weight_that_is_missing_left_over_or_of_another_shape_is_refused(in_bfloat16, torch):
    """Else the layer is one of random numbers."""
    name = "model.layers.0.mlp.up_proj.weight"
    for others in ({name: None}, {"model.odd.weight": torch.zeros(2)}, {name: torch.zeros(3, 3)}):
        with pytest.raises(RuntimeError, match=r"up_proj|odd"):
            load_original(in_bfloat16(**others))


def tiktoken(text):
    """Byte pair encoding by rank, as tiktoken does it, of a text that is one piece."""
    order = {token: rank for rank, token in enumerate(ranks())}
    parts = [bytes([byte]) for byte in text.encode()]
    while True:
        pairs = [(order.get(a + b, 10**9), at) for at, (a, b) in enumerate(itertools.pairwise(parts))]
        if not pairs or min(pairs)[0] == 10**9:
            return [order[part] for part in parts]
        at = min(pairs)[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]


@pytest.mark.parametrize(
    "piece", ["the", " the", " theca", "OCRs", " OCR", "users", "é", "日本", "日", " systems", "!!!", "h"]
)
def test_the_tokenizer_is_that_of_its_ranks(piece, folders):
    """Merges are not in the file: they are worked out of the ranks."""
    tokenizer = load_tokenizer(folders[0] / "qwen.tiktoken")
    assert tokenizer(piece)["input_ids"] == tiktoken(piece)
    assert tokenizer.decode(tokenizer(piece)["input_ids"]) == piece


def test_special_tokens_follow_the_ranks(folders):
    """In the published checkpoint the image token is 151859, 216 after the last rank."""
    tokenizer = load_tokenizer(folders[0] / "qwen.tiktoken")
    assert tokenizer.convert_tokens_to_ids(END_TOKEN) == len(ranks())
    assert tokenizer.convert_tokens_to_ids("<imgpad>") - len(ranks()) == 151859 - 151643 == len(SPECIAL_TOKENS) - 1
    assert tokenizer("<|im_start|>user\n<img><imgpad></img>")["input_ids"].count(len(ranks()) + 216) == 1


def test_a_folder_without_weights_says_so(folders, tmp_path):
    """A half downloaded checkpoint is common."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "GOT"}))
    with pytest.raises(FileNotFoundError, match="safetensors"):
        load_got_ocr2(tmp_path)
