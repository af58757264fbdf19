"""Checks at load that a route gives the same logits as the model's own forward."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import logging
import math
from typing import Any

import torch

from batching.forward_route import Overlay, Route
from batching.inputs.image_inputs import overlay_of
from batching.kv.kv_pool import KvPool
from batching.kv.kv_rows import KvDtype
from batching.machine.device import on_device
from batching.machine.float32_mode import HALF_PRECISION_DTYPES, Float32Mode
from batching.routes.text_probe import BLOCK_SIZE, Probe, change_by_pass, text_probe
from batching.step_plan import PlanRow

log = logging.getLogger(__name__)

STATE_FILL = 1e3  # numbers that an earlier sequence seems to have left: read by mistake, they show in any precision
MAX_ROWS = 4  # more than there are: a route that pads has to
LOGIT_TOLERANCES = {torch.float32: 1e-3, torch.float64: 1e-6}
"""Largest difference of a logit, as a fraction of the largest logit; other dtypes: `LOW_PRECISION_TOLERANCE`."""
LOW_PRECISION_TOLERANCE = 0.06
"""Of `REFERENCE_NUM_LAYERS` layers; roundings of more add up as their root. Of 24 random ones in bfloat16, torch's own
logits were 0.084 of the largest from float32, the native route's 0.061, and 0.065 lay between the two."""
REFERENCE_NUM_LAYERS = 12
ROUNDING_RATIO = math.sqrt(2)
"""Two independently rounded results differ by this factor more than each differs from float32."""
MAX_ROUNDING = 0.25
"""Largest tolerance that the model's own roundings give: rotations that were 10% too long moved a logit by 0.29."""


def self_check(
    route: Route,
    model: Any,
    tolerance: float | None = None,
    pictures: Probe | None = None,
    kv_dtype: KvDtype = "model",
) -> str | None:
    """What is wrong with `route` for the prompts of `text_probe` and `pictures`; None when it agrees with the model.

    `tolerance`, a fraction of the largest logit, defaults to that of the model's dtype; in half precision a route that
    exceeds it may be as far from float32 as the model's own forward is. The route is closed afterwards.
    """
    with torch.inference_mode(), on_device(model.device):
        text = text_probe(model)
        own_tolerance = _own_tolerance(model)
        for probe in (text,) if pictures is None else (text, pictures):
            if (fault := _fault(route, model, probe, tolerance, own_tolerance, kv_dtype)) is not None:
                return fault
        if not change_by_pass(model) <= own_tolerance:
            return "logits of a token change with the largest position of the pass"
    return None


def _fault(
    route: Route, model: Any, probe: Probe, tolerance: float | None, own_tolerance: float, kv_dtype: KvDtype
) -> str | None:
    difference, position = _largest_difference(route, probe, kv_dtype)
    largest = max(float(reference.abs().max()) for reference in probe.references)
    allowed = (tolerance or own_tolerance) * largest
    if not difference <= allowed and tolerance is None and model.dtype in HALF_PRECISION_DTYPES:
        allowed = max(allowed, _own_roundings(probe) * largest)
    if difference <= allowed:
        return None
    return f"a logit is {difference:.3g} off {probe.name}, at position {position}, where {allowed:.3g} is allowed"


def _largest_difference(route: Route, probe: Probe, kv_dtype: KvDtype) -> tuple[float, int]:
    """Of a logit, and the token's position; not a number where a logit is not."""
    differences: list[tuple[float, int]] = []
    try:
        pool = KvPool(probe.num_blocks, BLOCK_SIZE, kv_dtype, num_states=MAX_ROWS)
        route.allocate(pool, MAX_ROWS)
        for rows in probe.steps:
            pool.states.fill([row.slot for row in rows if row.start == 0 and row.slot is not None], STATE_FILL)
            for row, logits in zip(rows, route.logits(rows, _overlays(rows)), strict=True):
                reference = probe.references[row.owner.seq_id][row.end - 1]
                differences.append((float((logits - reference).abs().max()), row.end - 1))
    finally:
        route.close()
    return max(differences, key=lambda one: math.inf if math.isnan(one[0]) else one[0])


def _overlays(rows: list[PlanRow]) -> dict[int, Overlay]:
    overlays = {index: overlay_of(row, row.features) for index, row in enumerate(rows) if row.features is not None}
    return {index: overlay for index, overlay in overlays.items() if overlay is not None}


def _own_tolerance(model: Any) -> float:
    num_layers = model.config.get_text_config(decoder=True).num_hidden_layers
    deeper = math.sqrt(max(1.0, num_layers / REFERENCE_NUM_LAYERS))
    return LOGIT_TOLERANCES.get(model.dtype, LOW_PRECISION_TOLERANCE * deeper)


def _own_roundings(probe: Probe) -> float:
    """The tolerance for a route as far from float32 as the references, of half precision, are; 0 if it is not known.

    Sharp attention magnifies roundings: a random Qwen2-VL of 14 layers was 0.126 of the largest logit from float32 in
    bfloat16, the native route 0.072, and 0.109 lay between the two.
    """
    try:
        with torch.inference_mode(False), torch.no_grad(), Float32Mode():  # some views of copies fail in inference mode
            exact = probe.forward()
    except Exception as error:  # whatever a kernel for half precision alone makes of float32
        log.info("the model's own roundings are not known: %r", error)
        return 0.0
    if not all(bool(logits.isfinite().all()) for logits in (*probe.references, *exact)):
        return 0.0
    roundings = max(float((own - one).abs().max()) for own, one in zip(probe.references, exact, strict=True))
    return min(MAX_ROUNDING, ROUNDING_RATIO * roundings / max(float(logits.abs().max()) for logits in exact))
