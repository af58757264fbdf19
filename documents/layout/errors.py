"""The error that every failure to load a layout checkpoint raises."""


class LayoutCheckpointError(Exception):
    """The name is no layout checkpoint that can be loaded here."""
