"""Segments found by bootstrap networks on colours and positions, as in the paper."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coterie._typing import Progress
from coterie._validation import require
from coterie.applications._pixels import Picture
from coterie.choice._auto import AUTO
from coterie.systems import MBNEnsemble
from coterie.systems._doubts import quiet

N_PIXELS = 4000  # to cluster, about


def segments_by_networks(
    picture: Picture,
    n_segments: int | None,
    *,
    spatial: float,
    smooth: float,
    clusterer: Any,
    random_state: Any,
    n_jobs: int | None,
    progress: Progress,
) -> np.ndarray:
    """Return the segment of each pixel of the picture."""
    transform = require("skimage.transform")
    rgb = picture.rgb()
    height, width = rgb.shape[:2]
    shrink = max(1.0, math.sqrt(height * width / N_PIXELS))
    small = max(1, round(height / shrink)), max(1, round(width / shrink))
    work = rgb
    if small != (height, width):
        work = transform.resize(rgb, small, anti_aliasing=True)
    if clusterer is None:
        clusterer = MBNEnsemble(
            AUTO if n_segments is None else n_segments,
            n_members=10,
            delta_draw="stratified",
            n_clusterings=100,
            partition="kmeans",
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
        quiet(clusterer)  # colour and place are all there is
    points = _points(work, spatial)
    found = np.asarray(clusterer.fit_predict(points))
    labels = found if work is rgb else found[_nearest(points, _points(rgb, spatial))]
    labels = labels.reshape(height, width)
    return _smoothed(labels, smooth * shrink) if smooth > 0 else labels


def _points(rgb: np.ndarray, spatial: float) -> np.ndarray:
    """Return colours and coordinates of the pixels, (height * width, 5)."""
    color = require("skimage.color")
    height, width = rgb.shape[:2]
    lab = color.rgb2lab(rgb).reshape(-1, 3) / 100.0
    scale = spatial / max(height, width)
    rows, columns = np.mgrid[:height, :width]
    where = np.column_stack([rows.ravel() + 0.5, columns.ravel() + 0.5]) * scale
    return np.hstack([lab, where])


def _nearest(points: np.ndarray, queries: np.ndarray) -> np.ndarray:
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(points).query(queries)[1])


def _smoothed(labels: np.ndarray, width: float) -> np.ndarray:
    """Give each pixel the segment of the majority around it."""
    from scipy.ndimage import gaussian_filter

    best = np.zeros(labels.shape, dtype=np.float32)
    winner = labels.copy()
    for segment in np.unique(labels):
        share = gaussian_filter((labels == segment).astype(np.float32), width)
        better = share > best
        winner[better], best[better] = segment, share[better]
    return winner
