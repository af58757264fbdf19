"""What is trained: the model, and heads that help it see and are thrown away at export.

Image tokens alone are asked for the character at each 8th column, and for the text by CTC; two attention heads of one
layer are shown at which image token the next character stands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from torch import Tensor, nn
from transformers import GotOcr2ForConditionalGeneration

from documents.ocr_input.strip_folding import ROWS, SQUARE_SIDE, STRIP_HEIGHT
from training.ocr.model import BEGIN, EOS, PAD, PER_ROW, STEPS, WINDOW, build_model, write_checkpoint

Help = Literal["places", "ctc", "none"]  # what the heads learn, see `Trainee._helped`


class Trainee(nn.Module):
    """The model and its helping heads; squares of fewer than ROWS rows cost only those."""

    def __init__(self, *sizes: int) -> None:
        super().__init__()
        self.sizes = sizes
        self.model: Any = build_model(*sizes)
        self.model.set_attn_implementation("eager")
        self.position = nn.Parameter(0.3 * torch.randn(WINDOW * WINDOW, sizes[0]))  # the same in each window
        vocabulary = self.model.config.text_config.vocab_size
        heads = (nn.Sequential(nn.LayerNorm(sizes[1]), nn.Linear(sizes[1], STEPS * vocabulary)) for _ in range(2))
        self.heads = nn.ModuleList(heads)

    def see(self, image: Tensor) -> Tensor:
        """`get_image_features`: (batch, 1, rows * STRIP_HEIGHT, SQUARE_SIDE) to (batch, rows * PER_ROW, width)."""
        tower = self.model.model.vision_tower
        patches = tower.patch_embed.projection(image)
        batch, width, high, wide = patches.shape
        patches = patches.view(batch, width, high // WINDOW, WINDOW, wide // WINDOW, WINDOW).permute(0, 2, 4, 3, 5, 1)
        patches = patches.reshape(-1, WINDOW * WINDOW, width) + self.position
        for layer in tower.layers:
            qkv = layer.attn.qkv(layer.layer_norm1(patches)).view(
                *patches.shape[:2], 3, layer.attn.num_attention_heads, -1
            )
            query, key, value = qkv.permute(2, 0, 3, 1, 4)
            mixed = torch.softmax(query * layer.attn.scale @ key.mT, -1) @ value  # the fused form is slow on a CPU
            patches = patches + layer.attn.proj(mixed.transpose(1, 2).reshape(patches.shape))
            patches = patches + layer.mlp(layer.layer_norm2(patches))
        patches = patches.view(batch, high // WINDOW, wide // WINDOW, WINDOW, WINDOW, width).transpose(2, 3)
        return self.model.model.multi_modal_projector(tower.neck(patches.reshape(batch, high, wide, width)))

    def forward(
        self, image: Tensor, inputs: Tensor, targets: Tensor, places: Tensor, looks: Tensor, help_by: Help
    ) -> list[Tensor]:
        """Losses of next character, attention, and place and text by the heads; for the inputs see `batches.Batch`."""
        language, features = self.model.model.language_model, self.see(image)
        count, middle = features.shape[1], len(language.layers) // 2
        begin = language.embed_tokens(torch.full_like(inputs[:, :1], BEGIN))
        embeddings = torch.cat((begin, features.to(begin.dtype), language.embed_tokens(inputs)), dim=1)
        where = torch.arange(embeddings.shape[1], device=image.device)
        out = language(
            inputs_embeds=embeddings, use_cache=False, output_hidden_states=True, output_attentions=True,
            position_ids=torch.where(where > count, where + ROWS * PER_ROW - count, where).expand(len(embeddings), -1),
            attention_mask=torch.ones_like(embeddings[..., 0]),  # else a jump of positions is taken for a new text
        )  # fmt: skip
        logits = self.model.lm_head(out.last_hidden_state[:, count + 1 :]).float()
        has_look = looks >= 0
        looked = out.attentions[middle][:, :2, count + 1 :, 1 : count + 1]
        looked = looked.gather(3, (looks * has_look)[:, None, :, None].expand(-1, 2, -1, -1)).squeeze(3).float()
        return [
            F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD),
            -((looked + 1e-20).log() * has_look[:, None]).sum() / (2 * has_look.sum()).clamp(min=1),
            *self._helped((features, out.hidden_states[middle][:, 1 : count + 1]), targets, places, help_by),
        ]

    def _helped(self, features: tuple[Tensor, Tensor], targets: Tensor, places: Tensor, help_by: Help) -> list[Tensor]:
        """Losses of place and of CTC, or of place again, by the heads, of image tokens on entry and in the middle."""
        if help_by == "none":
            return [features[0].new_zeros(()), features[0].new_zeros(())]
        early, late = (_steps(head, x) for head, x in zip(self.heads, features, strict=True))
        place = F.cross_entropy(early.flatten(0, 1), places.flatten())
        if help_by == "places":  # CTC would first learn, for long, to say nothing
            return [place, F.cross_entropy(late.flatten(0, 1), places.flatten())]
        return [place, ctc_loss(late, targets)]

    def adopt(self, folder: Path) -> None:
        """Take the weights of what `export` wrote, of the same sizes; the helping heads stay as they are."""
        shipped = GotOcr2ForConditionalGeneration.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
        state = {name: weight.detach() for name, weight in shipped.state_dict().items()}
        kernel = "model.vision_tower.patch_embed.projection.weight"
        state[kernel] = state[kernel].sum(1, keepdim=True)
        place = state.pop("model.vision_tower.pos_embed")[0, :WINDOW, :WINDOW].flatten(0, 1)
        _, unknown = self.model.load_state_dict(state, strict=False)
        assert not unknown, unknown
        with torch.no_grad():
            self.position.copy_(place)

    def export(self, folder: Path) -> None:
        """Write what `from_pretrained` loads: float16, three equal channels, a position for each patch, no heads."""
        shipped = build_model(*self.sizes, channels=3)
        state = {name: weight.detach().cpu().float() for name, weight in self.model.state_dict().items()}
        kernel, times = "model.vision_tower.patch_embed.projection.weight", SQUARE_SIDE // (STRIP_HEIGHT // 4) // WINDOW
        state[kernel] = state[kernel].repeat(1, 3, 1, 1) / 3
        position = self.position.detach().cpu().float().view(1, WINDOW, WINDOW, -1)
        state["model.vision_tower.pos_embed"] = position.repeat(1, times, times, 1)
        shipped.load_state_dict(state)
        write_checkpoint(shipped, folder)


def _steps(head: nn.Module, tokens: Tensor) -> Tensor:
    """Logits of the characters at each 8th column: float32 (batch, tokens * STEPS, vocabulary)."""
    return head(tokens).float().unflatten(2, (STEPS, -1)).flatten(1, 2)


def ctc_loss(logits: Tensor, targets: Tensor) -> Tensor:
    """Of (batch, columns, vocabulary), and texts as `batches.Batch` has them; one that does not fit counts nothing."""
    lengths = (targets > EOS).sum(1)
    columns = torch.full_like(lengths, logits.shape[1])
    log_probs = logits.float().log_softmax(-1).transpose(0, 1)
    return F.ctc_loss(log_probs, targets[:, :-1], columns, lengths, blank=PAD, zero_infinity=True)
