"""Plots of the samples: a map, the silhouette, the self-paced weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._docs import fill_doc
from coterie._validation import has_missing
from coterie.answers import explain
from coterie.answers._facts import data_of
from coterie.ensemble import Ensemble
from coterie.metrics._validity import distance_sums, silhouette_samples
from coterie.plot._places import places_of
from coterie.plot._style import (
    axes,
    cluster_legend,
    color_rows,
    draw_samples,
    said,
    tidy,
)

_TILE = 512


def sample_map_data(
    source: Any,
    X: Any = None,
    *,
    coordinates: Any = None,
    max_samples: int = 2000,
) -> dict[str, Any]:
    """Return position, cluster and confidence of the samples.

    ``x``, ``y``, ``labels``, ``confidence`` and ``samples``, (n,) each; ``axes``, the
    names of x and y; ``n_samples``, the number before subsampling.
    """
    found = explain(source)
    chosen = draw_samples(found.labels, max_samples)
    places, names = places_of(found, X, coordinates, chosen)
    return {
        "x": places[:, 0],
        "y": places[:, 1],
        "labels": found.labels[chosen],
        "confidence": found.samples["confidence"][chosen],
        "samples": chosen,
        "axes": names,
        "n_samples": found.labels.size,
    }


@fill_doc
def sample_map(
    source: Any,
    X: Any = None,
    *,
    coordinates: Any = None,
    max_samples: int = 2000,
    ax: Any = None,
) -> Any:
    """Draw the samples in the plane, coloured by cluster and sized by confidence.

    Samples that the members keep together lie near each other: the map is t-SNE [1]_
    of the share of members that separate two samples. It shows which clusters are
    close and where they break up; gaps and areas have no scale.

    Parameters
    ----------
    %(plot_source)s
    X : array, default=None
        The data, for ``coordinates="pca"``.
    coordinates : (n_samples, 2) array or "pca", default=None
        Coordinates of your own, such as a UMAP embedding; or "pca", the two leading
        principal components of X, without X those of the members' labels, with jitter
        for samples with the same labels. None maps the members' agreement.
    max_samples : int, default=2000
        Larger data are subsampled to this size, in proportion from each cluster.
    %(plot_ax)s

    References
    ----------
    .. [1] L. van der Maaten, G. Hinton, "Visualizing Data using t-SNE", Journal of
       Machine Learning Research 9, 2579-2605, 2008.

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.sample_map(model, ax=Figure().subplots()).get_title()
    'Samples, sized by confidence'
    """
    data = sample_map_data(source, X, coordinates=coordinates, max_samples=max_samples)
    ax = axes(ax, (6.4, 5.0))
    k = int(explain(source).labels.max()) + 1
    n = data["labels"].size
    largest = np.clip(20000 / max(n, 1), 12, 60)
    ax.scatter(
        data["x"],
        data["y"],
        c=color_rows(cluster_colors(k), data["labels"]),
        s=largest * (0.15 + 0.85 * data["confidence"]),
        alpha=0.75,
        linewidths=0,
    )
    cluster_legend(ax, k)
    ax.set(xlabel=data["axes"][0], ylabel=data["axes"][1])
    title = f"Samples, sized by confidence{said(n, data['n_samples'])}"
    ax.set_title(title, fontsize=11)
    return tidy(ax)


def silhouette_data(
    source: Any, X: Any = None, *, max_samples: int = 2000
) -> dict[str, Any]:
    """Return how much nearer samples are to their own cluster than to the next.

    ``width`` (n,), in [-1, 1], sorted by cluster and descending within each; ``labels``
    (n,); ``samples`` (n,), their indices; ``mean``; ``n_samples``, the number before
    subsampling.
    """
    found = explain(source)
    chosen = draw_samples(found.labels, max_samples)
    labels = found.labels[chosen]
    if X is None:
        part = Ensemble(list(found.ensemble.labels[chosen].T))
        squares: Any = (1.0 - part.coassociation().astype(np.float64)) ** 2
        sums = distance_sums([(slice(None), squares)], labels)
    else:
        sums = distance_sums(_tiles(data_of(found, X, "silhouette")[chosen]), labels)
    width = silhouette_samples(sums)
    order = np.lexsort((-width, labels))
    return {
        "width": width[order],
        "labels": labels[order],
        "samples": chosen[order],
        "mean": float(width.mean()),
        "n_samples": found.labels.size,
    }


def _tiles(X: Any) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield squared distances, by the values that both samples have."""
    from sklearn.metrics.pairwise import euclidean_distances, nan_euclidean_distances

    some = nan_euclidean_distances if has_missing(X) else euclidean_distances
    for start in range(0, X.shape[0], _TILE):
        part = slice(start, start + _TILE)
        squares = some(X[part], X, squared=True)
        if has_missing(squares):  # nothing in common: as far as others on average
            squares[np.isnan(squares)] = np.nanmean(squares)
        yield part, squares


