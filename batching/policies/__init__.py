"""What the scheduler asks: how many may join, what may be guessed, what may be planned ahead."""
