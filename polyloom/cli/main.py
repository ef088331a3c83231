# SPDX-License-Identifier: Apache-2.0
"""The ``polyloom`` command: each part of the package brings its verbs. ``polyloom --help`` lists them."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from polyloom import __version__
from polyloom.base import ending, interrupts, process
from polyloom.cli import cluster, machine, run
from polyloom.collectives.verb import collective
from polyloom.jobs.isatest.verb import isa_test
from polyloom.mpirun.verb import mpirun
from polyloom.nbody.verb import nbody
from polyloom.report.verb import report
from polyloom.sweeps.verb import compare, sweep
from polyloom.synth.verb import synth

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"polyloom {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Program clusters of FPGAs: one source, run natively, simulated, and on RTL."""


#: ``run`` hands on what it does not know; options after an MPI program are the program's.
_PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}

_clusters = typer.Typer(no_args_is_help=True, help="Look at cluster descriptions.")
_clusters.command("show")(cluster.show)
_clusters.command("list")(cluster.list_all)

app.command(context_settings=_PASS_THROUGH)(run.run)
app.command()(run.new)
app.command()(sweep)
app.command()(collective)
app.command(context_settings={"allow_interspersed_args": False})(mpirun)
app.command()(nbody)
app.command("apps")(run.list_apps)
app.command()(report)
app.command()(compare)
app.command("isa-test")(isa_test)
app.command()(synth)
app.command()(machine.clean)
app.command()(machine.doctor)
app.add_typer(_clusters, name="cluster")


def main() -> None:
    """Entry point: whatever goes wrong is one line on standard error and a status, 2 if the command line is wrong."""
    with ending.one_line(), process.handled(interrupts.end):
        try:
            sys.exit(app(standalone_mode=False))
        except typer.TyperException as error:
            _end_usage(error)


def _end_usage(error: typer.TyperException) -> NoReturn:
    """A command line that cannot be read ends in a line; one without a word in it, in the help."""
    text, context = error.format_message(), getattr(error, "ctx", None)
    if context is not None and text == context.get_help():
        print(text, file=sys.stderr)
        sys.exit(error.exit_code)
    more = f"; all options: {context.command_path} --help" if context is not None else ""
    ending.end(f"{text[:1].lower()}{' '.join(text[1:].split()).rstrip('.')}{more}", error.exit_code)
