"""`coterie combine`: from labels that exist already to one clustering."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from coterie._catalog import Entry
from coterie.cli import _console, _options, _parts


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
            show_default=False,
        ),
    ],
    k: _options.NClusters,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "--consensus",
            help="How the members are combined (see: coterie methods); 'auto' is lwea "
            "for up to 20,000 samples and lwgp beyond.",
        ),
    ] = "auto",
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
    variable: _options.Variable = None,
    output: _options.Output = None,
    report: _options.Report = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Combine clusterings that you have already into one.

    Each column of the file is one clustering of the same samples.

    Example: [bold]coterie combine labelings.csv -k 5 --method lwea -o labels.csv[/bold]
    """
    from coterie.cli import _summary

    start = time.perf_counter()
    _parts.check_names(method, weights)
    _summary.check_outputs(labels, output, None, as_json, quiet, report)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie import systems
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_labels
        from coterie.ensemble import Ensemble

        table = read_labels(
            labels, Columns(header, index, truth, tuple(drop), variable)
        )
        with _console.collected_warnings() as warned:
            ensemble = Ensemble(table.values)
            entry = _parts.method_for(method, ensemble.n_samples)
            weigher = _parts.weighter_for(weights, entry)
            stages.start(f"Combining by {entry.name}")
            result: Any = systems.combine(
                ensemble,
                k,
                entry.name,
                weights=None if weights == "none" else weights,
                random_state=seed,
                return_result=True,
            )
    counted = "no weights" if weigher is None else f"{weigher.name} weights"
    outcome = _summary.Outcome(
        "combine",
        table,
        ensemble,
        result,
        parameters={
            "n_clusters": k,
            "method": entry.name,
            "weights": None if weigher is None else weigher.name,
            "seed": seed,
        },
        story=f"{ensemble.n_members} members combined by {entry.name} with {counted}",
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
        report_file=report,
        parts=_used(entry, weigher),
    )
    _summary.tell(outcome, as_json, quiet)


def _used(method: Entry, weigher: Entry | None) -> tuple[Any, ...]:
    """Return the parts that were used, for the report."""
    if weigher is None:
        return (method.load()(),)
    own = method.make_weighter() if weigher.name == method.weighter else None
    return method.load()(), own or weigher.load()()
