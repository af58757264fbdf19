"""llama.cpp's library as a side of the race, for `race_sides.py`; needs llama-cpp-python, gguf, safetensors and numpy.

Scheduling is that of its server: each running sequence's next token first, then as much of the prompts as fits the
step. Each sequence has a stream of keys and values of its own, float16 as is its default; the likeliest token is
chosen by numpy.
"""

from __future__ import annotations

import ctypes
import importlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

gguf: Any = importlib.import_module("gguf")
library: Any = importlib.import_module("llama_cpp.llama_cpp")

Requests = list[tuple[list[int], int]]
MAX_LENGTH = 640  # prompt and output
TYPES = {"float32": "F32", "bfloat16": "BF16", "int8": "Q8_0"}
NAMES = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def convert(folder: Path, out: Path, precision: str) -> None:
    """Write the Qwen2 in `folder`, whose weights are float32, to a GGUF file; vectors stay float32."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    quantised_type = getattr(gguf.GGMLQuantizationType, TYPES[precision])
    writer = gguf.GGUFWriter(str(out), "qwen2")
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base((config.get("rope_parameters") or config)["rope_theta"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    for name, tensor in importlib.import_module("safetensors.numpy").load_file(folder / "model.safetensors").items():
        kind = quantised_type if tensor.ndim > 1 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(_name(name), gguf.quants.quantize(tensor, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _name(name: str) -> str:
    """GGUF's name of a tensor of transformers."""
    module, kind = name.rsplit(".", 1)
    if module.startswith("model.layers."):
        number, module = module.removeprefix("model.layers.").split(".", 1)
        return f"blk.{number}.{NAMES[module]}.{kind}"
    return f"{NAMES[module]}.{kind}"


class Generator:
    """Continuous batching over one context of `running` streams."""

    def __init__(self, file: Path, num_threads: int, running: int, max_step_tokens: int) -> None:
        library.llama_backend_init()
        self._model = library.llama_model_load_from_file(
            str(file).encode(), library.llama_model_default_params()
        )  # held: the context reads it
        params = library.llama_context_default_params()
        params.n_ctx = running * MAX_LENGTH
        params.n_batch = max_step_tokens
        params.n_seq_max = running
        params.n_threads = params.n_threads_batch = num_threads
        params.kv_unified = False
        self._context = library.llama_init_from_model(self._model, params)
        if not self._context:
            raise RuntimeError("llama.cpp made no context")
        self._vocabulary = library.llama_vocab_n_tokens(library.llama_model_get_vocab(self._model))
        self._memory = library.llama_get_memory(self._context)
        self._batch = library.llama_batch_init(max_step_tokens, 0, 1)
        self._running = running
        self._max_step_tokens = max_step_tokens

    def run(self, requests: Requests) -> list[list[int]]:
        """Outputs, each as long as its request allows."""
        outputs: list[list[int]] = [[] for _ in requests]
        prefilled = [0] * len(requests)
        waiting = list(range(len(requests)))[::-1]
        streams: list[int | None] = [None] * self._running  # the request of each
        while waiting or any(at is not None for at in streams):
            for stream, at in enumerate(streams):
                if at is None and waiting:
                    streams[stream] = waiting.pop()
            rows = self._rows(requests, outputs, prefilled, streams)
            for stream, token in self._step(rows):
                at = streams[stream]
                assert at is not None
                outputs[at].append(token)
                if len(outputs[at]) == requests[at][1]:
                    streams[stream] = None
                    library.llama_memory_seq_rm(self._memory, stream, -1, -1)
        return outputs

    def _rows(
        self, requests: Requests, outputs: list[list[int]], prefilled: list[int], streams: Sequence[int | None]
    ) -> list[tuple[int, Sequence[int], int, bool]]:
        """Stream, tokens, the first one's position, and whether one is wanted after them."""
        running = [(stream, at) for stream, at in enumerate(streams) if at is not None]
        rows: list[tuple[int, Sequence[int], int, bool]] = [
            (stream, outputs[at][-1:], len(requests[at][0]) + len(outputs[at]) - 1, True)
            for stream, at in running
            if outputs[at]
        ]
        left = self._max_step_tokens - len(rows)
        for stream, at in running:
            prompt, first = requests[at][0], prefilled[at]
            if not outputs[at] and left:
                tokens = prompt[first : first + left]
                prefilled[at] += len(tokens)
                left -= len(tokens)
                rows.append((stream, tokens, first, prefilled[at] == len(prompt)))
        return rows

    def _step(self, rows: Sequence[tuple[int, Sequence[int], int, bool]]) -> list[tuple[int, int]]:
        """The next token of each stream that has one."""
        batch, at = self._batch, 0
        for stream, tokens, first, with_logits in rows:
            for offset, token in enumerate(tokens):
                batch.token[at] = token
                batch.pos[at] = first + offset
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = stream
                batch.logits[at] = with_logits and offset == len(tokens) - 1
                at += 1
        batch.n_tokens = at
        if library.llama_decode(self._context, batch) != 0:
            raise RuntimeError("llama_decode failed")
        streams = [stream for stream, _, _, with_logits in rows if with_logits]
        logits = library.llama_get_logits(self._context)
        table = np.ctypeslib.as_array(
            ctypes.cast(logits, ctypes.POINTER(ctypes.c_float)), (len(streams), self._vocabulary)
        )
        return list(zip(streams, table.argmax(1).tolist(), strict=True)) if streams else []
