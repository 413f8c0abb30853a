"""`coterie choose-k`: how many clusters a file holds, if any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.cli import _console
from coterie.cli._columns import Columns
from coterie.cli._files import Outputs, write_columns
from coterie.cli._options import command, parse_span, settings_of
from coterie.cli._prepare import Preparation

if TYPE_CHECKING:
    from coterie.choice import KChoice

_HEADS = {"pac": "PAC", "delta_area": "delta area", "member_nmi": "member NMI"}


@command
def choose_k(
    data: Path,
    columns: Columns,
    preparation: Preparation,
    files: Outputs,
    k_range: str = "2:10",
    settings: list[str] = [],  # noqa: B006 - typer copies it
    seed: int = 0,
    jobs: int = -1,
) -> None:
    """Find the number of clusters, and how certain it is.

    Compares the data with reference data that have no clusters, then lets several
    criteria vote. The answer may be one: no clusters.

    Example: [bold]coterie choose-k iris.csv --drop species[/bold]

    Parameters
    ----------
    k_range : -k, --k-range LOW:HIGH
        Numbers of clusters to compare; one is always considered.
    """
    span = parse_span(k_range, "--k-range")
    low, high = (span, span) if isinstance(span, int) else span or (2, 10)
    files.check(data)
    columns.check()
    preparation.check()
    with _console.work(files) as work:
        work.start("Reading")
        from coterie import choice as choosing
        from coterie._tables import TableEncoder, is_table
        from coterie.cli._tables import read_data

        more: dict[str, Any] = {
            "standardize": False
        }  # the file's columns have been looked at
        more |= settings_of(settings, choosing.choose_k, "choose-k")
        table = read_data(data, columns, as_table=True)
        X, notes, is_scaled = preparation.apply(table.values, table.names, False)
        if is_table(X):
            encoder = TableEncoder().fit(X)
            notes, X = [*notes, *encoder.notes], encoder.transform(X)
        work.start("Comparing with reference data")
        choice = choosing.choose_k(
            X,
            range(low, high + 1),
            random_state=seed,
            n_jobs=jobs,
            progress=work.step,
            **more,
        )
    if files.output is not None:
        write_columns(files.output, choice.columns())
    n_samples, n_columns = table.values.shape
    document = {
        "input": {"path": data, "n_samples": n_samples, "n_columns": n_columns},
        "notes": notes,
        **choice.to_dict(),
        "standardize": is_scaled,
        "guesses": table.guesses,
        "seed": seed,
        "output": files.output,
    }

    def show(console: Any) -> None:
        if choice.k_values.size:
            console.print(_grid(choice))
        classes = set() if table.truth is None else {*table.truth.tolist()} - {None}
        saved = files.output and not files.to_stdout
        facts = [
            ("answer", choice.sentence),
            ("input", f"{data} ({_used(choice)})"),
            *(("guessed", guess) for guess in table.guesses),
            *(("columns", note) for note in notes),
            ("truth", classes and f"{len(classes)} classes in {table.truth_name}"),
            ("time", f"{work.seconds:.1f} s"),
            ("table", saved and f"written to {files.output}"),
        ]
        _console.print_facts(facts, console)

    work.tell("choose-k", files, document, show)


def _used(choice: KChoice) -> str:
    n, used = choice.settings["n_samples"], choice.samples.size
    text = f"{n:,} samples" if used == n else f"{used:,} of {n:,} samples"
    if "complete_part" in choice.settings:
        text += " of the largest complete part of the table"
    if "n_components" in choice.settings:
        text += f", {choice.settings['n_components']} principal components"
    return text


def _grid(choice: KChoice) -> Any:
    """Return a table of the criteria by k, with their votes marked."""
    from coterie._display import count

    k = choice.n_clusters
    heads = [_HEADS.get(name, name) for name in choice.curves]
    title = count(k, "cluster") if k > 1 else "No clusters"
    grid = _console.grid(title, ["k", "p", *heads, "votes"])
    for i, at in enumerate(choice.k_values.tolist()):
        cells = [f"{choice.p_values[i]:.3f}"]
        for name, curve in choice.curves.items():
            voted = choice.votes.get(name) == at
            text = f"{curve[i]:.3f}"
            cells.append(f"[bold green]{text}*[/bold green]" if voted else f"{text} ")
        votes = sum(vote == at for vote in choice.votes.values())
        grid.add_row(str(at), *cells, str(votes), style="bold" if at == k else None)
    return grid
