"""The picture of a region as a small OCR model reads it, and its answer without repetitions."""
