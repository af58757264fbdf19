"""What belongs to a drawing or picture: words in and beside it, axes, captions."""
