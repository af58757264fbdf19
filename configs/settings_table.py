"""Writes the table of docs/settings.md from the settings."""

from __future__ import annotations

from configs.settings_sources import fields


def settings_table() -> str:
    """Markdown: a row a setting, with its names in the file, the environment and the command line."""
    rows = ["| in the file | variable | option | default | meaning |", "| --- | --- | --- | --- | --- |"]
    for field in fields():
        names = f"`{field.name}` | `{field.variable}` | `{field.option}`"
        rows.append(f"| {names} | `{field.default_text}` | {field.info.description} |")
    return "\n".join(rows)
