"""Office files printed by LibreOffice behind walls of its own, and where their text stands on the printed pages."""
