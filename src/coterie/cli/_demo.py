"""`coterie demo`: handwritten digits, from images to labels, a picture and a report."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from coterie.cli import _console, _files
from coterie.cli._options import command

_K, _SHOWN = 10, 8  # clusters; images of each in the picture
_SCORES = {"nmi": "nmi_geometric", "ari": "ari", "acc": "acc"}
_NEXT = (
    "coterie cluster your.csv -o labels.csv",
    "coterie compare your.csv -k 3",
    "coterie methods",
)


@command
def demo(output: Path = Path("demo"), seed: int = 0, as_json: bool = False) -> None:
    """Cluster handwritten digits, and see what an ensemble can do.

    Takes scikit-learn's digits (1797 images of 8 x 8), makes clusterings of several
    kinds, combines them, and compares the result with k-means and with two ten-line
    ways to combine the same members. Writes labels.csv, report.html and picture.png.

    Example: [bold]coterie demo --output demo[/bold]

    Parameters
    ----------
    output : -o, --output FOLDER
        Where the files go.
    """
    if output.exists() and not output.is_dir():
        raise ValueError(
            f"{output} is a file; a folder was expected. Choose another with --output."
        )
    output.mkdir(parents=True, exist_ok=True)
    written = [output / name for name in ("labels.csv", "report.html", "picture.png")]
    _files.check_output(written[0])
    files = _files.Outputs(as_json=as_json)
    with _console.work(files) as work:
        work.start("Loading")
        from sklearn.cluster import KMeans
        from sklearn.datasets import load_digits

        import coterie
        from coterie.metrics import score

        X, y = load_digits(return_X_y=True)
        work.start("Compiling, the first time only")
        coterie.EnsembleClustering(_K, effort="quick", random_state=seed).fit(X[::6])
        model = coterie.EnsembleClustering(_K, random_state=seed, n_jobs=-1)
        model.set_params(progress=work.follow("Making members", "Combining them"))
        rows: list[dict[str, Any]] = []

        def add(method: str, what: str, cluster: Any, *given: Any, **more: Any) -> None:
            start = time.perf_counter()
            labels = cluster(*given, **more)
            seconds = time.perf_counter() - start
            scores = score(y, labels)
            found = {name: scores[key] for name, key in _SCORES.items()}
            rows.append({"method": method, "what": what, **found, "seconds": seconds})

        kmeans = KMeans(_K, n_init=10, random_state=seed)  # type: ignore[arg-type]
        add("coterie", "a panel of seven kinds", model.fit_predict, X)
        add("k-means", "best of 10 starts", kmeans.fit_predict, X)
        for name in ("onehot-linkage", "onehot-kmeans"):
            work.start(f"Combining by {name}")
            what, given = "the same members, ten lines", (model.ensemble_, _K, name)
            add(name, what, coterie.combine, *given, random_state=seed)
        work.start("Writing")
        columns = {"label": model.labels_, "confidence": model.confidence_, "truth": y}
        _files.write_columns(written[0], columns)
        coterie.report(model, X, written[1], y=y)
        has_picture = _draw(written[2], model, X)
    written = written if has_picture else written[:2]

    def show(console: Any) -> None:
        heads = ["method", "what", "NMI", "ARI", "ACC", "seconds"]
        grid = _console.grid("1797 handwritten digits", heads, n_left=2)
        for row in rows:
            cells = [f"{row[name]:.3f}" for name in _SCORES]
            grid.add_row(row["method"], row["what"], *cells, f"{row['seconds']:.1f}")
        console.print(grid)
        facts = [
            ("scores", "agreement with the true digits, which no method has seen"),
            ("written", ", ".join(map(str, written))),
            ("no picture", "" if has_picture else "it needs matplotlib"),
            *(("next", words) for words in _NEXT),
        ]
        _console.print_facts(facts, console)

    document = {"seed": seed, "rows": rows, "files": written}
    work.tell("demo", files, document, show)


def _draw(path: Path, model: Any, X: Any) -> bool:
    """Draw a map of the images and the least certain ones; False if that cannot be."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    from coterie import plot

    figure = Figure(figsize=(14, 6.5), layout="constrained")
    halves: Any = figure.subfigures(1, 2)
    left, right = halves
    plot.sample_map(model, ax=left.subplots())
    right.suptitle("The mean of each cluster, and its least certain images")
    for cluster, axes in enumerate(right.subplots(_K, _SHOWN + 1)):
        inside = (model.labels_ == cluster).nonzero()[0]
        least = inside[model.confidence_[inside].argsort(kind="stable")][:_SHOWN]
        for ax, image in zip(axes, [X[inside].mean(axis=0), *X[least]], strict=False):
            ax.imshow(image.reshape(8, 8), cmap="gray_r")
        for ax in axes:
            ax.set_axis_off()
    _files.write_atomically(path, lambda f: figure.savefig(f, format="png", dpi=120))
    return True