@fill_doc
def silhouette(
    source: Any, X: Any = None, *, max_samples: int = 2000, ax: Any = None
) -> Any:
    """Draw how much nearer each sample is to its own cluster than to the next.

    Parameters
    ----------
    %(plot_source)s
    X : array, default=None
        The data, for Euclidean distances; None uses one minus the consensus matrix.
    max_samples : int, default=2000
        Larger data are subsampled to this size, in proportion from each cluster.
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.silhouette(model, X, ax=Figure().subplots()).get_title()
    'Silhouette'
    """
    data = silhouette_data(source, X, max_samples=max_samples)
    ax = axes(ax, (5.6, 5.2))
    n = data["labels"].size
    k = int(explain(source).labels.max()) + 1
    gap = max(1, n // 60)
    for cluster, color in enumerate(cluster_colors(k)):
        at = np.flatnonzero(data["labels"] == cluster)
        if at.size:
            y = at + cluster * gap
            ax.barh(y, data["width"][at], 1.0, color=color)
            ax.text(-0.01, y.mean(), str(cluster), ha="right", va="center", fontsize=8)
    ax.axvline(data["mean"], color="#333333", linestyle="--", linewidth=1)
    ax.text(
        data["mean"],
        1.005,
        f"mean {data['mean']:.2f}",
        transform=ax.get_xaxis_transform(),
        ha="center",
        fontsize=8,
    )
    ax.set_ylim(-gap, n + k * gap)
    ax.invert_yaxis()
    of = "consensus" if X is None else "distances"
    ax.set(yticks=[], xlabel=f"silhouette width (of {of})", ylabel="cluster")
    ax.yaxis.set_label_coords(-0.04, 0.5)
    ax.set_title(f"Silhouette{said(n, data['n_samples'])}", fontsize=11, pad=14)
    return tidy(ax, grid="x")


def self_paced_weights_data(source: Any) -> dict[str, np.ndarray]:
    """Return how the weights of the samples' pairs grow from stage to stage.

    ``mean_weight`` (stages, N), the mean weight of a sample's pairs; ``clusters``
    (stages, k), its mean over each cluster; ``quantiles`` (stages, 3), the 10%, 50% and
    90% quantiles over the samples.
    """
    found = explain(source)
    weight = found.details.get("mean_weight")
    if weight is None:
        raise ValueError(
            "self_paced_weights needs the stages of SPCE, which this result does not "
            "have. Fit coterie.SPCE, or combine with consensus='spce'."
        )
    sizes = np.bincount(found.labels)
    means = [np.bincount(found.labels, stage) / sizes for stage in weight]
    return {
        "mean_weight": weight,
        "clusters": np.array(means),
        "quantiles": np.quantile(weight, [0.1, 0.5, 0.9], axis=1).T,
    }


@fill_doc
def self_paced_weights(source: Any, *, ax: Any = None) -> Any:
    """Draw how the weights of the samples' pairs grow from stage to stage.

    Parameters
    ----------
    source : fitted system or Explanation
        From SPCE, or from ``combine(..., consensus="spce", return_result=True)``.
    %(plot_ax)s

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from coterie import SPCE, plot
    >>> model = SPCE(3, random_state=0).fit(load_iris().data)
    >>> plot.self_paced_weights(model, ax=Figure().subplots()).get_title()
    'Self-paced weights (grey: 80% of the samples)'
    """
    data = self_paced_weights_data(source)
    ax = axes(ax, (6.0, 4.0))
    low, _, high = data["quantiles"].T
    stages = np.arange(1, len(low) + 1)
    ax.fill_between(stages, low, high, color="#e3e3e3", label="80% of the samples")
    k = data["clusters"].shape[1]
    for cluster, color in enumerate(cluster_colors(k)):
        ax.plot(stages, data["clusters"][:, cluster], "o-", color=color, markersize=4)
    cluster_legend(ax, k)
    ax.set_xticks(stages)
    ax.set(xlabel="stage (disputed pairs are admitted gradually)")
    ax.set(ylabel="mean weight of a sample's pairs", ylim=(0, 1.05))
    ax.set_title("Self-paced weights (grey: 80% of the samples)", fontsize=11)
    return tidy(ax, grid="y")
