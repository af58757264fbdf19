"""What a process gives up for good: system calls and paths; it knows no other package."""
