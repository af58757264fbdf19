"""The Search deployment."""
