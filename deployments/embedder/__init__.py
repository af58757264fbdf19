"""The Embedder deployment."""
