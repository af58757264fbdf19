"""What the benchmarks send: requests, documents and schemas made from a seed."""
