"""Chooses the fastest route (native, torch, transformers) that computes what the model's own forward does."""

# torch and transformers tell only part of their types, so unknowns that come from them are not errors here
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

import torch

from batching.errors import UnsupportedModel
from batching.forward_route import Route, RouteName
from batching.kv.kv_rows import KvDtype
from batching.machine.probe import NotHere, probed
from batching.native.library import library
from batching.native.matrix import slowness
from batching.native.native_route import NativeRoute, native_reason
from batching.routes.llama_weights import unsupported_reason
from batching.routes.self_check import self_check
from batching.routes.text_probe import Probe
from batching.routes.torch.cuda_graphs import DecodeGraphs, PagedAttention
from batching.routes.torch.decoder import Decoder
from batching.routes.torch.linear import QUANTISATION_TOLERANCES, Quantisation, is_here
from batching.routes.torch.torch_route import TorchRoute
from batching.routes.transformers_route import TransformersRoute
from batching.routes.unsupported_models import failure_of

log = logging.getLogger(__name__)

ROUTES_BY_DEVICE: Mapping[str, tuple[RouteName, ...]] = {"cpu": ("native", "torch"), "cuda": ("torch",)}
"""Routes that "auto" tries on a kind of device before the model itself: all gave the tokens of `generate` there."""
GRAPH_DEVICES = ("cuda",)
"""The kinds of device on which the torch route is first tried with graphs."""
FP8_TOLERANCE = 0.2
"""Largest difference of a logit with keys and values in eight bits, as a fraction of the largest logit."""
FP8_CAPABILITY = (8, 9)
"""Compute capability of the first GPUs whose kernels read float8_e4m3fn."""
MAX_TIME_RATIO = 1.6
"""Maximum time of a native product relative to torch's; the work between the products is far faster in native."""


def choose_route(
    model: Any,
    route_name: RouteName,
    *,
    owned: bool,
    quantisation: Quantisation = "none",
    kv_dtype: KvDtype = "model",
    pictures: Probe | None = None,
) -> Route:
    """The first route of `ROUTES_BY_DEVICE` that the model has on its device; else the transformers route.

    So "auto" chooses; any other name takes that route or raises. Each is checked against the model's own forward, with
    three prompts, four decode steps, and a prompt of `pictures`; a fall back is logged. An `owned` model then loses
    the matrices that its route keeps in a form of its own; any other is only read. `quantisation` is of the native and
    the torch route on the CPU, checked likewise; where its products do not work on this processor, the model runs
    without it, and the log says so. `kv_dtype` is checked, too; the native route has not got it, nor have graphs on an
    older GPU.

    Raises:
        UnsupportedModel: no route, or not the one wanted, computes what the model does; or it cannot be quantised, or
            is too inaccurate with `kv_dtype`.
        ValueError: `route`, `quantisation` or `kv_dtype` is none of those there are.
    """
    for setting, value, values in (
        ("kv_dtype", kv_dtype, KvDtype),
        ("quantisation", quantisation, Quantisation),
        ("route", route_name, RouteName),
    ):
        if value not in get_args(values):
            raise ValueError(f"{setting} must be one of {', '.join(get_args(values))}, not {value!r}")
    route = _Choice(model, route_name, quantisation, kv_dtype, pictures).route()
    if owned and route.name != "transformers":
        _free_matrices(model)
    return route


def missing_reason(model: Any, route_name: RouteName) -> str | None:
    """Why there is no such route for `model` on its device, before any is tried; None if there may be."""
    if route_name in ("auto", "transformers"):
        return None
    if (reason := unsupported_reason(model)) is not None:
        return reason
    if route_name != "native":
        return None
    if model.device.type != "cpu" or library() is None:
        return "there is none for this device"
    return native_reason(model)


