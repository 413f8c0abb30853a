"""`coterie cluster`: from data to labels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from coterie._catalog import Entry, find
from coterie.cli import _console, _options, _parts

if TYPE_CHECKING:
    from coterie.cli._columns import Table

_PARTS = "Parts (see: coterie methods)"


@_console.guarded
def cluster(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            readable=False,
            help="Samples in rows, numbers in columns: CSV, TSV, Parquet, NPY or NPZ.",
            show_default=False,
        ),
    ],
    k: _options.NClusters,
    generator: Annotated[
        str, typer.Option(help="What makes the members.", rich_help_panel=_PARTS)
    ] = "kmeans",
    consensus: Annotated[
        str,
        typer.Option(
            "--consensus",
            "--method",
            help="How the members are combined; 'auto' is lwea for up to 20,000 "
            "samples and lwgp beyond.",
            rich_help_panel=_PARTS,
        ),
    ] = "auto",
    weighter: Annotated[
        str,
        typer.Option(
            "--weighter",
            "--weights",
            help="How members and clusters count: a name, 'none', or 'auto' for what "
            "the method's own paper uses.",
            rich_help_panel=_PARTS,
        ),
    ] = "auto",
    members: Annotated[
        int, typer.Option(min=1, help="Clusterings to make.", rich_help_panel=_PARTS)
    ] = 50,
    member_clusters: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="LOW:HIGH",
            help="Clusters of each member: a number, or a range from which each draws. "
            "\\[default: 2 to the square root of the samples]",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize", help="Scale each column to mean 0 and deviation 1 first."
        ),
    ] = False,
    seed: _options.Seed = 0,
    jobs: Annotated[
        int, typer.Option(help="Members made side by side; -1 = all cores.")
    ] = -1,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    output: _options.Output = None,
    save_ensemble: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE.npz",
            readable=False,
            help="Keep the members too, for `coterie combine`.",
            rich_help_panel="Output",
        ),
    ] = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Cluster the samples of a file by an ensemble.

    Makes many clusterings of the data, weighs them and combines them:
    one label for each sample, and how sure it is.

    Example: [bold]coterie cluster iris.csv -k 3 --truth species -o labels.csv[/bold]
    """
    from coterie.cli import _summary

    start = time.perf_counter()
    made_by = find(generator, {"generator"})
    _parts.check_names(consensus, weighter)
    span = parse_span(member_clusters)
    _summary.check_outputs(data, output, save_ensemble, as_json, quiet)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_data

        table = read_data(data, Columns(header, index, truth, tuple(drop)))
        X = _standardized(table) if standardize else table.values
        method = _parts.method_for(consensus, X.shape[0])
        weigher = _parts.weighter_for(weighter, method)
        with _console.collected_warnings() as warned:
            stages.start("Making members")
            model = _model(made_by, method, weighter, members, span, seed, jobs)
            model.set_params(n_clusters=k, progress=_then(stages, method.name))
            model.fit(X)
    outcome = _summary.Outcome(
        "cluster",
        table,
        model.ensemble_,
        model.consensus_,
        parameters={
            "n_clusters": k,
            "generator": made_by.name,
            "consensus": method.name,
            "weighter": None if weigher is None else weigher.name,
            "members": members,
            "member_clusters": span,
            "standardize": standardize,
            "seed": seed,
        },
        story=_story(model.ensemble_, made_by, method, weigher, standardize),
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
        ensemble_file=save_ensemble,
    )
    _summary.tell(outcome, as_json, quiet)


def parse_span(text: str | None) -> int | tuple[int, int] | None:
    """Return ``LOW:HIGH`` as a pair, a number as a number, None as None."""
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] >= 1:
        return numbers[0]
    if len(numbers) == 2 and 1 <= numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    raise ValueError(
        f"--member-clusters expects a number or a range LOW:HIGH such as 5:20, got "
        f"{text}."
    )


def _model(
    made_by: Entry,
    method: Entry,
    weighter: str,
    members: int,
    span: int | tuple[int, int] | None,
    seed: int,
    jobs: int,
) -> Any:
    import inspect

    from coterie.systems import EnsembleClustering

    cls = made_by.load()
    if "n_members" not in inspect.signature(cls).parameters:
        raise ValueError(
            f"The generator {made_by.name} takes Python objects, so it cannot be used "
            "from the command line. Use it from Python, or another generator."
        )
    return EnsembleClustering(
        generator=cls(n_members=members, n_clusters=span),
        consensus=method.name,
        weighter=None if weighter == "none" else weighter,
        random_state=seed,
        n_jobs=jobs,
    )


def _then(stages: _console.Stages, method: str) -> Any:
    """Return a progress function that names the next stage when members are done."""

    def step(done: int, total: int) -> None:
        stages.step(done, total)
        if done == total:
            stages.start(f"Combining by {method}")

    return step


def _standardized(table: Table) -> Any:
    from sklearn.preprocessing import StandardScaler

    sparse = hasattr(table.values, "indptr")
    return StandardScaler(with_mean=not sparse).fit_transform(table.values)


def _story(
    ensemble: Any,
    made_by: Entry,
    method: Entry,
    weigher: Entry | None,
    standardize: bool,
) -> str:
    sizes = ensemble.n_clusters_per_member
    each = f"{sizes.min()}"
    if sizes.min() < sizes.max():
        each += f" to {sizes.max()}"
    weights = "no weights" if weigher is None else f"{weigher.name} weights"
    scaled = ", standardized" if standardize else ""
    return (
        f"{ensemble.n_members} members by {made_by.name}{scaled}, {each} clusters "
        f"each; combined by {method.name} with {weights}"
    )
