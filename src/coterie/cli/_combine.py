"""`coterie combine`: from labels that exist already to one clustering."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from coterie._catalog import METHODS, find
from coterie.cli import _console, _options


@_console.guarded
def combine(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS",
            help="Samples in rows, a clustering in each column (numbers or words, "
            "empty = not assigned): CSV, TSV, Parquet, NPY, NPZ, or what "
            "--save-ensemble wrote.",
            show_default=False,
        ),
    ],
    k: _options.NClusters,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "--consensus",
            help="How the members are combined (see: coterie methods).",
        ),
    ] = "lwgp",
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            "--weighter",
            help="How members and clusters count: entropy, agreement, 'none', or "
            "'auto' for what the method's own paper uses.",
        ),
    ] = "auto",
    seed: _options.Seed = 0,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    output: _options.Output = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Combine clusterings that you have already into one.

    Each column of the file is one clustering of the same samples.

    Example: [bold]coterie combine labelings.csv -k 5 --method lwea -o labels.csv[/bold]
    """
    from coterie.cli import _summary

    start = time.perf_counter()
    entry = find(method, METHODS)
    weigher = entry.weighter if weights == "auto" else weights
    if weigher == "none":
        weigher = None
    if weigher is not None:
        weigher = find(weigher, {"weighter"}).name
    _summary.check_outputs(labels, output, None, as_json, quiet)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        import coterie
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_labels

        table = read_labels(labels, Columns(header, index, truth, tuple(drop)))
        with _console.collected_warnings() as warned:
            stages.start(f"Combining by {entry.name}")
            ensemble = coterie.Ensemble(table.values)
            result = coterie.combine(
                ensemble,
                k,
                entry.name,
                weights=None if weights == "none" else weights,
                random_state=seed,
                return_result=True,
            )
    counted = "no weights" if weigher is None else f"{weigher} weights"
    outcome = _summary.Outcome(
        "combine",
        table,
        ensemble,
        result,
        parameters={
            "n_clusters": k,
            "method": entry.name,
            "weights": weigher,
            "seed": seed,
        },
        story=f"{ensemble.n_members} members combined by {entry.name} with {counted}",
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
    )
    _summary.tell(outcome, as_json, quiet)
