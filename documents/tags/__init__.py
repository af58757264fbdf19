"""What a tagged PDF says of its pages, where it agrees with what is seen."""
