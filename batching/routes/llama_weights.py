"""Which decoders of transformers are Llama-shaped, and their weights: what our own forward passes read."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor

from batching.inputs.context_length import ropes

LLAMA_MODEL_TYPES = frozenset(
    ("llama", "mistral", "qwen2", "qwen3", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text", "paddleocr_vl_text")
)
"""Model types in which every layer is norm, attention with rope, norm, gated MLP."""
ROPE_KINDS = frozenset({"default", "linear", "llama3", "yarn"})
"""Kinds of rope whose angles depend on the position alone, not on the length of the sequence."""

Parts = list[tuple[Tensor, Tensor | None]]
"""Matrices, (out, in), that have the same input, with their biases, (out)."""


class Matrix(Protocol):
    """A route's own form of matrices."""

    @property
    def num_bytes(self) -> int:
        """That it takes."""
        ...


MatrixT = TypeVar("MatrixT", bound=Matrix)


@dataclass(frozen=True, slots=True, eq=False)
class Layer(Generic[MatrixT]):
    """The weights of one layer."""

    norm: Tensor
    q_norm: Tensor | None  # of each head's queries, (head dim)
    k_norm: Tensor | None
    mlp_norm: Tensor
    qkv: MatrixT  # queries, keys and values
    out: MatrixT
    gate_up: MatrixT
    down: MatrixT

    @property
    def num_bytes(self) -> int:
        """Of the matrices: all that a step spends its time on."""
        return sum(matrix.num_bytes for matrix in (self.qkv, self.out, self.gate_up, self.down))


def layers_of(
    model: Any, norm_dtype: torch.dtype, make: Callable[[Parts], MatrixT], make_gated: Callable[[Parts], MatrixT]
) -> Iterator[Layer[MatrixT]]:
    """Of a model for which `unsupported_reason` finds none; `make_gated` is for the gate and the MLP's first matrix."""

    def norm(module: Any) -> Tensor:
        return module.weight.detach().to(norm_dtype)

    def parts(*linears: Any) -> Parts:
        return [(linear.weight.detach(), linear.bias) for linear in linears]

    count = int(model.config.get_text_config(decoder=True).num_hidden_layers)
    for layer in model.get_decoder().layers[:count]:
        attention, mlp = layer.self_attn, layer.mlp
        has_head_norms = getattr(attention, "q_norm", None) is not None
        yield Layer(
            norm=norm(layer.input_layernorm),
            q_norm=norm(attention.q_norm) if has_head_norms else None,
            k_norm=norm(attention.k_norm) if has_head_norms else None,
            mlp_norm=norm(layer.post_attention_layernorm),
            qkv=make(parts(attention.q_proj, attention.k_proj, attention.v_proj)),
            out=make(parts(attention.o_proj)),
            gate_up=make_gated(parts(mlp.gate_proj, mlp.up_proj)),
            down=make(parts(mlp.down_proj)),
        )


class RopeTable:
    """The angles of a model's rope by position, as its own module computes them."""

    def __init__(self, rotary: Any, length: int, like: Tensor) -> None:
        """Of the positions 0 to `length`, in the dtype and on the device of `like`."""
        num_axes = num_rope_axes(rotary)
        positions = torch.arange(length, device=like.device)[None]
        if num_axes > 1:
            positions = positions.expand(num_axes, 1, length)  # transformers before 5.18 takes no other shape
        cos, sin = rotary(like, positions)
        half = cos.shape[-1] // 2
        # (2, length, head dim): cosines, and sines that are negative in the first half
        self.rows = torch.stack([cos[0], torch.cat([-sin[0, :, :half], sin[0, :, half:]], dim=-1)])
        self._axes = _axes_of_channels(rotary, num_axes, like)

    def at(self, positions: Tensor) -> Tensor:
        """(2, T, head dim), of positions (T), or (axes, T): then each channel has that of its own axis."""
        if positions.ndim == 1:
            return self.rows.index_select(1, positions)
        return self.rows.gather(1, positions.index_select(0, self._axes).T.expand(2, -1, -1))


def num_rope_axes(rotary: Any) -> int:
    """Positions that a token has at once: one, unless the rope is parted among axes (M-RoPE)."""
    return len(getattr(rotary, "mrope_section", ())) or 1


def _axes_of_channels(rotary: Any, num_axes: int, like: Tensor) -> Tensor:
    """(head dim): the axis whose position turns each channel, as the model's own rope shows when one axis moves."""
    if num_axes == 1:
        return torch.empty(0)
    positions = torch.eye(num_axes, dtype=torch.int64, device=like.device)[:, :, None]  # row k moves along axis k
    _, sines = rotary(like, positions)
    return (sines[:, 0] != 0).int().argmax(0)


def unsupported_reason(model: Any) -> str | None:
    """Why this model is not Llama-shaped as far as its config tells; None if it is."""
    config = model.config.get_text_config(decoder=True)
    if config.model_type not in LLAMA_MODEL_TYPES:
        return f"model type {config.model_type} is not one of a Llama's shape"
    if config.model_type == "mistral" and config.sliding_window is not None:
        return "its attention slides over a window"
    if any(kind != "full_attention" for kind in getattr(config, "layer_types", None) or ()):
        return "not all of its layers attend to the whole context"
    for rope in ropes(config):
        kind = rope.get("rope_type", "default")
        if kind not in ROPE_KINDS:
            return f"rope of type {kind} depends on the length"
    return None
