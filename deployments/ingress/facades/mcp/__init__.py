"""The tools of assistants (Model Context Protocol), over the same calls as HTTP's."""
