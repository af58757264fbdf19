"""Checks at load that a route gives the same logits as the model's own forward."""

from __future__ import annotations

import inspect
import logging
import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from batching.forward_route import Route
from batching.inputs.context_length import UNLIMITED, context_length, rope_switch
from batching.inputs.image_inputs import overlay_of
from batching.kv.block_pool import ceil_div
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvDtype
from batching.machine.device import on_device
from batching.machine.float32_mode import HALF_PRECISION, Float32Mode
from batching.routes.picture_probe import PictureProbe
from batching.step_plan import PlanRow, RowOwner

log = logging.getLogger(__name__)

PROMPTS = (34, 17, 9)
"""Tokens of three sequences: more than two blocks and less than three, more than one, less than one."""
LONG = (True, False, True)
"""Which of them are computed as if more tokens followed than the model's `RopeSwitch` has, if it has one."""
NUM_DECODES = 4
BLOCK_SIZE = 16  # as the engine's own default: a block is a register of the native route
BLOCKS = ((7, 3, 5, 1), (6, 2), (4, 8))  # of each sequence, in no order
MAX_ROWS = 4  # more than there are: a route that pads has to
TOLERANCES = {torch.float32: 1e-3, torch.float64: 1e-6}
"""Largest difference of a logit, as a fraction of the largest logit; other dtypes: `LOOSE`."""
LOOSE = 0.06
"""Of as many layers as `SHALLOW`; roundings of more add up as their root. Of 24 random ones in bfloat16, torch's own
logits were 0.084 of the largest from float32, the native route's 0.061, and 0.065 lay between the two."""
SHALLOW = 12
ROUNDING_RATIO = math.sqrt(2)
"""Between two results that are rounded on their own lies so many times what lies between either and float32."""
MAX_ROUNDING = 0.25
"""Largest tolerance that the model's own roundings give: rotations that were 10% too long moved a logit by 0.29."""


def self_check(
    route: Route,
    model: Any,
    tolerance: float | None = None,
    pictures: PictureProbe | None = None,
    kv_dtype: KvDtype = "model",
) -> str | None:
    """What is wrong with `route` for three prompts and four decode steps of all of them; None when it agrees.

    So, too, for a prompt of `pictures`. `tolerance`, a fraction of the largest logit, defaults to that of the model's
    dtype; in half precision a route that exceeds it may be as far from float32 as the model's own forward is.

    The reference is one forward pass per sequence over all its tokens, without a cache. The route has to be allocated
    again afterwards.
    """
    config = model.config.get_text_config(decoder=True)
    switch = rope_switch(config)
    length = switch.length if switch is not None and switch.recomputes else None
    all_tokens = [_tokens(number, config) for number in range(len(PROMPTS))]
    with torch.inference_mode(), on_device(model.device):
        references = _references(model, all_tokens, length)

        allowed = tolerance or _tolerance(references[0], model)

        def fault(of_text: float, of_pictures: float) -> str | None:
            route.allocate(KvPool(sum(map(len, BLOCKS)), BLOCK_SIZE, kv_dtype), MAX_ROWS)
            wrong = _wrong_tokens(route, references, _steps(all_tokens, length or 0), of_text)
            if wrong is None and pictures is not None:
                wrong = _wrong_pictures(route, pictures, of_pictures, kv_dtype)
            return wrong

        wrong = fault(allowed, allowed)
        if wrong is not None and tolerance is None and references[0].dtype in HALF_PRECISION:
            of_text = _own_roundings(lambda: _references(model, all_tokens, length), references)
            of_pictures = 0.0
            if pictures is not None:
                of_pictures = _own_roundings(lambda: [pictures.forward()], [pictures.logits])
            if max(of_text, of_pictures) > allowed:
                route.close()
                wrong = fault(max(allowed, of_text), max(allowed, of_pictures))
        if wrong is None and _depends_on_pass(model):
            return "logits of a token change with the largest position of the pass"
    return wrong


def _wrong_tokens(
    route: Route, references: list[Tensor], steps: Iterator[list[PlanRow]], tolerance: float
) -> str | None:
    allowed = tolerance * _largest(references)
    for rows in steps:
        for row, logits in zip(rows, route.logits(rows, {}), strict=True):
            apart = float((logits - references[row.owner.seq_id][row.end - 1]).abs().max())
            if not apart <= allowed:
                return f"a logit is {apart:.3g} off at position {row.end - 1}, where {allowed:.3g} is allowed"
    return None


