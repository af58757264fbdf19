"""The KV cache: which block belongs to whom, and the memory that blocks name."""
