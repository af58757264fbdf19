"""Continuous batching of autoregressive models: requests join and leave the batch at any step.

The package stands alone: it knows no server and no document. Importing it imports no torch;
`batching.loading.models` does.
"""

from batching.beam_search import beam_search
from batching.engine import Engine
from batching.engine_config import EngineConfig, EngineStats, RequestStats, StepStats
from batching.errors import (
    BatchingError,
    EngineClosed,
    EngineDead,
    EngineFull,
    InvalidGuide,
    InvalidImage,
    InvalidPrompt,
    ModeUnavailable,
    PromptTooLong,
    RequestFailed,
    RequestRefused,
    UnsupportedModel,
)
from batching.offline import generate
from batching.requests.completion import Completion, Delta, FinishReason, Timings, TokenLogprob
from batching.requests.guide import Guide
from batching.requests.repetition_limit import RepetitionLimit
from batching.requests.request import Request
from batching.requests.sampling_params import BeamSearchParams, SamplingParams
from batching.token_stream import TokenStream

__all__ = [
    "BatchingError",
    "BeamSearchParams",
    "Completion",
    "Delta",
    "Engine",
    "EngineClosed",
    "EngineConfig",
    "EngineDead",
    "EngineFull",
    "EngineStats",
    "FinishReason",
    "Guide",
    "InvalidGuide",
    "InvalidImage",
    "InvalidPrompt",
    "ModeUnavailable",
    "PromptTooLong",
    "RepetitionLimit",
    "Request",
    "RequestFailed",
    "RequestRefused",
    "RequestStats",
    "SamplingParams",
    "StepStats",
    "Timings",
    "TokenLogprob",
    "TokenStream",
    "UnsupportedModel",
    "beam_search",
    "generate",
]
