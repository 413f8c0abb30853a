"""`coterie demo`: handwritten digits, from images to labels, a picture and a report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from coterie.cli import _console, _files
from coterie.cli._options import command

_K, _SHOWN = 10, 8  # clusters; images of each in the picture
_SCORES = {"nmi_geometric": "NMI", "ari": "ARI", "acc": "ACC"}
_NEXT = (
    "coterie cluster your.csv -o labels.csv",
    "coterie compare your.csv -k 3",
    "coterie methods",
)


@command
def demo(output: Path = Path("demo"), seed: int = 0, as_json: bool = False) -> None:
    """Cluster handwritten digits, and see what an ensemble is good for.

    Takes scikit-learn's digits (1797 images of 8 x 8), makes 50 clusterings, combines
    them and compares the result with k-means and with what ten lines of code make of
    the same members. Writes labels.csv, report.html and picture.png.

    Example: [bold]coterie demo --output demo[/bold]

    Parameters
    ----------
    output : -o, --output FOLDER
        Where the files go.
    """
    if output.exists() and not output.is_dir():
        raise ValueError(f"{output} is a file, the name of a folder was expected.")
    output.mkdir(parents=True, exist_ok=True)
    _files.check_output(output / "labels.csv")
    with (
        _console.stages(not as_json) as stages,
        _console.collected_warnings() as warned,
    ):
        stages.start("Loading; the first run compiles, which takes some 20 seconds")
        from sklearn.cluster import KMeans
        from sklearn.datasets import load_digits

        import coterie

        X, y = load_digits(return_X_y=True)
        model = coterie.EnsembleClustering(_K, random_state=seed, n_jobs=-1)
        model.set_params(progress=stages.follow("Making members", "Combining them"))
        starts: Any = 10
        kmeans = KMeans(_K, n_init=starts, random_state=seed)
        what = "50 k-means members, combined by lwea"
        rows = [
            _row("coterie", what, model.fit, X, y),
            _row("k-means", "best of 10 starts", kmeans.fit, X, y),
        ]
        for name in ("onehot-linkage", "onehot-kmeans"):
            stages.start(f"Combining by {name}")
            labels = coterie.combine(model.ensemble_, _K, name, random_state=seed)
            rows.append(
                _row(name, "the same members, ten lines of code", None, labels, y)
            )
        stages.start("Writing")
        columns = {"label": model.labels_, "confidence": model.confidence_, "truth": y}
        _files.write_columns(output / "labels.csv", columns)
        coterie.report(model, X, output / "report.html", y=y)
        picture = _draw(output / "picture.png", model, X)
    files = [
        output / "labels.csv",
        output / "report.html",
        *([picture] if picture else []),
    ]
    if as_json:
        _console.write_json(
            "demo", seed=seed, rows=rows, files=[str(f) for f in files], warnings=warned
        )
        return
    _console.show_warnings(warned)
    console = _console.out()
    grid = _console.grid(
        "1797 handwritten digits", "method", "what", *_SCORES.values(), "seconds"
    )
    grid.columns[0].justify = grid.columns[1].justify = "left"
    for row in rows:
        cells = [f"{row[name.lower()]:.3f}" for name in _SCORES.values()]
        took = "" if row["seconds"] is None else f"{row['seconds']:.1f}"
        grid.add_row(row["method"], row["what"], *cells, took)
    console.print(grid)
    _console.print_facts(
        [
            ("scores", "compare with the true digits, which no method has seen"),
            ("written", ", ".join(str(file) for file in files)),
            *([] if picture else [("no picture", "it needs matplotlib")]),
            *(("next", command) for command in _NEXT),
        ],
        console,
    )


def _row(method: str, what: str, fit: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return a line of the table; ``X`` are labels already if there is no fit."""
    from coterie.metrics import score

    start = time.perf_counter()
    labels = X if fit is None else fit(X).labels_
    seconds = None if fit is None else time.perf_counter() - start
    measured = score(y, labels)
    scores = {name.lower(): measured[key] for key, name in _SCORES.items()}
    return {"method": method, "what": what, **scores, "seconds": seconds}


def _draw(path: Path, model: Any, X: Any) -> Path | None:
    """Draw a map of the images and the least sure of each cluster, if that can be."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    from coterie import plot

    figure = Figure(figsize=(14, 6.5), layout="constrained")
    halves: Any = figure.subfigures(1, 2)
    left, right = halves
    plot.sample_map(model, X, ax=left.subplots())
    right.suptitle("The mean of each cluster, and the images it is least sure of")
    for cluster, axes in enumerate(right.subplots(_K, _SHOWN + 1)):
        inside = (model.labels_ == cluster).nonzero()[0]
        least = inside[model.confidence_[inside].argsort(kind="stable")][:_SHOWN]
        for ax, image in zip(axes, [X[inside].mean(axis=0), *X[least]], strict=False):
            ax.imshow(image.reshape(8, 8), cmap="gray_r")
        for ax in axes:
            ax.set_axis_off()
    _files.write_atomically(path, lambda f: figure.savefig(f, format="png", dpi=120))
    return path
