"""What a PDF or image file says of its pages, seen in the child that may be killed at any time."""
