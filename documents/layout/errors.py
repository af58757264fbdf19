"""What is said of a layout checkpoint that cannot be loaded."""


class LayoutCheckpointError(Exception):
    """The name is no layout checkpoint that can be loaded here."""
