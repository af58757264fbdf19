"""A Qwen2 folder as an OpenVINO model, for `race_sides.py`; needs openvino and numpy, no torch and no converter.

The graph has the form that OpenVINO GenAI turns into its paged attention: keys and values are states, and what is read
of them goes through `beam_idx`. Paged attention makes its own causal mask; that of the graph is only a placeholder.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

ov: Any = importlib.import_module("openvino")
op: Any = importlib.import_module("openvino.opset13")
Arrays = dict[str, Any]


def convert(folder: Path, out: Path) -> None:
    """Write `openvino_model.xml` of the Qwen2 with weights in float32 in `folder`."""
    config = json.loads((folder / "config.json").read_text("utf-8"))
    weights = safetensors(folder / "model.safetensors")
    ids, mask, positions = (
        op.parameter([-1, -1], np.int64, name=name) for name in ("input_ids", "attention_mask", "position_ids")
    )
    beams = op.parameter([-1], np.int32, name="beam_idx")
    inputs = (ids, mask, positions, beams)
    for node in inputs:
        node.output(0).get_tensor().set_names({node.friendly_name})
    embedding = op.constant(weights["model.embed_tokens.weight"])
    hidden = op.gather(embedding, op.convert(ids, "i32"), 0)
    cosines, sines = _rope(config, positions)
    sinks: list[Any] = []
    for at in range(config["num_hidden_layers"]):
        layer = {name.split(f"layers.{at}.")[1]: tensor for name, tensor in weights.items() if f"layers.{at}." in name}
        hidden = _layer(config, layer, at, hidden, (cosines, sines), mask, beams, sinks)
    hidden = _norm(hidden, weights["model.norm.weight"], config)
    head = weights.get("lm_head.weight")
    logits = op.matmul(hidden, embedding if head is None else op.constant(head), False, True)
    result = op.result(logits)
    result.output(0).get_tensor().set_names({"logits"})
    model = ov.Model([result], sinks, list(inputs), "qwen2")
    ov.save_model(model, out / "openvino_model.xml", compress_to_fp16=False)


def safetensors(file: Path) -> Arrays:
    """All tensors of a file, float32."""
    raw = file.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    arrays: Arrays = {}
    for name, tensor in header.items():
        if name != "__metadata__":
            assert tensor["dtype"] == "F32", tensor
            begin, end = (8 + size + offset for offset in tensor["data_offsets"])
            arrays[name] = np.frombuffer(raw[begin:end], np.float32).reshape(tensor["shape"])
    return arrays


def _rope(config: Any, positions: Any) -> tuple[Any, Any]:
    """Cosines and sines, (B, 1, T, head dim)."""
    dim = config["hidden_size"] // config["num_attention_heads"]
    theta = (config.get("rope_parameters") or config)["rope_theta"]
    frequencies = (1.0 / theta ** (np.arange(0, dim, 2, dtype=np.float32) / dim)).reshape(1, 1, -1)
    angles = op.multiply(op.convert(op.unsqueeze(positions, -1), "f32"), op.constant(frequencies.astype(np.float32)))
    angles = op.unsqueeze(op.concat([angles, angles], -1), 1)
    return op.cos(angles), op.sin(angles)


def _norm(rows: Any, weight: Any, config: Any) -> Any:
    eps = op.constant(np.float32(config["rms_norm_eps"]))
    squares = op.reduce_mean(op.power(rows, op.constant(np.float32(2))), op.constant([-1]), True)
    scaled = op.multiply(rows, op.divide(op.constant(np.float32(1)), op.sqrt(op.add(squares, eps))))
    return op.multiply(op.constant(weight), scaled)


def _linear(rows: Any, layer: Arrays, name: str) -> Any:
    product = op.matmul(rows, op.constant(layer[f"{name}.weight"]), False, True)
    bias = layer.get(f"{name}.bias")
    return product if bias is None else op.add(product, op.constant(bias.reshape(1, 1, -1)))


def _layer(
    config: Any, layer: Arrays, at: int, hidden: Any, rope: tuple[Any, Any], mask: Any, beams: Any, sinks: list[Any]
) -> Any:
    heads, kv_heads = config["num_attention_heads"], config["num_key_value_heads"]
    dim = config["hidden_size"] // heads
    normed = _norm(hidden, layer["input_layernorm.weight"], config)
    queries, keys, values = (
        _heads(_linear(normed, layer, f"self_attn.{name}_proj"), count, dim)
        for name, count in (("q", heads), ("k", kv_heads), ("v", kv_heads))
    )
    queries, keys = _rotated(queries, rope), _rotated(keys, rope)
    keys, values = (
        _repeated(_stored(new, f"past_key_values.{at}.{name}", kv_heads, dim, beams, sinks), heads, kv_heads, dim)
        for name, new in (("key", keys), ("value", values))
    )
    visible = op.convert(op.unsqueeze(mask, [1, 2]), "f32")
    bias = op.multiply(op.subtract(visible, op.constant(np.float32(1))), op.constant(np.float32(1e9)))
    scale = op.constant(np.float32(dim**-0.5))
    attended = op.scaled_dot_product_attention(queries, keys, values, bias, scale, causal=False)
    merged = op.reshape(op.transpose(attended, op.constant([0, 2, 1, 3])), op.constant([0, 0, heads * dim]), True)
    hidden = op.add(hidden, _linear(merged, layer, "self_attn.o_proj"))
    normed = _norm(hidden, layer["post_attention_layernorm.weight"], config)
    gated = op.multiply(op.swish(_linear(normed, layer, "mlp.gate_proj")), _linear(normed, layer, "mlp.up_proj"))
    return op.add(hidden, _linear(gated, layer, "mlp.down_proj"))


def _heads(rows: Any, count: int, dim: int) -> Any:
    """(B, heads, T, head dim)."""
    return op.transpose(op.reshape(rows, op.constant([0, 0, count, dim]), True), op.constant([0, 2, 1, 3]))


def _rotated(heads: Any, rope: tuple[Any, Any]) -> Any:
    low, high = op.split(heads, op.constant(3), 2).outputs()
    turned = op.concat([op.multiply(high, op.constant(np.float32(-1))), low], 3)
    return op.add(op.multiply(heads, rope[0]), op.multiply(turned, rope[1]))


def _stored(new: Any, name: str, kv_heads: int, dim: int, beams: Any, sinks: list[Any]) -> Any:
    """What the state `name` has, in the order of the beams, and after it what is new; the state becomes that."""
    batch = op.gather(op.shape_of(new, "i64"), op.constant([0]), op.constant(0))
    rest = (op.constant([kv_heads]), op.constant([0]), op.constant([dim]))
    nothing = op.broadcast(op.constant(np.float32(0)), op.concat([batch, *rest], 0))
    past = op.read_value(nothing, name, np.float32, ov.PartialShape([-1, kv_heads, -1, dim]))
    both = op.concat([op.gather(past, beams, op.constant(0)), new], 2)
    sinks.append(op.assign(both, name))
    return both


def _repeated(cached: Any, heads: int, kv_heads: int, dim: int) -> Any:
    """Each KV head for all heads that it serves."""
    group = heads // kv_heads
    if group == 1:
        return cached
    shape = op.shape_of(cached, "i64")
    batch, length = (op.gather(shape, op.constant([at]), op.constant(0)) for at in (0, 2))
    target = op.concat([batch, op.constant([kv_heads]), op.constant([group]), length, op.constant([dim])], 0)
    wide = op.broadcast(op.unsqueeze(cached, 2), target, "BIDIRECTIONAL")
    return op.reshape(wide, op.constant([0, heads, -1, dim]), True)
