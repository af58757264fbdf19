"""Precedence of settings: the config file's `args`, then `PAGEMILL_*` variables, then command-line options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from configs import earlier_names
from configs.settings import Settings

VARIABLE_PREFIX = "PAGEMILL_"
# these tell a client where the server is; they are no settings of a server
CLIENT_VARIABLES = ("PAGEMILL_URL", "PAGEMILL_API_KEY")


@dataclass(frozen=True, slots=True)
class Field:
    """One setting: its path in the file, and the names it has elsewhere."""

    path: tuple[str, ...]
    info: FieldInfo

    @property
    def name(self) -> str:
        """In the file, as in `layout.batch_size`."""
        return ".".join(self.path)

    @property
    def variable(self) -> str:
        """In the environment, as in `PAGEMILL_LAYOUT_BATCH_SIZE`."""
        return _variable(self.name)

    @property
    def option(self) -> str:
        """On the command line, as in `--layout-batch-size`."""
        return "--" + "-".join(self.path).replace("_", "-")

    @property
    def default(self) -> Any:
        return None if self.info.default is PydanticUndefined else self.info.default

    @property
    def default_text(self) -> str:
        """As a variable or option would have it."""
        if self.default is None:
            return "unset"
        is_list = isinstance(self.default, tuple)
        return ",".join(self.default) if is_list and self.default else str(self.default)


def fields(group: type[BaseModel] = Settings, path: tuple[str, ...] = ()) -> Iterator[Field]:
    """Every setting, in the order of the model."""
    for name, info in group.model_fields.items():
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from fields(info.annotation, (*path, name))
        else:
            yield Field((*path, name), info)


def with_options(args: Mapping[str, Any], options: Mapping[str, str | None]) -> dict[str, Any]:
    """`args` of the file, overridden by options: names as in `layout.batch_size`; None leaves a setting as it is."""
    merged = _copied(earlier_names.with_present_names(args))
    for field in fields():
        if (value := options.get(field.name)) is not None:
            _put(merged, field, value)
    return merged


def with_environment(args: Mapping[str, Any], environment: Mapping[str, str]) -> dict[str, Any]:
    """`args` of the file, overridden by the variables `PAGEMILL_*`; an unknown one is refused.

    Raises:
        ValueError: a variable begins with `PAGEMILL_` and names no setting.
    """
    by_variable = {field.variable: field for field in fields()}
    by_earlier = {_variable(earlier): by_variable[_variable(name)] for earlier, name in earlier_names.SETTINGS.items()}
    merged = _copied(earlier_names.with_present_names(args))
    for variable in sorted(v for v in environment if v.startswith(VARIABLE_PREFIX) and v not in CLIENT_VARIABLES):
        field = by_variable.get(variable) or by_earlier.get(variable)
        if field is None:
            raise ValueError(f"{variable} names no setting; known are {', '.join(by_variable)}")
        if variable in by_earlier and field.variable in environment:
            raise ValueError(f"{variable} is the earlier name of {field.variable}; set one of them")
        _put(merged, field, environment[variable])
    return merged


def _variable(name: str) -> str:
    return VARIABLE_PREFIX + name.replace(".", "_").upper()


def _copied(args: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copied(value) if isinstance(value, Mapping) else value for key, value in args.items()}  # pyright: ignore[reportUnknownArgumentType]


def _put(args: dict[str, Any], field: Field, value: str) -> None:
    for key in field.path[:-1]:
        args = args.setdefault(key, {})
    args[field.path[-1]] = None if value in ("", "null") else value
