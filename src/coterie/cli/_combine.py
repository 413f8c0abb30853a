"""`coterie combine`: from existing labels to one clustering."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie._catalog import METHODS, find
from coterie.cli import _console
from coterie.cli._columns import Columns
from coterie.cli._files import MoreOutputs
from coterie.cli._options import command
from coterie.cli._system import AUTO, NONE


@command
def combine(
    labels: Path,
    columns: Columns,
    files: MoreOutputs,
    k: int,
    consensus: str = AUTO,
    weighter: str = AUTO,
    seed: int = 0,
) -> None:
    """Combine existing clusterings into one.

    Each column of the file is one clustering of the same samples.

    Example: [bold]coterie combine labelings.csv -k 5 -o labels.csv[/bold]

    Parameters
    ----------
    labels : LABELS
        Samples in rows, one clustering per column (numbers or words, empty = missing):
        CSV, TSV, Excel, Parquet, Feather, NPY, NPZ, MAT, or a file from
        --save-ensemble.
    """
    if consensus != AUTO:
        find(consensus, METHODS)
    if weighter not in (AUTO, NONE):
        find(weighter, {"weighter"})
    files.check(labels)
    columns.check()
    with _console.work(files) as work:
        work.start("Reading")
        from coterie import systems
        from coterie.cli import _summary
        from coterie.cli._tables import read_labels
        from coterie.ensemble import Ensemble
        from coterie.ensemble._groups import has_several_kinds
        from coterie.systems._defaults import default_consensus, weighter_for

        table = read_labels(labels, columns)
        ensemble = Ensemble(table.values)
        auto = default_consensus(ensemble.n_samples, has_several_kinds(ensemble))
        name = auto if consensus == AUTO else consensus
        function = find(name, METHODS).load()()
        weigher = weighter_for(None if weighter == NONE else weighter, function)
        work.start(f"Combining by {name}")
        result: Any = systems.combine(
            ensemble,
            k,
            function,
            weighter=weigher,
            random_state=seed,
            return_result=True,
        )
    weights = None if weigher is None else weigher.name
    outcome = _summary.Outcome(
        "combine",
        table,
        ensemble,
        result,
        {"n_clusters": k, "consensus": name, "weighter": weights, "seed": seed},
        story=f"{ensemble.n_members} members combined by {name} with "
        f"{weights or 'no'} weights",
        files=files,
        parts=tuple(part for part in (function, weigher) if part is not None),
    )
    _summary.tell(outcome, work)
