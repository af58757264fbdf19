"""What a caller hands in and gets back: requests, their limits, completions and token streams."""
