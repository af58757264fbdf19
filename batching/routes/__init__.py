"""The ways to compute a step: `transformers` (any model), `torch` (packed), `native` (C++)."""
