"""Layout, Ocr and Embedder in one process, and what their callers hold then."""
