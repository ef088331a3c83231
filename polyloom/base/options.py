# SPDX-License-Identifier: Apache-2.0
"""Options that mean nothing beside others. Input: a verb's command line; output: UserError naming the one too many.

An option that would be ignored is refused: who gave it believes that it did something.
"""

from __future__ import annotations

from typing import Any

import typer

from polyloom.base.errors import UserError


def given(context: typer.Context, name: str) -> bool:
    """Whether the command line says this parameter."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse(context: typer.Context, ignored: bool, why: str, *names: str) -> None:
    """Refuse the options of these parameters that the user gave where they are ``ignored``; ``why`` ends the line."""
    for parameter in context.command.params if ignored else ():
        if parameter.name in names and given(context, parameter.name):
            raise UserError(f"{_as_typed(parameter, context.params[parameter.name])}: {why}")


def refuse_all_but(context: typer.Context, ignored: bool, why: str, *names: str) -> None:
    """Refuse every option but those of these parameters."""
    refuse(context, ignored, why, *(p.name for p in context.command.params if p.name and p.name not in names))


def _as_typed(parameter: Any, value: Any) -> str:
    spelled = parameter.secondary_opts if value is False and parameter.secondary_opts else parameter.opts
    name = max((name for name in spelled if name.startswith("-")), key=len, default=parameter.name)
    if getattr(parameter, "is_flag", False):
        return str(name)
    values = value if isinstance(value, (list, tuple)) else [value]
    return f"{name} {' '.join(map(str, values))}"