def _wrong_pictures(route: Route, pictures: PictureProbe, tolerance: float, kv_dtype: KvDtype) -> str | None:
    """In a pool of its own, cut inside a picture, with nothing beside it."""
    references = pictures.logits
    num_blocks = ceil_div(len(pictures.token_ids), BLOCK_SIZE)
    route.close()
    route.allocate(KvPool(num_blocks, BLOCK_SIZE, kv_dtype), MAX_ROWS)
    allowed = tolerance * float(references.abs().max())
    for row in pictures.steps(0, tuple(range(num_blocks, 0, -1))):
        overlay = overlay_of(row, pictures.features)
        (logits,) = route.logits([row], {} if overlay is None else {0: overlay})
        apart = float((logits - references[row.end - 1]).abs().max())
        if not apart <= allowed:
            return f"a logit is {apart:.3g} off behind a picture, at {row.end - 1}, where {allowed:.3g} is allowed"
    return None


def _depends_on_pass(model: Any) -> bool:
    """Whether a token's logits change with the largest position of its pass, up to the end of `context_length`.

    Such a model must not see sequences of different lengths together, and its config does not say so.
    """
    config = model.config.get_text_config(decoder=True)
    switch = rope_switch(config)
    length = context_length(config) if switch is None else switch.length
    tokens = _tokens(1, config)
    if "position_ids" not in inspect.signature(model.forward).parameters or not len(tokens) < length < UNLIMITED:
        return False
    near, far = (_reference_logits(model, tokens, farthest) for farthest in (len(tokens), length - 1))
    return not float((near - far).abs().max()) <= _tolerance(near, model) * float(near.abs().max())


def _references(model: Any, all_tokens: list[list[int]], length: int | None) -> list[Tensor]:
    return [
        _reference_logits(model, tokens, length if long else None)
        for tokens, long in zip(all_tokens, LONG, strict=True)
    ]


def _reference_logits(model: Any, tokens: list[int], farthest: int | None) -> Tensor:
    """(tokens, vocabulary); with `farthest`, one more token follows, at that position."""
    ids = torch.tensor([tokens], device=model.device)
    if farthest is None:
        return model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False).logits[0]
    ids = torch.cat([ids, ids[:, :1]], dim=1)
    positions = torch.tensor([[*range(len(tokens)), farthest]], device=model.device)
    mask = torch.ones_like(ids)
    return model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False).logits[0, :-1]


def _tokens(number: int, config: Any) -> list[int]:
    vocabulary = min(int(config.vocab_size), 1000)
    return [(at * 7919 + number * 31 + 11) % vocabulary for at in range(PROMPTS[number] + NUM_DECODES)]


def _tolerance(logits: Tensor, model: Any) -> float:
    num_layers = model.config.get_text_config(decoder=True).num_hidden_layers
    return TOLERANCES.get(logits.dtype, LOOSE * math.sqrt(max(1.0, num_layers / SHALLOW)))


def _own_roundings(forward: Callable[[], list[Tensor]], references: list[Tensor]) -> float:
    """The tolerance for a route as far from float32 as `references`, of half precision, are; 0 if it cannot be known.

    Sharp attention magnifies roundings: a random Qwen2-VL of 14 layers was 0.126 of the largest logit from float32 in
    bfloat16, the native route 0.072, and 0.109 lay between the two.
    """
    try:
        with torch.inference_mode(False), torch.no_grad(), Float32Mode():  # some views of copies fail in inference mode
            exact = forward()
    except Exception as error:  # whatever a kernel for half precision alone makes of float32
        log.info("the model's own roundings are not known: %r", error)
        return 0.0
    if not all(bool(one.isfinite().all()) for one in (*references, *exact)):
        return 0.0
    apart = max(float((own - one).abs().max()) for own, one in zip(references, exact, strict=True))
    return min(MAX_ROUNDING, ROUNDING_RATIO * apart / _largest(exact))


def _largest(references: list[Tensor]) -> float:
    return max(float(reference.abs().max()) for reference in references)


def _steps(all_tokens: list[list[int]], length: int) -> Iterator[list[PlanRow]]:
    """The first prompt in two chunks, the second of them beside the other prompts; then a token of each at a time."""

    def row(number: int, start: int, end: int) -> PlanRow:
        tokens = all_tokens[number][:end]
        return PlanRow(
            owner=RowOwner(seq_id=number),
            tokens=tokens + [0] * (length + 1 - end) if LONG[number] else tokens,
            start=start,
            count=end - start,
            blocks=BLOCKS[number],
            decodes=end - start == 1,
        )

    cut = PROMPTS[0] - 5
    yield [row(0, 0, cut)]
    yield [row(0, cut, PROMPTS[0]), row(1, 0, PROMPTS[1]), row(2, 0, PROMPTS[2])]
    for step in range(NUM_DECODES):
        yield [row(at, num + step, num + step + 1) for at, num in enumerate(PROMPTS)]
