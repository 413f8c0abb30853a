"""`coterie combine`: from labels that exist already to one clustering."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from coterie._catalog import METHODS, find
from coterie.cli import _console, _files, _options

_AUTO, _NONE = "auto", "none"


@_console.guarded
def combine(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            readable=False,
            help="Samples in rows, a clustering in each column (numbers or words, "
            "empty = not assigned): CSV, TSV, Parquet, NPY, NPZ, MAT, or what "
            "--save-ensemble wrote.",
        ),
    ],
    k: _options.NClusters,
    consensus: _options.Consensus = _AUTO,
    weighter: _options.Weighter = _AUTO,
    seed: _options.Seed = 0,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    variable: _options.Variable = None,
    decimal: _options.Decimal = ".",
    na: _options.Na = [],  # noqa: B006
    output: _options.Output = None,
    report: _options.Report = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Combine clusterings that you have already into one.

    Each column of the file is one clustering of the same samples.

    Example: [bold]coterie combine labelings.csv -k 5 -o labels.csv[/bold]
    """
    start = time.perf_counter()
    if consensus != _AUTO:
        find(consensus, METHODS)
    if weighter not in (_AUTO, _NONE):
        find(weighter, {"weighter"})
    _files.check_outputs(labels, output, None, as_json, quiet, report)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie import systems
        from coterie.cli import _summary
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_labels
        from coterie.ensemble import Ensemble
        from coterie.systems._defaults import default_consensus, weighter_for

        columns = Columns(header, index, truth, tuple(drop), variable, decimal, (*na,))
        table = read_labels(labels, columns)
        with _console.collected_warnings() as warned:
            ensemble = Ensemble(table.values)
            auto = default_consensus(ensemble.n_samples)
            name = auto if consensus == _AUTO else consensus
            function = find(name, METHODS).load()()
            weigher = weighter_for(None if weighter == _NONE else weighter, function)
            stages.start(f"Combining by {name}")
            result = systems.combine(
                ensemble,
                k,
                function,
                weighter=weigher,
                random_state=seed,
                return_result=True,
            )
    weights = None if weigher is None else weigher.name
    parameters = {"n_clusters": k, "consensus": name, "weighter": weights, "seed": seed}
    outcome = _summary.Outcome(
        "combine",
        table,
        ensemble,
        result,
        parameters=parameters,
        story=f"{ensemble.n_members} members combined by {name} with "
        f"{weights or 'no'} weights",
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
        report_file=report,
        parts=tuple(part for part in (function, weigher) if part is not None),
    )
    _summary.tell(outcome, as_json, quiet)
