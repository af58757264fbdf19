"""What this machine can do: its devices, and what was tried on it."""
