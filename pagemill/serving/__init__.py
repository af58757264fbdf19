"""What `pagemill serve` does beside Ray Serve."""
