"""`coterie cluster`: from data to labels."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from coterie.cli import _console, _engine, _files, _options, _system
from coterie.cli._settings import parse_settings


@_console.guarded
def cluster(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            readable=False,
            help="Samples in rows, numbers in columns: CSV, TSV, Parquet, NPY, NPZ or "
            "MAT; or a folder of Parquet files, or a Zarr array.",
        ),
    ],
    k: _options.MaybeClusters = None,
    system: Annotated[
        str,
        _options.parts(
            help="A complete method ('coterie methods --kind system' lists them), "
            "ensemble (any parts), or large (block by block). 'auto' is large for NPY "
            "and Parquet files of a million rows and for folders; mdec for 10 columns "
            "or more and up to 20,000 samples; ensemble otherwise, or if parts are "
            "named.",
        ),
    ] = "auto",
    generator: _options.Generator = None,
    consensus: _options.Consensus = "auto",
    weighter: _options.Weighter = "auto",
    members: Annotated[
        _options.MaybeInt,
        _options.parts(
            min=1,
            help="Clusterings to make. \\[default: as in the system's paper, 50 for "
            "ensemble]",
        ),
    ] = None,
    member_clusters: _options.MemberClusters = None,
    settings: _options.Settings = [],  # noqa: B006 - typer copies it
    standardize: _options.Standardize = False,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = -1,
    engine: Annotated[
        str,
        _options.work(
            help="Where members are made: threads, processes, serial or dask."
        ),
    ] = "threads",
    scheduler: Annotated[
        _options.MaybeText,
        _options.work(
            metavar="ADDRESS",
            help="Dask scheduler to use, such as tcp://10.0.0.1:8786.",
        ),
    ] = None,
    checkpoint: Annotated[
        _options.MaybePath,
        _options.work(
            metavar="FOLDER",
            readable=False,
            help="Keep each finished member there: after a stop, the same command "
            "takes up where it was.",
        ),
    ] = None,
    memory_limit: Annotated[
        _options.MaybeText,
        _options.work(
            metavar="SIZE",
            help="Memory the run may take, such as 8GB. \\[default: 60% of what is "
            "free]",
        ),
    ] = None,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006
    variable: _options.Variable = None,
    decimal: _options.Decimal = ".",
    na: _options.Na = [],  # noqa: B006
    output: _options.Output = None,
    save_ensemble: Annotated[
        _options.MaybePath,
        _options.output(
            metavar="FILE.npz", help="Keep the members too, for `coterie combine`."
        ),
    ] = None,
    report: _options.Report = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Cluster the samples of a file by an ensemble.

    Makes many clusterings of the data, weighs them and combines them: one label for
    each sample, and how sure it is. Without -k it chooses the number of clusters, and
    says why.

    Example: [bold]coterie cluster iris.csv -k 3 --truth species -o labels.csv[/bold]
    """
    start = time.perf_counter()
    wishes = _system.Wishes(
        system,
        generator,
        consensus,
        weighter,
        members,
        _options.parse_span(member_clusters),
        parse_settings(settings),
    )
    where = _engine.Where(
        engine, scheduler, checkpoint, _options.parse_bytes(memory_limit)
    )
    _files.check_outputs(data, output, save_ensemble, as_json, quiet, report)
    _system.check(wishes)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie.cli import _summary
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_data, standardized

        columns = Columns(header, index, truth, tuple(drop), variable, decimal, (*na,))
        blocks = _system.block_rows(data, wishes)
        table = read_data(data, columns, by_blocks=blocks is not None)
        X = standardized(table.values) if standardize else table.values
        name, reason = _system.choose(wishes, X.shape, blocks)
        work = ["Making members", "Combining them"]
        model = _system.make(
            name,
            wishes,
            n_clusters="auto" if k is None else k,
            random_state=seed,
            n_jobs=jobs,
            progress=stages.follow(*([] if k else ["Choosing k"]), *work),
        )
        with _console.collected_warnings() as warned, where.used():
            model.fit(X)
    facts = _facts(name, model)
    outcome = _summary.Outcome(
        "cluster",
        table,
        model.ensemble_,
        model.consensus_,
        parameters={
            "n_clusters": model.n_clusters_,
            **facts,
            "members": model.ensemble_.n_members,
            "member_clusters": wishes.span,
            "settings": dict(wishes.settings),
            "standardize": standardize,
            "seed": seed,
        },
        story=_story(model, facts, standardize),
        resumed=where.resumed(model),
        choice=getattr(model, "k_choice_", None),
        reason=reason,
        seconds=time.perf_counter() - start,
        warnings=warned,
        output=output,
        ensemble_file=save_ensemble,
        report_file=report,
        model=model,
        data=X if blocks is None else None,
    )
    _summary.tell(outcome, as_json, quiet)


def _facts(name: str, model: Any) -> dict[str, Any]:
    """Return the names of what a fitted system is made of."""
    parts = model.parts(model.labels_.size)
    form = getattr(model, "consensus", None)
    return {
        "system": name,
        "generator": parts.generator.name,
        "consensus": form if isinstance(form, str) else parts.consensus.name,
        "weighter": None if parts.weighter is None else parts.weighter.name,
    }


def _story(model: Any, facts: dict[str, Any], standardize: bool) -> str:
    sizes = model.ensemble_.n_clusters_per_member
    each = f"{sizes.min()}"
    if sizes.min() < sizes.max():
        each += f" to {sizes.max()}"
    learned = "no weights" if model.weights_ is None else "weights that it learns"
    weights = f"{facts['weighter']} weights" if facts["weighter"] else learned
    scaled = " of standardized data" if standardize else ""
    return (
        f"{_console.count(model.ensemble_.n_members, 'member')} by "
        f"{facts['generator']}{scaled}, combined by {facts['consensus']} with "
        f"{weights}; {each} clusters in each member"
    )
