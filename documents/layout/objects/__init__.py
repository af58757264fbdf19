"""Object detectors of transformers."""
