"""CacheRunner: runs an unmodified transformers decoder over paged KV."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor

from batching.batch import Batch, grouped
from batching.errors import InvalidPrompt, ModeUnavailable, RequestFailed, UnsupportedModel
from batching.paged_cache import PagedCache
from batching.plan import PlanRow, RowResult, StepPlan, StepResult
from batching.request import Prompt, Request
from batching.runner import Tokenizer
from batching.sampler import sample
from batching.sampling import SamplingParams

WHOLE_CONTEXT = frozenset({"llama", "qwen2", "qwen3", "gpt2", "gptj", "gpt_neox", "opt", "phi"})
"""Model types whose layers attend to the whole context, unless `layer_types` says otherwise."""


class CacheRunner:
    """The model sees what `generate` would show it: left-padded rows, an attention mask and explicit positions."""

    def __init__(self, model: Any, *, tokenizer: Tokenizer | None, stop_token_ids: frozenset[int]) -> None:
        """`model`: a causal LM in evaluation mode; it is only read."""
        self._model = model
        self._config = model.config.get_text_config(decoder=True)
        self._stop_token_ids = stop_token_ids
        self._takes = inspect.signature(model.forward).parameters.keys()
        self._exact = _sees_distances(self._config)
        self._cache: PagedCache | None = None
        self.tokenizer = tokenizer
        self.device = torch.device(model.device)

    @property
    def max_length(self) -> int:
        """The model's context, in tokens; models without a limit of their own give a very high one."""
        return int(getattr(self._config, "max_position_embeddings", None) or 2**31)

    def prepare(self, request: Request) -> Prompt:
        """The request in the model's terms; see `Runner.prepare`."""
        if request.image is not None:
            raise ModeUnavailable(f"{type(self._model).__name__} reads no images")
        assert request.prompt_token_ids is not None
        return self.prompt([int(each) for each in request.prompt_token_ids], request.sampling or SamplingParams())

    def prompt(self, token_ids: list[int], params: SamplingParams) -> Prompt:
        """A prompt of tokens.

        Raises:
            InvalidPrompt: a token is out of vocabulary.
        """
        vocabulary = int(self._config.vocab_size)
        for each in (min(token_ids), max(token_ids)):
            if not 0 <= each < vocabulary:
                raise InvalidPrompt(f"token {each} is out of the vocabulary of {vocabulary}")
        generator = None
        if not params.greedy:
            generator = torch.Generator()
            _ = generator.seed() if params.seed is None else generator.manual_seed(params.seed)
        own = frozenset[int]() if params.ignore_eos else self._stop_token_ids
        return Prompt(
            token_ids=token_ids,
            max_tokens=params.max_tokens,
            stop_token_ids=own | set(params.stop_token_ids),
            generator=generator,
        )

    def allocate(self, num_blocks: int, block_size: int) -> None:
        """Make the pool, in the shapes that a pass of one token shows.

        Raises:
            UnsupportedModel: the model keeps its state elsewhere than in the keys and values of each layer.
        """
        self._cache = PagedCache(int(self._config.num_hidden_layers), num_blocks, block_size)
        row = PlanRow(seq_id=-1, tokens=[0], start=0, count=1, blocks=[0], params=SamplingParams(), decodes=False)
        with torch.inference_mode():
            self._logits(Batch.of([row], block_size, self.device, exact=self._exact), {})
            self._cache.zero_padding()
        if not all(layer.is_initialized for layer in self._cache.paged):
            raise UnsupportedModel(f"{type(self._model).__name__} does not keep keys and values for every layer")

    def run(self, plan: StepPlan) -> StepResult:
        """Compute one step; see `Runner.run`."""
        results: dict[int, RowResult] = {}
        with torch.inference_mode():
            features, failures = self.encode(plan)
            results.update((seq_id, RowResult(error=failure)) for seq_id, failure in failures.items())
            for group in grouped([row for row in plan.rows if row.seq_id not in failures]):
                results.update(self._pass(group, features))
        return StepResult(rows=tuple(results[row.seq_id] for row in plan.rows))

    def close(self) -> None:
        """Drop the KV."""
        self._cache = None

    def encode(self, plan: StepPlan) -> tuple[dict[int, Any], dict[int, RequestFailed]]:  # noqa: ARG002 # for image models
        """Image features by sequence, and the images that could not be encoded."""
        return {}, {}

    def embed(self, batch: Batch, features: dict[int, Any]) -> dict[str, Tensor]:  # noqa: ARG002 # for image models
        """What the model takes as input."""
        return {"input_ids": batch.input_ids}

    def _pass(self, rows: list[PlanRow], features: dict[int, Any]) -> dict[int, RowResult]:
        assert self._cache is not None, "the runner was not allocated"
        batch = Batch.of(rows, self._cache.block_size, self.device, exact=self._exact)
        sampled = sample(batch.rows, self._logits(batch, features))
        results: dict[int, RowResult] = {}
        columns = zip(batch.rows, sampled.token_ids, sampled.logprobs, sampled.finite, strict=True)
        for row, token_id, logprob, finite in columns:
            if not finite:
                self._cache.zero(row.blocks)
                results[row.seq_id] = RowResult(error=RequestFailed("the model's logits are not finite"))
            elif row.samples:
                results[row.seq_id] = RowResult(token_id=token_id, logprob=logprob)
            else:
                results[row.seq_id] = RowResult(features=features.get(row.seq_id))
        return results

    def _logits(self, batch: Batch, features: dict[int, Any]) -> Tensor:
        """(B, vocabulary), of each row's last token."""
        assert self._cache is not None, "the runner was not allocated"
        self._cache.look(batch.view)
        optional = {"position_ids": batch.position_ids, "logits_to_keep": 1}
        return self._model(
            **self.embed(batch, features),
            **{name: each for name, each in optional.items() if name in self._takes},
            attention_mask=batch.attention_mask,
            past_key_values=self._cache,
            use_cache=True,
            return_dict=True,
        ).logits[:, -1]


def _sees_distances(config: Any) -> bool:
    """Whether attention may depend on distances within the padded view, as a sliding window does; yes, if in doubt."""
    if config.model_type not in WHOLE_CONTEXT:
        return True
    return any(each != "full_attention" for each in getattr(config, "layer_types", None) or ())
