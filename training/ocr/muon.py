"""Orthogonalised momentum: every matrix moves by the same length in all its directions."""

from __future__ import annotations

import torch

from training.precision import has_bfloat16


class Muon(torch.optim.Optimizer):
    """Orthogonalised momentum for matrices (K. Jordan, 2024); kernels are taken as matrices."""

    @torch.no_grad()
    def step(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] - no loss is computed again
        for group, weight in ((g, weight) for g in self.param_groups for weight in g["params"]):
            if weight.grad is None:  # not trained in this step
                continue
            momentum = self.state[weight].setdefault("momentum", torch.zeros_like(weight))
            momentum.lerp_(weight.grad, 0.05)
            update = weight.grad.lerp(momentum, 0.95).flatten(1)
            update = update.bfloat16() if has_bfloat16(update.device.type) else update
            tall = update.shape[0] > update.shape[1]
            update = (update.T if tall else update) / (update.norm() + 1e-7)
            for a, b, c in (
                (4.0848, -6.8946, 2.927),
                (3.9505, -6.3029, 2.6377),
                (3.7418, -5.5913, 2.3037),
                (2.8769, -3.1427, 1.2046),
            ):
                gram = update @ update.T
                update = a * update + (b * gram + c * gram @ gram) @ update
            update = (update.T if tall else update).to(weight.dtype).view_as(weight)
            scale = max(1.0, weight.shape[0] / weight[0].numel()) ** 0.5
            weight.mul_(1 - group["lr"] * group["decay"]).add_(update, alpha=-group["lr"] * scale)
