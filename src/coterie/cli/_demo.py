"""`coterie demo`: handwritten digits, all methods, one table and one picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._catalog import Entry, entries
from coterie._version import __version__
from coterie.cli import _console, _files

if TYPE_CHECKING:
    import numpy as np

    from coterie.ensemble import Ensemble

_K = 10
_MEMBERS = 50
_SPAN = (10, 42)
_FEW = 300  # samples of the trial that compiles
_SCORES = {"nmi_geometric": "NMI", "ari": "ARI", "acc": "ACC"}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    group: str
    name: str
    what: str
    scores: dict[str, float]
    cpu: float


@dataclass(frozen=True)
class Report:
    """All that the demo tells."""

    rows: list[Row]
    chosen: str
    agreement: float
    folder: Path
    picture: Path | None
    seed: int
    warnings: list[str]


@_console.guarded
def demo(
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="Where labels and picture go."
        ),
    ] = Path("demo"),
    seed: Annotated[
        int, typer.Option(min=0, help="The same seed gives the same labels.")
    ] = 0,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write JSON, for scripts.")
    ] = False,
) -> None:
    """Cluster handwritten digits by every method, and compare.

    Takes scikit-learn's digits (1797 images of 8 x 8), makes 50 clusterings, combines
    them by each method and shows how well the classes are found, beside k-means and
    what ten lines of NumPy give. Writes labels.csv and picture.png.

    Example: [bold]coterie demo --output demo[/bold]
    """
    _prepare(output)
    with (
        _console.stages(not as_json) as stages,
        _console.collected_warnings() as warned,
        ExitStack() as stack,
    ):
        stages.start("Loading")
        X, y = _digits()
        stack.enter_context(_one_thread())
        stages.start("k-means")
        rows = [_kmeans(X, y, seed)]
        stages.start("Making members")
        _members(X[:100], y[:100], seed, None, span=(4, 6))  # compiles
        ensemble, row = _members(X, y, seed, stages.step)
        rows.append(row)
        stages.start("Compiling kernels (once)")
        methods = _compiled(_quick(ensemble), ensemble, X, y, seed)
        results = {}
        for entry in methods:
            stages.start(f"Combining by {entry.name}")
            results[entry.name], row = _combine(entry, ensemble, X, y, seed)
            rows.append(row)
        chosen, agreement = _choose(results, ensemble)
        _write_labels(output / "labels.csv", results[chosen], y)
        stages.start("Drawing")
        path = output / "picture.png"
        picture = _draw(path, X, ensemble, results[chosen], rows, chosen)
    _tell(Report(rows, chosen, agreement, output, picture, seed, warned), as_json)


def _prepare(folder: Path) -> None:
    """Make the folder before the work; a name that is taken is an error."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file, the name of a folder was expected.")
    folder.mkdir(parents=True, exist_ok=True)
    _files.check_output(folder / "labels.csv")


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    digits: Any = load_digits()
    return digits.data, digits.target


def _one_thread() -> Any:
    """Limit the threads of the libraries: one that waits counts as CPU time.

    The limit holds for what is loaded, hence the imports.
    """
    import sklearn.cluster  # noqa: F401
    from threadpoolctl import threadpool_limits

    import coterie.systems  # noqa: F401

    return threadpool_limits(1)


def _choose(results: dict[str, Any], ensemble: Ensemble) -> tuple[str, float]:
    """Return the method that agrees best with the members; the truth has no say."""
    from coterie.metrics import agreement_with_ensemble

    agreement = {
        entry.name: agreement_with_ensemble(results[entry.name].labels, ensemble)
        for entry in entries("consensus")
        if entry.name in results
    }
    best = max(agreement, key=lambda name: agreement[name])
    return best, agreement[best]


def _write_labels(path: Path, result: Any, y: np.ndarray) -> None:
    import numpy as np

    columns = {
        "index": np.arange(len(y)),
        "label": result.labels,
        "confidence": result.confidence,
        "truth": y,
    }
    _files.write_columns(path, columns)


def _quick(ensemble: Ensemble) -> list[Entry]:
    """Return the methods that take some seconds at most."""
    n_rows = 2 * len(ensemble.core)  # well below what they can do in a minute
    return [e for e in entries("baseline", "consensus") if e.is_quick(n_rows)]


