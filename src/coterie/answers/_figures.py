"""The numbers behind the figures, as JSON of bounded size."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from coterie import plot
from coterie.answers._facts import Facts
from coterie.ensemble._votes import DOUBTFUL, cluster_counts
from coterie.plot._style import draw_samples

MAP_SAMPLES = 2000
MATRIX_SAMPLES = 300
ITEM_SAMPLES = 300
SILHOUETTE_SAMPLES = 1000
TRACKED_SAMPLES = 1000
TABLE_ROWS = 100_000
NAME_BYTES = 3_000_000  # total, of all names in the table
HEATMAP_MEMBERS = 150
ALLUVIAL_CELLS = 60_000
_BINS = 20


def figures(facts: Facts, choice: Any) -> dict[str, Any]:
    """Return everything that the script draws."""
    return {
        "n": facts.n_samples,
        "k": facts.n_clusters,
        "colors": plot.cluster_colors(facts.n_clusters),
        "classColors": plot.cluster_colors(
            0 if facts.y is None else len(np.unique(facts.y.astype(str)))
        ),
        "doubtful": DOUBTFUL,
        "histograms": _histograms(facts),
        "table": _table(facts),
        "map": _map(facts),
        "matrix": _matrix(facts),
        "items": _items(facts),
        "silhouette": _silhouette(facts),
        "members": _members(facts),
        "agreement": _agreement(facts),
        "alluvial": _alluvial(facts),
        "paced": _paced(facts) if "mean_weight" in facts.found.details else None,
        "choice": None if choice is None else _choice(choice),
    }


def _milli(values: Any) -> list[int | None]:
    """Return numbers in thousandths, rounded to integers; None for NaN."""
    scaled = 1000 * np.asarray(values, dtype=np.float64)
    return [None if v != v else round(v) for v in scaled.tolist()]


def _rounded(curve: Any) -> list[float | None]:
    return [None if np.isnan(v) else round(float(v), 6) for v in np.asarray(curve)]


def _bytes(shares: np.ndarray) -> str:
    """Return shares in [0, 1] as one byte each, in base64."""
    levels = np.round(255 * np.clip(np.nan_to_num(shares), 0, 1)).astype(np.uint8)
    return base64.b64encode(levels.tobytes()).decode()


def _histograms(facts: Facts) -> list[list[int]]:
    edges = np.linspace(0, 1, _BINS + 1)
    sure = facts.found.samples["confidence"]
    return [
        np.histogram(sure[facts.found.labels == c], edges)[0].tolist()
        for c in range(facts.n_clusters)
    ]


def _table(facts: Facts) -> dict[str, Any]:
    """Return the columns of the table of samples, the least certain first."""
    samples = facts.found.samples
    order = np.argsort(samples["margin"], kind="stable")[:TABLE_ROWS]
    names = None
    if facts.names is not None:
        lengths = np.array([len(ascii(str(n))) + 1 for n in facts.names[order]])
        order = order[np.cumsum(lengths) <= NAME_BYTES]
        names = [str(name) for name in facts.names[order]]
    columns: dict[str, Any] = {"sample": order.tolist(), "name": names}
    for key, values in samples.items():
        whole = values.dtype.kind in "iu"
        columns[key] = values[order].tolist() if whole else _milli(values[order])
    if facts.y is not None:
        values, codes = np.unique(facts.y[order].astype(str), return_inverse=True)
        columns["known_class"] = codes.ravel().tolist()
        columns["known_classes"] = values.tolist()
    return columns


def _map(facts: Facts) -> dict[str, Any]:
    data = plot.data(
        "sample_map",
        facts.found,
        facts.X,
        coordinates=facts.coordinates,
        max_samples=MAP_SAMPLES,
    )
    chosen = data["samples"]
    places = np.column_stack([data["x"], data["y"]])
    low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
    unit = (np.nan_to_num(places) - low) / np.maximum(high - low, 1e-300)
    samples = facts.found.samples
    return {
        "x": np.round(4095 * unit[:, 0]).astype(int).tolist(),
        "y": np.round(4095 * unit[:, 1]).astype(int).tolist(),
        "sample": chosen.tolist(),
        "name": [facts.name(i) for i in chosen] if facts.names is not None else None,
        "cluster": data["labels"].tolist(),
        "confidence": _milli(data["confidence"]),
        "second": samples["second"][chosen].tolist(),
        "margin": _milli(samples["margin"][chosen]),
        "known": None if facts.y is None else [str(c) for c in facts.y[chosen]],
        "note": _map_note(facts, data["axes"]),
    }


def _map_note(facts: Facts, axes: tuple[str, str]) -> str:
    if facts.coordinates is not None:
        return f"Horizontal: {axes[0]}; vertical: {axes[1]}."
    return (
        "Samples that the members keep together lie near each other (t-SNE of the "
        "members' agreement); gaps and areas have no scale."
    )


def _matrix(facts: Facts) -> dict[str, Any]:
    data = plot.data("consensus_matrix", facts.found, max_samples=MATRIX_SAMPLES)
    return {
        "size": int(data["labels"].size),
        "values": _bytes(data["matrix"]),
        "cluster": data["labels"].tolist(),
        "name": [facts.name(i) for i in data["samples"]],
    }


def _items(facts: Facts) -> dict[str, Any]:
    data = plot.data("item_consensus", facts.found, max_samples=ITEM_SAMPLES)
    return {
        "size": int(data["labels"].size),
        "values": _bytes(data["items"]),
        "cluster": data["labels"].tolist(),
        "name": [facts.name(i) for i in data["samples"]],
    }


def _silhouette(facts: Facts) -> dict[str, Any] | None:
    if facts.n_clusters == 1:
        return None
    data = plot.data("silhouette", facts.found, facts.X, max_samples=SILHOUETTE_SAMPLES)
    return {
        "width": _milli(data["width"]),
        "cluster": data["labels"].tolist(),
        "name": [facts.name(i) for i in data["samples"]],
        "mean": round(data["mean"], 3),
        "of": "consensus" if facts.X is None else "distances in the data",
    }


def _members(facts: Facts) -> dict[str, Any]:
    table = facts.found.members
    return {
        "name": [str(name) for name in table["name"]],
        "quality": _milli(table["quality"]),
        "diversity": _milli(table["diversity"]),
        "clusters": table["n_clusters"].tolist(),
    }


def _agreement(facts: Facts) -> dict[str, Any]:
    data = plot.data("member_agreement", facts.found)
    M = len(data["members"])
    # if there are too many, an even selection in dendrogram order
    shown = np.unique(np.linspace(0, M - 1, min(M, HEATMAP_MEMBERS)).astype(int))
    names = facts.found.members["name"]
    return {
        "size": int(shown.size),
        "values": _bytes(data["nmi"][np.ix_(shown, shown)]),
        "name": [str(names[m]) for m in data["members"][shown]],
        "all": M,
    }


def _alluvial(facts: Facts) -> list[dict[str, Any]]:
    """Return where the clusters of each member go, for as many members as fit."""
    ensemble, k = facts.found.ensemble, facts.n_clusters
    counts = cluster_counts(ensemble, facts.found.labels).astype(np.int64)  # (C, k)
    names = facts.found.members["name"]
    best = np.argsort(-facts.found.members["quality"], kind="stable")
    shown, cells = [], 0
    for j in best.tolist():
        table = counts[ensemble.offsets[j] : ensemble.offsets[j + 1]]
        cells += table.size
        if shown and cells > ALLUVIAL_CELLS:
            break
        place = table @ np.arange(k) / np.maximum(table.sum(axis=1), 1)
        order = np.argsort(place, kind="stable")
        shown.append(
            {
                "name": str(names[j]),
                "member": j,
                "clusters": order.tolist(),
                "table": table[order].tolist(),
            }
        )
    return shown


def _paced(facts: Facts) -> dict[str, Any]:
    data = plot.data("self_paced_weights", facts.found)
    return {
        "clusters": [_milli(stage) for stage in data["clusters"]],
        "quantiles": [_milli(stage) for stage in data["quantiles"]],
    }


def _choice(choice: Any) -> dict[str, Any]:
    tracked = plot.data("tracking", choice)
    shown = np.arange(tracked["samples"].size)
    if shown.size > TRACKED_SAMPLES:
        shown = draw_samples(np.zeros(shown.size, dtype=np.int64), TRACKED_SAMPLES)
    labels = tracked["labels"][:, shown]
    curves = {name: _rounded(curve) for name, curve in dict(choice.curves).items()}
    curves["p-value"] = _rounded(np.asarray(choice.p_values, dtype=np.float64))
    return {
        "k": np.asarray(choice.k_values).tolist(),
        "chosen": int(choice.n_clusters),
        "curves": curves,
        "votes": {name: int(vote) for name, vote in dict(choice.votes).items()},
        "grid": _milli(choice.cdf_grid),
        "cdf": [_milli(curve) for curve in np.asarray(choice.cdf)],
        "tracking": labels.tolist(),
        "tracked_of": int(tracked["samples"].size),
        "colors": plot.cluster_colors(int(labels.max()) + 1),
    }
