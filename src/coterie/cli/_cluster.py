"""`coterie cluster`: from data to labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.cli import _console, _system
from coterie.cli._columns import Columns
from coterie.cli._engine import Where
from coterie.cli._files import MoreOutputs
from coterie.cli._options import command


@command
def cluster(
    data: Path,
    wishes: _system.Wishes,
    where: Where,
    columns: Columns,
    files: MoreOutputs,
    k: int | None = None,
    standardize: bool = False,
    seed: int = 0,
    jobs: int = -1,
) -> None:
    """Cluster the samples of a file with an ensemble.

    Makes many clusterings of the data, weights them and combines them into one label
    and one confidence per sample. Without -k it chooses the number of clusters, and
    explains why.

    Example: [bold]coterie cluster iris.csv -k 3 --truth species -o labels.csv[/bold]

    Parameters
    ----------
    data : DATA
        Samples in rows, numbers or categories in columns: CSV, TSV, Parquet, NPY, NPZ
        or MAT; a folder of Parquet files, or a Zarr array.
    k : -k, --n-clusters K
        Clusters to find. [default: chosen, see `coterie choose-k`]
    """
    where.check()
    files.check(data)
    _system.check(wishes)
    with _console.work(files) as work:
        work.start("Reading")
        from coterie._tables import is_table
        from coterie._validation import has_missing
        from coterie.cli import _summary
        from coterie.cli._tables import read_data, standardized

        blocks = _system.block_rows(data, wishes)
        table = read_data(
            data,
            columns,
            by_blocks=blocks is not None,
            as_table=_system.takes_tables(wishes),
        )
        X = standardized(table.values) if standardize else table.values
        is_plain = blocks is not None or not (is_table(X) or has_missing(X))
        name, reason = _system.choose(wishes, X.shape, blocks, is_plain)
        first = [] if k else ["Choosing the number of clusters"]
        model = _system.make(
            name,
            wishes,
            n_clusters="auto" if k is None else k,
            random_state=seed,
            n_jobs=jobs,
            progress=work.follow(*first, "Making members", "Combining them"),
        )
        n_kept = where.n_kept()
        with where.used():
            model.fit(X)
    parts = _parts(name, model)
    n_members = model.ensemble_.n_members
    total = getattr(model.parts().generator, "n_members", n_members)
    resumed = f"{n_kept} of {total} members were in {where.checkpoint}"
    outcome = _summary.Outcome(
        "cluster",
        table,
        model.ensemble_,
        model.consensus_,
        parameters={
            "n_clusters": model.n_clusters_,
            **parts,
            "members": n_members,
            "member_clusters": wishes.span,
            "settings": wishes.sets,
            "standardize": standardize,
            "seed": seed,
        },
        story=_story(model, parts, standardize),
        files=files,
        model=model,
        data=X if blocks is None else None,
        choice=getattr(model, "k_choice_", None),
        reason=reason,
        resumed=resumed if n_kept else None,
    )
    _summary.tell(outcome, work)


def _parts(name: str, model: Any) -> dict[str, Any]:
    """Return the names of the parts of a fitted system."""
    parts = model.parts(model.labels_.size)
    form = getattr(model, "consensus", None)
    return {
        "system": name,
        "generator": parts.generator.name,
        "consensus": form if isinstance(form, str) else parts.consensus.name,
        "weighter": None if parts.weighter is None else parts.weighter.name,
    }


def _story(model: Any, facts: dict[str, Any], standardize: bool) -> str:
    from coterie._display import count

    sizes = model.ensemble_.n_clusters_per_member
    each = " to ".join(str(size) for size in sorted({sizes.min(), sizes.max()}))
    learned = "no weights" if model.weights_ is None else "learned weights"
    weights = f"{facts['weighter']} weights" if facts["weighter"] else learned
    scaled = " on standardized data" if standardize else ""
    return (
        f"{count(model.ensemble_.n_members, 'member')} by "
        f"{facts['generator']}{scaled}, combined by {facts['consensus']} with "
        f"{weights}; {each} clusters in each member"
    )
