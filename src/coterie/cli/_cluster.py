"""`coterie cluster`: from data to labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie.cli import _console, _system
from coterie.cli._columns import Columns
from coterie.cli._engine import Where
from coterie.cli._files import MoreOutputs
from coterie.cli._options import command
from coterie.cli._prepare import Preparation


@command
def cluster(
    data: Path,
    wishes: _system.Wishes,
    where: Where,
    columns: Columns,
    preparation: Preparation,
    files: MoreOutputs,
    k: int | None = None,
    seed: int = 0,
    jobs: int = -1,
) -> None:
    """Cluster the samples of a file with an ensemble.

    Combines clusterings of several kinds into one label and one confidence per sample.
    Without -k it chooses the number of clusters. Nothing needs scaling.

    Example: [bold]coterie cluster iris.csv -k 3 --truth species -o labels.csv[/bold]

    Parameters
    ----------
    data : DATA
        Samples in rows: CSV, TSV, Excel, Parquet (or a folder of them), Feather, NPY,
        NPZ, MAT or Zarr.
    k : -k, --n-clusters K
        Clusters to find. [default: chosen]
    """
    where.check()
    files.check(data)
    _system.check(wishes)
    columns.check()
    preparation.check()
    with _console.work(files) as work:
        work.start("Reading")
        from coterie.cli import _summary
        from coterie.cli._tables import read_data

        blocks = _system.block_rows(data, wishes)
        table = read_data(
            data,
            columns,
            by_blocks=blocks is not None,
            as_table=_system.takes_tables(wishes),
            with_gaps=preparation.fills,
        )
        name, reason = _system.choose(wishes, blocks)
        n_kept = where.n_kept()
        making = "Making members" + (f" ({n_kept} are there already)" if n_kept else "")
        first = [] if k else ["Choosing the number of clusters"]
        model = _system.make(
            name,
            wishes,
            n_clusters="auto" if k is None else k,
            random_state=seed,
            n_jobs=jobs,
            progress=work.follow(*first, making, "Combining them"),
        )
        copes = _system.copes_with_scales(model)
        X, notes, is_scaled = preparation.apply(table.values, table.names, copes)
        with where.used():
            model.fit(X)
    parts = _parts(name, model)
    n_members = model.ensemble_.n_members
    total = getattr(model.parts().generator, "n_members", None) or n_members
    resumed = f"{n_kept} of {total} members were in {where.checkpoint} already"
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
            "effort": getattr(model, "effort", None),
            "settings": wishes.sets,
            "standardize": is_scaled,
            "impute": preparation.impute,
            "seed": seed,
        },
        story=_story(model, parts, is_scaled),
        files=files,
        model=model,
        data=X if blocks is None else None,
        choice=getattr(model, "k_choice_", None),
        reason=reason,
        preparations=notes,
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


def _story(model: Any, facts: dict[str, Any], is_scaled: bool) -> str:
    from coterie._display import count
    from coterie.ensemble._groups import groups_of

    groups = groups_of(model.ensemble_) if facts["generator"] == "panel" else ()
    made = f"by {facts['generator']}"
    if groups:
        n_kinds = count(len({group.kind for group in groups}), "kind")
        made = f"of {n_kinds} on {count(len({group.view for group in groups}), 'view')}"
    if is_scaled:
        made += " of the standardized data" if groups else " on standardized data"
    made = f"{count(model.ensemble_.n_members, 'member')} {made}"
    if groups and facts["consensus"] == "council":
        return f"{made}, each kind combined by itself, then {_weighed(model, facts)}"
    sizes = model.ensemble_.n_clusters_per_member
    each = " to ".join(str(size) for size in sorted({sizes.min(), sizes.max()}))
    learned = "no weights" if model.weights_ is None else "learned weights"
    weights = f"{facts['weighter']} weights" if facts["weighter"] else learned
    return (
        f"{made}, combined by {facts['consensus']} with {weights}; {each} clusters in "
        "each member"
    )


def _weighed(model: Any, facts: dict[str, Any]) -> str:
    """Say how the kinds of a panel were weighted."""
    if facts["weighter"]:
        return f"weighted by {facts['weighter']}"
    if model.parts().consensus.weighter is None:
        return "with equal weights"
    return "weighted by steadiness and agreement"
