"""`coterie cluster`: from data to labels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from coterie.cli import _console, _engine, _large, _options, _system

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
            help="Samples in rows, numbers in columns: CSV, TSV, Parquet, NPY, NPZ or "
            "MAT; or a folder of Parquet files, or a Zarr array.",
            show_default=False,
        ),
    ],
    k: _options.MaybeClusters = None,
    system: Annotated[
        str,
        typer.Option(
            help="A paper's system ('coterie methods --kind system' lists them), "
            "ensemble (any parts), large (block by block), or 'auto': mdec for up to "
            "20,000 samples unless parts are named, large for a NPY or Parquet file of "
            "a million rows and for folders, ensemble otherwise.",
            rich_help_panel=_PARTS,
        ),
    ] = "auto",
    generator: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="What makes the members. \\[default: kmeans]",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
    consensus: Annotated[
        str,
        typer.Option(
            "--consensus",
            "--method",
            help="How the members are combined: hc, sc or bg of mdec and c2swce (also "
            "mc), similarity, bipartite or meta of woec, or a method of ensemble; "
            "'auto' is the first of these, lwea for ensemble, lwgp for ensemble beyond "
            "20,000 samples.",
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
        Optional[int],  # noqa: UP045
        typer.Option(
            min=1,
            help="Clusterings to make. \\[default: as many as in the system's paper, "
            "50 for ensemble]",
            show_default=False,
            rich_help_panel=_PARTS,
        ),
    ] = None,
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
    standardize: _options.Standardize = False,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = -1,
    engine: _options.Engine = "threads",
    scheduler: _options.Scheduler = None,
    checkpoint: _options.Checkpoint = None,
    memory_limit: _options.MemoryLimit = None,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    variable: _options.Variable = None,
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
    report: _options.Report = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Cluster the samples of a file by an ensemble.

    Makes many clusterings of the data, weighs them and combines them:
    one label for each sample, and how sure it is. Without -k it chooses the number of
    clusters, and says how.

    Example: [bold]coterie cluster iris.csv -k 3 --truth species -o labels.csv[/bold]
    """
    from coterie.cli import _summary

    start = time.perf_counter()
    span = parse_span(member_clusters)
    wishes = _system.Wishes(system, generator, consensus, weighter, members, span)
    whole = {
        "--standardize": standardize,
        "--header": header,
        "--truth": truth,
        "--drop": drop,
        "--variable": variable,
        "--save-ensemble": save_ensemble,
        "--report": report,
    }
    large = _large.plan(data, wishes, whole)
    if not large.wanted:
        _system.check(wishes)
    _engine.check(engine, scheduler)
    where = {
        "engine": engine,
        "scheduler": scheduler,
        "checkpoint": checkpoint,
        "memory_limit": _engine.parse_bytes(memory_limit),
    }
    _summary.check_outputs(data, output, save_ensemble, as_json, quiet, report)
    if large.wanted:
        with _console.stages(not (quiet or as_json)) as stages:
            outcome = _large.run(
                data,
                k,
                wishes,
                seed,
                jobs,
                where,
                large.reason,
                {"output": output},
                stages,
                start,
            )
        _summary.tell(outcome, as_json, quiet)
        return
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_data

        table = read_data(data, Columns(header, index, truth, tuple(drop), variable))
        X = standardized(table) if standardize else table.values
        choice = None
        with _console.collected_warnings() as warned:
            if k is None:
                choice = _chosen(wishes, X, seed, jobs, stages)
                k = choice.n_clusters
            stages.start("Making members")
            plan = _system.plan(wishes, k, X.shape[0], seed, jobs)
            model = plan.model
            model.set_params(progress=_then(stages, plan.facts["consensus"]))
            with _engine.chosen(**where):
                model.fit(X)
    ensemble = plan.ensemble()
    outcome = _summary.Outcome(
        "cluster",
        table,
        ensemble,
        model.consensus_,
        parameters={
            "n_clusters": k,
            **plan.facts,
            "members": ensemble.n_members,
            "member_clusters": span,
            "standardize": standardize,
            "seed": seed,
        },
        story=_story(ensemble, plan.story, standardize),
        choice=choice,
        reason=plan.reason,
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
        ensemble_file=save_ensemble,
        report_file=report,
        model=model,
        data=X,
    )
    _summary.tell(outcome, as_json, quiet)


def parse_span(
    text: str | None, option: str = "--member-clusters"
) -> int | tuple[int, int] | None:
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
        f"{option} expects a number or a range LOW:HIGH such as 5:20, got {text}."
    )


def _chosen(
    wishes: _system.Wishes, X: Any, seed: int, jobs: int, stages: _console.Stages
) -> Any:
    """Choose the number of clusters of the data as the system sees them."""
    from coterie.choice import choose_k

    stages.start("Choosing the number of clusters")
    model = _system.plan(wishes, 1, X.shape[0], seed, jobs).model
    return choose_k(model, X, random_state=seed, n_jobs=jobs, progress=stages.step)


def _then(stages: _console.Stages, method: str) -> Any:
    """Return a progress function that names the next stage when members are done."""

    def step(done: int, total: int) -> None:
        stages.step(done, total)
        if done == total:
            stages.start(f"Combining by {method}")

    return step


def standardized(table: Table) -> Any:
    """Return the data with columns of mean 0 (unless sparse) and deviation 1."""
    from sklearn.preprocessing import StandardScaler

    sparse = hasattr(table.values, "indptr")
    return StandardScaler(with_mean=not sparse).fit_transform(table.values)


def _story(ensemble: Any, made_of: str, standardize: bool) -> str:
    sizes = ensemble.n_clusters_per_member
    each = f"{sizes.min()}"
    if sizes.min() < sizes.max():
        each += f" to {sizes.max()}"
    scaled = " of standardized data" if standardize else ""
    return f"{ensemble.n_members} {made_of}{scaled}; {each} clusters in each member"
