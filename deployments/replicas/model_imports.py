"""Imports what all replicas of models import, so that they share its memory: workers are forked after it.

See `deployments/library_internals/fork_server.py`. What only some checkpoints need is imported with them.
"""

from __future__ import annotations

import importlib

from documents.layout.doclayout.offline_import import quiet_import

MODULES = (
    "torchvision.transforms.v2",
    "transformers.models.auto.modeling_auto",
    "transformers.models.auto.tokenization_auto",
    "transformers.models.auto.image_processing_auto",
    "transformers.models.got_ocr2.modeling_got_ocr2",
    "transformers.models.got_ocr2.image_processing_got_ocr2",
    "transformers.models.bert.modeling_bert",
    "transformers.models.bert.tokenization_bert",
    "batching.loading.models",
    "deployments.ocr.ocr_model",
    "documents.layout.doclayout.detector",
    "documents.layout.structure.structure_reader",
)


def load() -> None:
    """Import them; none of it starts a thread."""
    for module in MODULES:
        importlib.import_module(module)
    with quiet_import():
        importlib.import_module("doclayout_yolo.nn.tasks")


load()
