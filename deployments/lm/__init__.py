"""The Lm deployment."""
