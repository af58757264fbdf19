"""What every request passes before its route: keys, limits, origin, headers."""
