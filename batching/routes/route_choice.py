"""Chooses the fastest route (native, graphs, fast, safe) that computes what the model's own forward does."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import logging
from collections.abc import Mapping
from collections.abc import Sequence as Items
from typing import Any, get_args

import torch

from batching.errors import UnsupportedModel
from batching.forward_route import Route, RouteName
from batching.kv.kv_rows import KvDtype
from batching.machine.probe import NotHere, probed
from batching.native.library import library
from batching.native.native_route import NativeRoute, native_reason
from batching.native.quantised import TOLERANCES, Quantisation, is_here
from batching.routes.picture_probe import PictureProbe
from batching.routes.self_check import self_check
from batching.routes.torch.cuda_graphs import GraphRoute
from batching.routes.torch.decoder import Decoder, unsupported_reason
from batching.routes.torch.matrix_layouts import layout_times
from batching.routes.torch.torch_route import FastRoute
from batching.routes.transformers_route import SafeRoute
from batching.routes.unsupported_models import failure_of

log = logging.getLogger(__name__)

FASTEST: Mapping[str, tuple[RouteName, ...]] = {"cpu": ("native", "fast"), "cuda": ("graphs", "fast")}
"""By kind of device, what "auto" tries before the safe route: all of them gave the tokens of `generate` there."""
PROBE = (1024, 1024)
"""Outputs and inputs of the matrix by which the native route is judged: so large that a call's own time is nothing."""
FP8_TOLERANCE = 0.2
"""Largest difference of a logit with keys and values in eight bits, as a fraction of the largest logit."""
FP8_CAPABILITY = (8, 9)
"""Of the first GPUs whose kernels read float8_e4m3fn."""
MAX_SLOWNESS = 1.6
"""Of a product of the native route beside torch's fastest: what lies between the products is far faster there."""


def choose_route(
    model: Any,
    route_name: RouteName,
    *,
    owned: bool,
    quantisation: Quantisation = "none",
    kv_dtype: KvDtype = "model",
    pictures: PictureProbe | None = None,
) -> Route:
    """The first route of `FASTEST` that the model has on its device; else the safe one.

    So "auto" chooses; any other name takes that route or raises. Each is checked against the model's own forward, with
    three prompts, four decode steps, and a prompt of `pictures`; a fall back to the safe route is logged. An `owned`
    model then loses the matrices that its route keeps in a form of its own; any other is only read. `quantisation` is
    of the native and the fast route on the CPU, checked likewise; where its products do not work on this processor, the
    model runs without it, and the log says so. `kv_dtype` is checked, too; the native route has not got it, nor has
    "graphs" on an older GPU.

    Raises:
        UnsupportedModel: no route, or not the one wanted, computes what the model does; or it cannot be quantised, or
            is too inaccurate with `kv_dtype`.
        ValueError: `route`, `quantisation` or `kv_dtype` is none of those there are.
    """
    if kv_dtype not in get_args(KvDtype):
        raise ValueError(f"kv_dtype must be one of {', '.join(get_args(KvDtype))}, not {kv_dtype!r}")
    if quantisation not in get_args(Quantisation):
        raise ValueError(f"quantisation must be one of {', '.join(get_args(Quantisation))}, not {quantisation!r}")
    if route_name not in get_args(RouteName):
        raise ValueError(f"route must be one of {', '.join(get_args(RouteName))}, not {route_name!r}")
    names: tuple[RouteName, ...] = FASTEST.get(model.device.type, ())
    if route_name != "auto":
        names = (route_name,)
    if kv_dtype != "model":
        if (reason := _fp8_reason(model, route_name)) is not None:
            raise UnsupportedModel(f"{type(model).__name__} cannot have keys and values in {kv_dtype}: {reason}")
        names = tuple(name for name in names if _fp8_reason(model, name) is None)
    route = _chosen(model, names, route_name, quantisation, pictures)
    if kv_dtype != "model":
        _check_kv(route, model, kv_dtype, TOLERANCES.get(quantisation, 0.0) + FP8_TOLERANCE, pictures)
    if owned and route.name != "safe":
        _free_matrices(model)
    return route


def missing_reason(model: Any, route_name: RouteName) -> str | None:
    """Why there is no such route for `model` on its device, before any is tried; None if there may be."""
    if route_name in ("auto", "safe"):
        return None
    if (reason := unsupported_reason(model)) is not None:
        return reason
    if route_name != "native":
        return None
    if model.device.type != "cpu" or library() is None:
        return "there is none for this device"
    return native_reason(model)


def _fp8_reason(model: Any, route_name: RouteName) -> str | None:
    """Why a route cannot keep eight bits here; None if it can."""
    if route_name == "native":
        return "the native route reads the model's own numbers"
    if route_name == "graphs" and model.device.type == "cuda":
        capability = torch.cuda.get_device_capability(model.device)
        if capability < FP8_CAPABILITY:
            return f"a GPU of compute capability {capability} has no such numbers; by other routes it can"
    return None


