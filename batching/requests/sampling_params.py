"""SamplingParams: temperature, top-p, max tokens, stop strings and other limits of a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from batching.requests.guide import Guide
from batching.requests.repetition_limit import RepetitionLimit

EarlyStopping = bool | Literal["never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingParams:
    """Always valid; the meanings and their order are those of transformers' `generate`.

    Order: repetition penalty, n-grams, guide, temperature, top-k, top-p, min-p. A temperature of 0 is greedy.

    Raises:
        ValueError: names the field that is out of range, or does not go with another.
    """

    max_tokens: int | None = None  # None: the checkpoint's own limit, else what pool and context allow
    temperature: float = 0.0
    top_k: int = 0  # 0: all tokens
    top_p: float = 1.0
    min_p: float = 0.0  # tokens below this part of the likeliest one's probability are left out
    repetition_penalty: float = 1.0
    no_repeat_ngram_size: int = 0  # no n-gram of this size occurs twice in prompt and output; 0: any may
    no_repeat_ngram_window_size: int = 0  # tokens, the last ones, that are looked at for that; 0: all
    repeatable_token_ids: tuple[int, ...] = ()  # may end an n-gram that occurred: the tags of a table's cells, say
    seed: int | None = (
        None  # on one kind of device the output depends on it alone, not on batch mates; None: a fresh one
    )
    stop: tuple[str, ...] = ()  # texts that end the output; its tokens include them, its text ends before them
    stop_token_ids: tuple[int, ...] = ()  # beside the model's own; the stop token is part of the output
    repetition: RepetitionLimit | None = None  # ends an output that repeats itself; None: nothing does
    guide: Guide | None = None  # what the text of the output must be; None: anything
    ignore_eos: bool = False  # leave out the model's own stop tokens
    logprobs: int | None = None  # return each token's log-probability and those of the N likeliest tokens
    mean_logprob: bool = (
        True  # return the output's mean log-probability; False saves a sum over the vocabulary per token
    )
    penalised_logprobs: bool = False  # `logprobs` after repetition penalty and n-grams, as a beam search counts them
    is_penalised: bool = field(init=False, repr=False, compare=False)
    """Whether the scores of a token depend on the tokens before."""
    takes_likeliest: bool = field(init=False, repr=False, compare=False)
    """Whether the next token is the likeliest one and nobody looks at the rest of the distribution."""
    takes_likeliest_allowed: bool = field(init=False, repr=False, compare=False)
    """The same of the tokens that the guide allows, if there is a guide."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "stop", (self.stop,) if isinstance(self.stop, str) else tuple(self.stop))
        object.__setattr__(self, "stop_token_ids", tuple(self.stop_token_ids))
        _check(self.max_tokens is None or _is_int(self.max_tokens, 0), "max_tokens", self.max_tokens, "at least 0")
        _check(0.0 <= self.temperature < float("inf"), "temperature", self.temperature, "finite and at least 0")
        _check(0.0 < self.top_p <= 1.0, "top_p", self.top_p, "above 0 and at most 1")
        _check(0.0 <= self.min_p <= 1.0, "min_p", self.min_p, "between 0 and 1")
        penalty = self.repetition_penalty
        _check(0.0 < penalty < float("inf"), "repetition_penalty", penalty, "finite and above 0")
        object.__setattr__(self, "repeatable_token_ids", tuple(self.repeatable_token_ids))
        for name in ("top_k", "no_repeat_ngram_size", "no_repeat_ngram_window_size"):
            _check(_is_int(getattr(self, name), 0), name, getattr(self, name), "a whole number, 0 or more")
        for name in ("seed", "logprobs"):
            value = getattr(self, name)
            _check(value is None or _is_int(value, 0), name, value, "a whole number, 0 or more")
        _check(self.seed is None or self.seed < 2**63, "seed", self.seed, "below 2**63")
        _check(all(_is_str(text) for text in self.stop), "stop", self.stop, "non-empty texts")
        stop_ids = self.stop_token_ids
        _check(all(_is_int(token_id, 0) for token_id in stop_ids), "stop_token_ids", stop_ids, "token ids")
        repeatable = self.repeatable_token_ids
        _check(all(_is_int(token_id, 0) for token_id in repeatable), "repeatable_token_ids", repeatable, "token ids")
        self._check_guide()
        penalised = self.repetition_penalty != 1.0 or self.no_repeat_ngram_size > 0
        likeliest = self.greedy and not penalised and self.logprobs is None
        object.__setattr__(self, "is_penalised", penalised)
        object.__setattr__(self, "takes_likeliest_allowed", likeliest)  # read for each row of each step
        object.__setattr__(self, "takes_likeliest", likeliest and self.guide is None)

    @property
    def greedy(self) -> bool:
        """Whether no chance is involved."""
        return self.temperature == 0.0

    def _check_guide(self) -> None:
        if self.guide is not None:
            _check(not self.stop, "stop", self.stop, "empty with a guide")
            _check(not self.stop_token_ids, "stop_token_ids", self.stop_token_ids, "empty with a guide")
            _check(not self.ignore_eos, "ignore_eos", self.ignore_eos, "False with a guide")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamSearchParams:
    """Always valid; the meanings are those of transformers' `generate`.

    Raises:
        ValueError: names the field that is out of range.
    """

    num_beams: int
    length_penalty: float = 1.0  # a beam's score is divided by its length to this power
    early_stopping: EarlyStopping = False  # True ends the search when `num_beams` outputs are complete

    def __post_init__(self) -> None:
        _check(_is_int(self.num_beams, 1), "num_beams", self.num_beams, "a whole number, 1 or more")
        length = self.length_penalty
        _check(-float("inf") < length < float("inf"), "length_penalty", length, "finite")
        early = self.early_stopping
        _check(early is True or early is False or early == "never", "early_stopping", early, 'True, False or "never"')

    def check(self, sampling: SamplingParams) -> None:
        """Refuse what does not go with a beam search.

        Raises:
            ValueError: names the field of `sampling`.
        """
        _check(sampling.greedy, "temperature", sampling.temperature, "0 with beams")
        _check(not sampling.stop, "stop", sampling.stop, "empty with beams")
        for name in ("logprobs", "repetition", "guide"):
            _check(getattr(sampling, name) is None, name, getattr(sampling, name), "None with beams")


def _is_int(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_str(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _check(valid: bool, field: str, value: object, expected: str) -> None:
    if not valid:
        raise ValueError(f"{field} must be {expected}, not {value!r}")


GREEDY_PARAMS = SamplingParams()
"""The likeliest token each time, to the checkpoint's own limit."""