@dataclass(frozen=True, slots=True)
class _Choice:
    """What a route is chosen for."""

    model: Any
    target: RouteName
    quantisation: Quantisation
    kv_dtype: KvDtype
    pictures: Probe | None

    @property
    def name(self) -> str:
        return type(self.model).__name__

    def route(self) -> Route:
        """The first candidate that computes what the model does."""
        reason = ""
        for name, make in self._candidates():
            try:
                return self._checked_kv(self._checked(name, make))
            except NotHere as error:
                reason = str(error)
        if self.quantisation != "none" and self.model.device.type == "cpu" and not is_here(self.quantisation):
            log.warning(
                "%s runs without %s, whose products do not work on this processor", self.name, self.quantisation
            )
            return dataclasses.replace(self, quantisation="none").route()
        if self.target in ("native", "torch"):
            raise UnsupportedModel(f"{self.name} has no {self.target} route: {reason}")
        if self.quantisation != "none":
            raise UnsupportedModel(
                f"{self.name} cannot be quantised: only the native and the torch route on the CPU are; {reason}"
            )
        if reason and unsupported_reason(self.model) is None:
            log.warning("%s runs by the transformers route; its faster route is wrong: %s", self.name, reason)
        return self._checked_kv(self._transformers())

    def _candidates(self) -> Iterator[tuple[str, Callable[[Quantisation], Route]]]:
        """How the routes of our own are made, the fastest first."""
        device = self.model.device.type
        for name in ROUTES_BY_DEVICE.get(device, ()) if self.target == "auto" else (self.target,):
            if name == "native":
                yield name, self._native
            elif name == "torch":
                if device in GRAPH_DEVICES:
                    yield "torch (with graphs)", functools.partial(self._torch, graphs=True)
                yield name, self._torch

    def _checked(self, name: str, make: Callable[[Quantisation], Route]) -> Route:
        """A route that agrees with the model, and that is accurate enough if it is quantised; raises NotHere."""
        route = self._probed(name, make, "none")
        if self.quantisation == "none":
            return route
        if self.model.device.type != "cpu":
            raise UnsupportedModel(
                f"{self.quantisation} is for the CPU only: no quantised product is verified on other devices"
            )
        del route  # its matrices are a copy of the model's
        return self._probed(name, make, self.quantisation)

    def _probed(self, name: str, make: Callable[[Quantisation], Route], quantisation: Quantisation) -> Route:
        kind = "" if quantisation == "none" else f" in {quantisation}"
        return probed(
            f"the {name} route of {self.name}{kind}",
            lambda: make(quantisation),
            lambda route: self_check(route, self.model, QUANTISATION_TOLERANCES.get(quantisation), self.pictures),
        )

    def _checked_kv(self, route: Route) -> Route:
        """Raises UnsupportedModel: it is too inaccurate with `kv_dtype`."""
        if self.kv_dtype == "model":
            return route
        tolerance = QUANTISATION_TOLERANCES.get(self.quantisation, 0.0) + FP8_TOLERANCE
        fault = self_check(route, self.model, tolerance, self.pictures, self.kv_dtype)
        if fault is None:
            return route
        raise UnsupportedModel(f"{self.name} is too inaccurate with keys and values in {self.kv_dtype}: {fault}")

    def _native(self, quantisation: Quantisation) -> Route:
        """Unless it is the target, only where torch's products are not far faster, as with units for matrices."""
        self._require("native")
        if self.kv_dtype != "model":
            raise NotHere("the native route reads the model's own numbers")
        if quantisation not in ("none", "dynamic_int8"):
            raise NotHere(f"it knows no {quantisation}")
        loaded = library()
        assert loaded is not None, "see `missing_reason`"
        if self.target == "auto" and (ratio := slowness(loaded, self.model.dtype)) > MAX_TIME_RATIO:
            raise NotHere(f"its products take {ratio:.1f} times as long as torch's here")
        return NativeRoute(loaded, self.model, quantised=quantisation != "none")

    def _torch(self, quantisation: Quantisation, *, graphs: bool = False) -> Route:
        self._require("torch")
        if quantisation != "none" and not is_here(quantisation):
            raise NotHere(f"products of {quantisation} do not work on this processor")
        if graphs and self.kv_dtype != "model" and self.model.device.type == "cuda":
            capability = torch.cuda.get_device_capability(self.model.device)
            if capability < FP8_CAPABILITY:
                raise NotHere(f"a GPU of compute capability {capability} has no numbers of eight bits")
        decoder = Decoder(self.model, quantisation)
        return TorchRoute(decoder, DecodeGraphs(decoder, paged_attention()) if graphs else None)

    def _transformers(self) -> Route:
        try:
            route = TransformersRoute(self.model)
            fault = self_check(route, self.model, pictures=self.pictures)
        except (MemoryError, torch.OutOfMemoryError):  # the machine's, not the model's
            raise
        except Exception as error:  # whatever a model that keeps its state elsewhere makes of our cache
            raise UnsupportedModel(f"{self.name} {failure_of(self.model, error)}") from error
        if fault is not None:
            raise UnsupportedModel(f"{self.name} does not compute the same over paged KV: {fault}")
        return route

    def _require(self, route_name: RouteName) -> None:
        if (reason := missing_reason(self.model, route_name)) is not None:
            raise NotHere(reason)


def paged_attention() -> PagedAttention:
    """The kernel; only what runs on a GPU may import Triton."""
    from batching.routes.torch import paged_attention_kernel

    return paged_attention_kernel.paged_attention


def _free_matrices(model: Any) -> None:
    """Of the decoder's matrices, those that its route does not hold are freed."""
    empty = torch.nn.Parameter(torch.empty(0, dtype=model.dtype, device=model.device), requires_grad=False)
    layers = model.get_decoder().layers.modules()
    for module in (*layers, model.get_input_embeddings(), model.get_output_embeddings()):
        if isinstance(module, torch.nn.Linear | torch.nn.Embedding):
            module.weight = empty
