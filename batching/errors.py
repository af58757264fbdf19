"""Errors of this package: engine full, prompt too long, invalid image, unsupported model.

BatchingError
├── EngineFull          submit: the waiting list is at its limit; try again later
├── EngineClosed        submit or wait: the engine was not started, or was closed
├── EngineDead          submit or wait: the model thread failed, or a check of blocks; nothing more will come
├── RequestRefused      submit: this request can never be served here (also a ValueError)
│   ├── PromptTooLong   longer than the KV pool or the context; by pictures, at wait: they are resized first
│   ├── InvalidGuide    a schema, regex or choice that cannot be followed, or not by this model
│   ├── InvalidPrompt   a token out of vocabulary, or an image token without its image
│   ├── InvalidImage    not a picture of height x width x 3 bytes
│   └── ModeUnavailable the checkpoint has no prompt for this mode
├── RequestFailed       wait: this request broke while it ran; its batch mates did not
└── UnsupportedModel    load: the checkpoint cannot be run here
"""

from __future__ import annotations


class BatchingError(Exception):
    """The root: catching it catches every error of this package."""


class EngineFull(BatchingError):
    """The waiting list is at its limit; the same request may be accepted later."""


class EngineClosed(BatchingError):
    """The engine was not started yet, or was closed."""


class EngineDead(BatchingError):
    """The model thread or a check of the engine's blocks failed; its cause is in `__cause__`."""


class RequestRefused(BatchingError, ValueError):
    """The request can never be served by this engine."""


class PromptTooLong(RequestRefused):
    """The prompt does not fit the KV pool or the model's context; the message has both numbers."""


class InvalidGuide(RequestRefused):
    """The guide cannot be followed, or not by this model; the message says why and, of a schema, where."""


class InvalidPrompt(RequestRefused):
    """The prompt holds a token that the model cannot embed."""


class InvalidImage(RequestRefused):
    """The image is not a picture of height x width x 3 bytes."""


class ModeUnavailable(RequestRefused):
    """The checkpoint has no prompt for this mode, or reads no images at all."""


class RequestFailed(BatchingError):
    """The request broke while it ran; its cause, if any, is in `__cause__`."""


class UnsupportedModel(BatchingError):
    """The model cannot be run by this package; the message says why."""


def fresh_copy(error: BatchingError) -> BatchingError:
    """A fresh copy to raise: one instance raised to many callers would gather all their tracebacks."""
    copy = type(error)(*error.args)
    copy.__cause__ = error.__cause__
    return copy