def _compiled(
    methods: list[Entry], ensemble: Ensemble, X: np.ndarray, y: np.ndarray, seed: int
) -> list[Entry]:
    """Run all once on some samples: compilation does not count as run time.

    Return those that run: some need a library that may not be installed.
    """
    from coterie.ensemble import Ensemble

    some = Ensemble(ensemble.labels[:_FEW])
    ready = []
    for entry in methods:
        with suppress(ImportError):
            _combine(entry, some, X[:_FEW], y[:_FEW], seed)
            ready.append(entry)
    return ready


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def _scores(y: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    from coterie.metrics import score

    measured = score(y, labels)
    return {name: measured[key] for key, name in _SCORES.items()}


def _kmeans(X: np.ndarray, y: np.ndarray, seed: int) -> Row:
    from sklearn.cluster import KMeans

    starts: Any = 10
    model = KMeans(_K, n_init=starts, random_state=seed)
    labels, cpu = _timed(lambda: model.fit_predict(X))
    what = "scikit-learn, the best of 10 starts"
    return Row("start", "k-means", what, _scores(y, labels), cpu)


def _members(
    X: np.ndarray,
    y: np.ndarray,
    seed: int,
    progress: Any,
    span: tuple[int, int] = _SPAN,
) -> tuple[Ensemble, Row]:
    import numpy as np

    from coterie.generation import RandomKMeans

    generator = RandomKMeans(n_members=_MEMBERS, n_clusters=span)
    ensemble, cpu = _timed(
        lambda: generator.generate(X, seed=seed, n_jobs=-1, progress=progress)
    )
    each = [_scores(y, ensemble.labels[:, j]) for j in range(ensemble.n_members)]
    mean = {name: float(np.mean([e[name] for e in each])) for name in each[0]}
    what = f"mean of {_MEMBERS} k-means of {span[0]} to {span[1]} clusters"
    return ensemble, Row("start", "members", what, mean, cpu)


def _combine(
    entry: Entry,
    ensemble: Ensemble,
    X: np.ndarray,
    y: np.ndarray,
    seed: int,
) -> tuple[Any, Row]:
    from coterie.systems import combine

    result, cpu = _timed(
        lambda: combine(
            ensemble, _K, entry.name, X=X, random_state=seed, return_result=True
        )
    )
    row = Row(entry.kind, entry.name, entry.summary, _scores(y, result.labels), cpu)
    return result, row


def _draw(
    path: Path,
    X: np.ndarray,
    ensemble: Ensemble,
    result: Any,
    rows: list[Row],
    method: str,
) -> Path | None:
    """Draw the picture, or return None without matplotlib."""
    from coterie.cli._picture import draw_digits

    bars = [(row.group, row.name, row.scores["NMI"]) for row in rows]
    try:
        figure = draw_digits(
            X, ensemble, result.labels, result.confidence, bars, method
        )
    except ImportError:
        return None
    _files.write_atomically(
        path, lambda file: figure.savefig(file, format="png", dpi=150)
    )
    return path


def _tell(report: Report, as_json: bool) -> None:
    if as_json:
        _console.write_json(_document(report))
        return
    _console.show_warnings(report.warnings)
    console = _console.out()
    console.print(_grid(report.rows))
    console.print(
        "[dim]NMI (geometric), ARI and ACC compare with the true digits; 1 is perfect. "
        "CPU is that of combining alone: the members\nhave a row of their own. "
        "x k-means: times the CPU of the first row.[/dim]"
    )
    console.print(
        f"Labels: {report.folder / 'labels.csv'}, by {report.chosen}, which agrees "
        f"best with the members (mean NMI {report.agreement:.3f}), truth unseen",
        soft_wrap=True,
    )
    if report.picture is None:
        console.print(
            "Picture: none, for it needs matplotlib. Install it with: "
            'pip install "coterie\\[report]"',
            soft_wrap=True,
        )
    else:
        console.print(f"Picture: {report.picture}", soft_wrap=True)


def _document(report: Report) -> dict[str, Any]:
    first = report.rows[0]
    return {
        "command": "demo",
        "version": __version__,
        "data": "digits",
        "seed": report.seed,
        "rows": [
            {
                "group": row.group,
                "method": row.name,
                **{name.lower(): value for name, value in row.scores.items()},
                "cpu_seconds": row.cpu,
                "times_kmeans": row.cpu / first.cpu,
            }
            for row in report.rows
        ],
        "chosen": report.chosen,
        "agreement_with_members": report.agreement,
        "labels": str(report.folder / "labels.csv"),
        "picture": None if report.picture is None else str(report.picture),
        "warnings": report.warnings,
    }


def _grid(rows: list[Row]) -> Any:
    from rich import box
    from rich.table import Table

    title = "Handwritten digits: 1797 images, 10 classes"
    grid = Table(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
    grid.add_column("method", no_wrap=True)
    grid.add_column("what it does")
    for name in (*_SCORES.values(), "CPU s", "x k-means"):
        grid.add_column(name, justify="right", no_wrap=True)
    best = {name: max(row.scores[name] for row in rows) for name in _SCORES.values()}
    groups = [
        ("start", "Where it starts"),
        ("baseline", "Ten lines of NumPy, SciPy, scikit-learn"),
        ("consensus", "coterie"),
    ]
    for group, heading in groups:
        if group != "start":
            grid.add_row()
        grid.add_row(None, f"[cyan]{heading}[/cyan]")
        chosen = [row for row in rows if row.group == group]
        if group != "start":
            chosen.sort(key=lambda row: -row.scores["NMI"])
        for row in chosen:
            cells = [_marked(row.scores[name], best[name]) for name in best]
            times = row.cpu / rows[0].cpu
            grid.add_row(row.name, row.what, *cells, f"{row.cpu:.2f}", f"{times:.2f}")
    return grid


def _marked(value: float, best: float) -> str:
    """Return a score, bold if no other is better by what is shown."""
    text = f"{value:.3f}"
    return f"[bold green]{text}[/bold green]" if text == f"{best:.3f}" else text
