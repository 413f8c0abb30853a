"""Segments of an image, found by bootstrap networks on colours and positions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from coterie._display import count, table
from coterie._docs import fill_doc
from coterie._typing import LABEL_DTYPE, Progress
from coterie._validation import require
from coterie.choice._auto import AUTO
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.systems import MBNEnsemble
from coterie.systems._doubts import quiet


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Segments of an image.

    Attributes
    ----------
    labels : (height, width) int32 array
        The segment of each pixel, numbered by first appearance.
    colors : (n_segments, 3) uint8 array
        The mean colour of each segment.
    work_shape : (int, int)
        The size at which the image was clustered.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import segment_image
    >>> photo = np.zeros((8, 12, 3))
    >>> photo[:, 6:] = 1.0
    >>> found = segment_image(photo, n_segments=2)
    >>> found.labels.shape, found.n_segments
    ((8, 12), 2)
    """

    labels: np.ndarray
    colors: np.ndarray
    work_shape: tuple[int, int]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.colors)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each segment.

        ``segment``; ``pixels``; ``share`` of the image; ``color``, its mean as #rrggbb.
        """
        import pandas

        return pandas.DataFrame(self._columns())

    def _columns(self) -> dict[str, Any]:
        sizes = np.bincount(self.labels.ravel())
        return {
            "segment": np.arange(self.n_segments),
            "pixels": sizes,
            "share": sizes / self.labels.size,
            "color": [f"#{bytes(color).hex()}" for color in self.colors],
        }

    def __repr__(self) -> str:
        height, width = self.labels.shape
        title = (
            f"Segmentation: {count(self.n_segments, 'segment')} of {height:,} x "
            f"{width:,} pixels"
        )
        return "\n".join([title, *table(self._columns(), self.n_segments)])


@fill_doc
def segment_image(
    image: Any,
    n_segments: int | str = 8,
    *,
    n_pixels: int = 4000,
    spatial: float = 0.5,
    smooth: float = 0.5,
    clusterer: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Segmentation:
    """Partition an image into segments of similar colour and position.

    The image is shrunk, each pixel becomes a point with three colours (CIELAB) and two
    coordinates, and the points are clustered by an ensemble of bootstrap networks and
    k-means [1]_. Each pixel of the full image takes the segment of the nearest point,
    and then that of the majority around it.

    Parameters
    ----------
    image : (height, width), (height, width, 3) or (height, width, 4) array
        Grey or RGB, as bytes or as floats in [0, 1]; a fourth channel is ignored.
    n_segments : int or "auto", default=8
        Number of segments; "auto" leaves it to :func:`~coterie.choose_k`, which may
        choose one. A segment is a cluster of pixels; it need not be connected.
    n_pixels : int, default=4000
        Approximate number of pixels to cluster.
    spatial : float, default=0.5
        Weight of the coordinates: the longer side counts as much as this fraction of
        the difference between black and white.
    smooth : float, default=0.5
        Size of the neighbourhood for the majority vote: the width of a Gaussian, in
        pixels of the shrunk image. It removes specks and smooths outlines; 0 turns it
        off.
    clusterer : scikit-learn clusterer or None, default=None
        What clusters the points; None is :class:`~coterie.MBNEnsemble` with k-means,
        10 networks of 100 clusterings.
    random_state : int, RandomState, Generator, SeedSequence or None, default=0
        Makes the result reproducible.
    n_jobs : int or None, default=None
        Networks grown in parallel; -1 = all cores.
    progress : bool, function of (done, total) or None, default=None
        True shows a progress bar.

    Returns
    -------
    Segmentation
        The segment of each pixel, and the colours of the segments.

    Notes
    -----
    The paper reduces the sides of an image to a seventh and does not say how colours
    and coordinates are scaled. Here the lightness runs from 0 to 1, the other two
    colours on the same scale. Smoothing is ours; it may remove a segment that is thin
    everywhere.

    References
    ----------
    %(paper:zhang2021fmbne)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import segment_image
    >>> image = np.zeros((20, 30, 3), dtype=np.uint8)
    >>> image[:, 15:] = 255
    >>> segment_image(image, n_segments=2, spatial=0.1).labels[0, [0, 14, 15, 29]]
    array([0, 0, 1, 1], dtype=int32)
    """
    rgb = _as_rgb(image)
    is_number = isinstance(n_segments, Integral) and 1 <= int(n_segments) <= n_pixels
    if not is_number and n_segments != AUTO:
        raise ValueError(
            "segment_image expects n_segments as a whole number from 1 to n_pixels="
            f'{n_pixels}, or "auto"; got {n_segments!r}.'
        )
    if not smooth >= 0:
        raise ValueError(
            f"segment_image expects smooth of at least zero, got {smooth!r}."
        )
    transform = require("skimage.transform")
    height, width = rgb.shape[:2]
    shrink = max(1.0, math.sqrt(height * width / n_pixels))
    small = max(1, round(height / shrink)), max(1, round(width / shrink))
    work = rgb
    if small != (height, width):
        work = transform.resize(rgb, small, anti_aliasing=True)
    if clusterer is None:
        clusterer = MBNEnsemble(
            n_segments,
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
    if smooth > 0:
        labels = _smoothed(labels.reshape(height, width), smooth * shrink).ravel()
    labels = relabel_by_appearance(labels).astype(LABEL_DTYPE)
    return Segmentation(labels.reshape(height, width), _colors(rgb, labels), small)


def outlined(image: Any, labels: np.ndarray) -> np.ndarray:
    """Draw the outlines of its segments into an image.

    Parameters
    ----------
    image : (height, width), (height, width, 3) or (height, width, 4) array
        As in :func:`segment_image`.
    labels : (height, width) int array
        The segment of each pixel.

    Returns
    -------
    (height, width, 3) uint8 array
        The image, outlines in yellow.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import outlined
    >>> labels = np.repeat([[0, 0, 1, 1]], 3, axis=0)
    >>> outlined(np.zeros((3, 4)), labels)[0]
    array([[  0,   0,   0],
           [255, 255,   0],
           [255, 255,   0],
           [  0,   0,   0]], dtype=uint8)
    """
    segmentation = require("skimage.segmentation")
    drawn = segmentation.mark_boundaries(_as_rgb(image), labels, mode="thick")
    return (drawn * 255).round().astype(np.uint8)


def _as_rgb(image: Any) -> np.ndarray:
    """Return an image as RGB floats in [0, 1]."""
    pixels = np.asarray(image)
    fits = pixels.ndim == 2 or (pixels.ndim == 3 and pixels.shape[2] in (1, 3, 4))
    if not fits or pixels.size == 0:
        raise ValueError(
            "An image is expected as an array of shape (height, width), (height, "
            f"width, 3) or (height, width, 4), got shape {pixels.shape}."
        )
    if pixels.dtype == np.uint8:
        pixels = pixels / 255.0
    elif pixels.dtype == bool:
        pixels = pixels.astype(np.float64)
    elif pixels.dtype.kind != "f" or not (pixels.min() >= 0 and pixels.max() <= 1):
        raise ValueError(
            "An image is expected as bytes (uint8) or floats in [0, 1], got "
            f"{pixels.dtype} from {pixels.min()} to {pixels.max()}."
        )
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    if pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    return np.ascontiguousarray(pixels[:, :, :3], dtype=np.float64)


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


def _colors(rgb: np.ndarray, labels: np.ndarray) -> np.ndarray:
    flat = rgb.reshape(-1, 3)
    counts = np.bincount(labels)
    sums = [np.bincount(labels, weights=channel) / counts for channel in flat.T]
    return (np.stack(sums, axis=1) * 255).round().astype(np.uint8)