def _check_kv(route: Route, model: Any, kv_dtype: KvDtype, tolerance: float, pictures: PictureProbe | None) -> None:
    """Raises UnsupportedModel: the model does not bear it."""
    try:
        wrong = self_check(route, model, tolerance, pictures, kv_dtype)
    finally:
        route.close()
    if wrong is not None:
        raise UnsupportedModel(f"{type(model).__name__} is too inaccurate with keys and values in {kv_dtype}: {wrong}")


def _chosen(
    model: Any,
    names: Items[RouteName],
    route_name: RouteName,
    quantisation: Quantisation,
    pictures: PictureProbe | None,
) -> Route:
    """The first of `names` that computes what the model does; without a `route_name`, else the safe one."""
    name = type(model).__name__
    reason = ""
    for candidate in names:
        try:
            return _checked(model, candidate, quantisation, pictures, forced=route_name != "auto")
        except NotHere as error:
            reason = str(error)
    if quantisation != "none" and model.device.type == "cpu" and not is_here(quantisation):
        log.warning("%s runs without %s, whose products do not work on this processor", name, quantisation)
        return _chosen(model, names, route_name, "none", pictures)
    if route_name != "auto":
        raise UnsupportedModel(f"{name} has no {route_name} route: {reason}")
    if quantisation != "none":
        raise UnsupportedModel(
            f"{name} cannot be quantised: only the native and the fast route on the CPU are; {reason}"
        )
    if reason and unsupported_reason(model) is None:
        log.warning("%s runs by the safe route; its fast route is wrong: %s", name, reason)
    return _safe(model, pictures)


def _checked(
    model: Any, name: RouteName, quantisation: Quantisation, pictures: PictureProbe | None, *, forced: bool
) -> Route:
    """A route that agrees with the model, and that bears being quantised."""
    if name == "safe":
        if quantisation != "none":
            raise NotHere("only the native and the fast route are quantised")
        return _safe(model, pictures)
    route = _probed(model, name, "none", pictures, forced=forced)
    if quantisation == "none":
        return route
    if model.device.type != "cpu":
        raise UnsupportedModel(f"{quantisation} is for the CPU only: no quantised product is verified on other devices")
    del route  # its matrices are a copy of the model's
    return _probed(model, name, quantisation, pictures, forced=forced)


def _probed(
    model: Any, name: RouteName, quantisation: Quantisation, pictures: PictureProbe | None, *, forced: bool
) -> Route:
    """Raises NotHere: it does not compute what the model does."""

    def fault_of(route: Route) -> str | None:
        try:
            return self_check(route, model, TOLERANCES.get(quantisation), pictures)
        finally:
            route.close()

    kind = "" if quantisation == "none" else f" in {quantisation}"
    return probed(
        f"the {name} route of {type(model).__name__}{kind}",
        lambda: _unchecked_route(model, name, quantisation, forced=forced),
        fault_of,
    )


def _unchecked_route(model: Any, name: RouteName, quantisation: Quantisation, *, forced: bool) -> Route:
    """Not checked yet."""
    if (reason := missing_reason(model, name)) is not None:
        raise NotHere(reason)
    if name == "native":
        return _native(model, quantisation, forced=forced)
    if quantisation != "none" and not is_here(quantisation):
        raise NotHere(f"products of {quantisation} do not work on this processor")
    length = int(model.config.get_text_config(decoder=True).max_position_embeddings)
    return (GraphRoute if name == "graphs" else FastRoute)(Decoder(model, quantisation), length)


def _native(model: Any, quantisation: Quantisation, *, forced: bool) -> NativeRoute:
    """Unless `forced`, only where torch's products are not far faster, as with units for matrices."""
    loaded = library()
    assert loaded is not None, "see `missing_reason`"
    if quantisation not in ("none", "dynamic_int8"):
        raise NotHere(f"it knows no {quantisation}")
    times = layout_times(*PROBE, model.dtype, loaded)
    if "panels" not in times:
        raise NotHere("its products do not work on this processor")
    if not forced and times["panels"] > MAX_SLOWNESS * min(times.values()):
        raise NotHere(f"its products take {times['panels'] / min(times.values()):.1f} times as long as torch's here")
    return NativeRoute(loaded, model, quantised=quantisation != "none")


def _safe(model: Any, pictures: PictureProbe | None) -> SafeRoute:
    safe = SafeRoute(model)
    name = type(model).__name__
    try:
        wrong = self_check(safe, model, pictures=pictures)
    except (MemoryError, torch.OutOfMemoryError):  # the machine's, not the model's
        raise
    except Exception as error:  # whatever a model that keeps its state elsewhere makes of our cache
        raise UnsupportedModel(f"{name} {failure_of(model, error)}") from error
    finally:
        safe.close()
    if wrong is not None:
        raise UnsupportedModel(f"{name} does not compute the same over paged KV: {wrong}")
    return safe


def _free_matrices(model: Any) -> None:
    """Of the decoder's matrices, those that its route does not hold are freed."""
    empty = torch.nn.Parameter(torch.empty(0, dtype=model.dtype, device=model.device), requires_grad=False)
    layers = model.get_decoder().layers.modules()
    for module in (*layers, model.get_input_embeddings(), model.get_output_embeddings()):
        if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
            module.weight = empty
