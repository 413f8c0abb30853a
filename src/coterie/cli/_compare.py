"""`coterie compare`: one ensemble, many consensus functions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie._catalog import METHODS, entries, find
from coterie.cli import _console, _system
from coterie.cli._columns import Columns
from coterie.cli._files import Outputs, check_output, write_columns
from coterie.cli._options import command
from coterie.cli._prepare import Preparation

if TYPE_CHECKING:
    from coterie.cli._columns import Table
    from coterie.systems import Comparison

_HEADS = {"agreement": "members", "variance_ratio": "VRC"}
_HEADS |= {"nmi": "NMI", "ari": "ARI", "acc": "ACC"}
_EXTERNAL = ("nmi", "ari", "acc")


@command
def compare(
    data: Path,
    columns: Columns,
    preparation: Preparation,
    files: Outputs,
    k: int,
    methods: str | None = None,
    labels: bool = False,
    generator: str | None = None,
    members: int | None = None,
    member_clusters: str | None = None,
    seed: int = 0,
    jobs: int = -1,
    answers: Path | None = None,
) -> None:
    """Combine the same clusterings by many methods, and compare.

    Makes one ensemble and combines it with every consensus function and with three
    ten-line baselines; by default it is the panel that 'coterie cluster' combines by
    council. The table is sorted by agreement with the members, or with the known
    classes if there are any.

    Example: [bold]coterie compare iris.csv -k 3 --truth species[/bold]

    Parameters
    ----------
    data : DATA
        Samples in rows, numbers in columns; with --labels, one clustering per column:
        CSV, TSV, Excel, Parquet, Feather, NPY, NPZ or MAT.
    methods : NAME,NAME,...
        Methods to compare (see: coterie methods). [default: all]
    labels : --labels
        The file holds members, not data.
    generator : NAME
        How to make the members. [default: panel]
    members : N
        Number of clusterings to make. [default: as the generator does]
    answers : FILE
        Where to write the labels, one column per method: .csv, .tsv, .parquet or .npz.
    """
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    for name in names or ():
        find(name, METHODS)
    wishes = _system.Wishes(
        generator=generator, members=members, member_clusters=member_clusters
    )
    maker = _system.make("ensemble", wishes).generator
    if hasattr(maker, "target"):
        maker.set_params(target=k)  # as ``coterie cluster`` does
    files.check(data)
    check_output(answers, data)
    columns.check()
    preparation.check()
    with _console.work(files) as work:
        work.start("Reading")
        from coterie import systems
        from coterie.cli._tables import read_data, read_labels
        from coterie.ensemble import Ensemble

        X, notes = None, []
        if labels:
            table = read_labels(data, columns)
            y, ensemble = _known(table), Ensemble(table.values)
        else:
            table = read_data(data, columns, with_gaps=preparation.fills)
            y, copes = _known(table), hasattr(maker, "effort")
            X, notes, _ = preparation.apply(table.values, table.names, copes)
            work.start("Making members")
            ensemble = maker.generate(X, seed=seed, n_jobs=jobs, progress=work.step)
        work.start("Combining")
        found = systems.compare(
            ensemble, k, names, X=X, y=y, random_state=seed, progress=work.step
        ).sort_by("agreement" if y is None else "nmi")
    if files.output is not None:
        ranks = {f"rank_{name}": places for name, places in found.ranks.items()}
        frame = found.to_frame().assign(**ranks)
        write_columns(files.output, {name: frame[name].to_numpy() for name in frame})
    if answers is not None:
        own = {} if table.index is None else {str(table.index_name): table.index}
        labelings = {name: found.results[name].labels for name in found.methods}
        write_columns(answers, own | labelings)
    document = {
        "input": data,
        "n_samples": ensemble.n_samples,
        "n_members": ensemble.n_members,
        "n_clusters": k,
        "seed": seed,
        "guesses": table.guesses,
        "notes": notes,
        "methods": found.records(),
        "ranks": found.ranks,
        "similarity": found.similarity,
        "failed": dict(found.failed),
    }

    def show(console: Any) -> None:
        from rich.markup import escape

        console.print(_grid(found, ensemble.n_members))
        for name, reason in found.failed.items():
            console.print(f"[yellow]{name}[/yellow] [dim]{escape(reason)}[/dim]")
        console.print(f"[dim]{_legend(found.scores)}[/dim]", soft_wrap=True)
        best = found.methods[int(found.scores["agreement"].argmax())]
        aside = "" if y is None else " (ignoring the known classes)"
        text = (
            f"{data}: {ensemble.n_samples:,} samples, {work.seconds:.1f} s. Closest to "
            f"the members: {best}{aside}."
        )
        console.print(escape(text), soft_wrap=True)
        facts = [*(("guessed", guess) for guess in table.guesses)]
        _console.print_facts([*facts, *(("columns", note) for note in notes)], console)

    work.tell("compare", files, document, show)


def _known(table: Table) -> Any:
    """Return the known classes; every sample must have one."""
    if table.truth is None:
        return None
    unknown = sum(v is None or v != v for v in table.truth.tolist())
    if unknown:
        raise ValueError(
            f"compare expects a class for every sample, but {unknown} in the column "
            f"{table.truth_name!r} have none. Leave out these samples, or --truth."
        )
    return table.truth


def _legend(scores: Iterable[str]) -> str:
    legend = ["members: mean NMI with the members", "others: with the other answers"]
    legend += ["VRC: variance ratio"] if "silhouette" in scores else []
    legend += ["NMI, ARI, ACC: with the known classes"] if "nmi" in scores else []
    return f"{'; '.join(legend)}. Larger is better; the best are bold."


def _grid(found: Comparison, n_members: int) -> Any:
    from coterie._display import count

    n = len(found.methods)
    scores = [_HEADS.get(name, name) for name in found.scores]
    title = f"{count(n, 'method')} on the same {n_members} members"
    heads = ["method", "clusters", *scores, "others", "mean rank", "seconds"]
    grid = _console.grid(title, heads, n_left=1)
    scored = [s for s in found.scores if s in _EXTERNAL] or list(found.scores)
    rank: Any = sum(found.ranks[name] for name in scored) / len(scored)
    others = (found.similarity.sum(axis=1) - 1) / max(1, n - 1)
    baselines = {entry.name for entry in entries("baseline")}
    for m, name in enumerate(found.methods):
        cells = [_cell(values, m) for values in found.scores.values()]
        style = "dim" if name in baselines else None
        n_found = int(found.results[name].labels.max()) + 1
        end = f"{others[m]:.3f}", f"{rank[m]:.1f}", f"{found.seconds[m]:.2f}"
        grid.add_row(name, str(n_found), *cells, *end, style=style)
    return grid


def _cell(values: Any, m: int) -> str:
    text, best = (
        f"{v:.3f}" if abs(v) < 10 else f"{v:.0f}" for v in (values[m], values.max())
    )
    return f"[bold green]{text}[/bold green]" if text == best else text
