"""The report: facts, words and figures on one page."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coterie._atomic import write_atomically
from coterie._display import count
from coterie._html import escaped, tag
from coterie.answers._explain import explain
from coterie.answers._facts import Facts
from coterie.answers._figures import figures
from coterie.answers._file import ReportFile
from coterie.answers._methods import methods_section
from coterie.answers._page import embedded_json, page
from coterie.answers._sections import (
    choice_table,
    clusters_table,
    features_table,
    kinds_section,
    members_table,
    tiles,
)
from coterie.answers._words import summary


def report(
    source: Any,
    X: Any = None,
    path: str | Path = "report.html",
    *,
    y: Any = None,
    names: Any = None,
    features: Sequence[str] | None = None,
    coordinates: Any = None,
    choice: Any = None,
    parts: Sequence[Any] = (),
    title: str | None = None,
    command: str | None = None,
) -> Path:
    """Write one HTML file that shows what was found and how certain it is.

    The file is self-contained and opens offline. It shows the clusters, the samples (to
    search, sort, filter and download), the members, the kinds of a panel, the choice of
    k if there was one, the methods with their papers, and how to repeat the run.

    Parameters
    ----------
    source : fitted system or Explanation
        What to report.
    X : array, sparse matrix, frame or None, default=None
        The data, for the silhouette and the features that set clusters apart.
    path : str or Path, default="report.html"
        The file to write; an existing one is replaced atomically.
    y : (n_samples,) array, default=None
        Known classes, only shown and used to score the result.
    names : (n_samples,) array, default=None
        Names of the samples; None takes the index of a frame, or numbers from 0.
    features : sequence of str, default=None
        Names of the columns of X; None takes those of a frame, or numbers from 0.
    coordinates : (n_samples, 2) array or "pca", default=None
        Coordinates for the map, such as a UMAP embedding, or "pca" for two principal
        components; None maps the members' agreement (see ``plot.sample_map``).
    choice : KChoice, default=None
        The result of ``choose_k``; None takes ``k_choice_`` of the system.
    parts : sequence of generator, weighter, consensus function, default=()
        The parts that made the result, if ``source`` holds no system.
    title : str, default=None
        The heading; None states the numbers of clusters and samples.
    command : str, default=None
        The command line that repeats the run.

    Returns
    -------
    Path
        The file written. As the last line of a notebook cell it shows the page, up to
        3 MB.

    Notes
    -----
    The file stays small for large data: the map shows at most 2,000 samples, the matrix
    and the silhouette fewer, the table at most 100,000 (the least certain), and each
    says so.

    Examples
    --------
    >>> import coterie, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = coterie.EnsembleClustering(3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = coterie.report(model, X, f"{folder}/iris.html")
    ...     path.stat().st_size < 1_000_000
    True
    """
    found = explain(source)
    path = Path(path)
    if path.is_dir():
        raise ValueError(
            f"report cannot write {path}: it is a folder; a file name was expected, "
            f"such as {path / 'report.html'}."
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"report cannot write {path}: the folder {path.parent} does not exist."
        )
    facts = Facts.of(
        found, X, y=y, names=names, features=features, coordinates=coordinates
    )
    if choice is None:
        choice = getattr(found.model, "k_choice_", None)
    counts = count(facts.n_clusters, "cluster"), count(facts.n_samples, "sample")
    text = page(
        title=title or " of ".join(counts),
        date=datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        summary=escaped(*(tag("p", text) for text in summary(facts, choice))),
        tiles=tiles(facts),
        choice=choice_table(choice),
        clusters=clusters_table(facts),
        kinds=kinds_section(facts),
        features=features_table(facts),
        members=members_table(facts),
        methods=methods_section(facts, parts, command),
        data=embedded_json(figures(facts, choice)),
    )
    write_atomically(
        path, lambda file: file.write(text.encode(errors="backslashreplace"))
    )
    return ReportFile(path)
