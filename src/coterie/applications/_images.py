"""Segments of an image."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from coterie._display import count, table
from coterie._docs import fill_doc
from coterie._typing import LABEL_DTYPE, Progress
from coterie._validation import require
from coterie.applications._mbn_segments import segments_by_networks
from coterie.applications._pixels import (
    Picture,
    enlarged,
    read_pixels,
    reduced,
    repeated,
)
from coterie.applications._region_consensus import consensus_of_regions
from coterie.ensemble._alignment import relabel_by_appearance

_METHODS = ("consensus", "mbn")
_OUTLINE = 255, 255, 0  # yellow
_MOST_SUPERPIXELS = 10_000  # their neighbourhoods take the square of it in bytes


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Segments of an image.

    Attributes
    ----------
    labels : (height, width) or (depth, height, width) int32 array
        The segment of each pixel, numbered by first appearance; -1 where the image is
        fully transparent, or NaN.
    colors : (n_segments, 3) uint8 array
        The mean colour of each segment.
    work_shape : tuple of int
        The size at which the image was segmented.
    work_confidence : array of that size, or None
        How sure each pixel's segment is; None with ``method="mbn"``.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import segment_image
    >>> photo = np.zeros((8, 12, 3))
    >>> photo[:, 6:] = 1.0
    >>> found = segment_image(photo)
    >>> found.labels.shape, found.n_segments
    ((8, 12), 2)
    >>> found.confidence.shape
    (8, 12)
    """

    labels: np.ndarray
    colors: np.ndarray
    work_shape: tuple[int, ...]
    work_confidence: np.ndarray | None = field(default=None, repr=False)

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.colors)

    @property
    def shares(self) -> np.ndarray:
        """The share of each segment of all pixels, (n_segments,)."""
        return _sizes(self.labels) / self.labels.size

    @property
    def confidence(self) -> np.ndarray | None:
        """How sure each pixel's segment is: a map like ``labels``.

        The agreement of the members with the pixel's own segment, as a share of that
        agreement and of the one with the next best segment: .5 is undecided, 1 is
        certain, and below .5 another segment would agree better. NaN where the image is
        transparent.
        """
        if self.work_confidence is None:
            return None
        return repeated(self.work_confidence, self.labels.shape)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each segment.

        ``segment``; ``pixels``; ``share`` of the image; ``color``, its mean as #rrggbb.
        """
        import pandas

        return pandas.DataFrame(self._columns())

    def _columns(self) -> dict[str, Any]:
        return {
            "segment": np.arange(self.n_segments),
            "pixels": _sizes(self.labels),
            "share": self.shares,
            "color": [f"#{bytes(color).hex()}" for color in self.colors],
        }

    def __repr__(self) -> str:
        size = " x ".join(f"{side:,}" for side in self.labels.shape)
        title = f"Segmentation: {count(self.n_segments, 'segment')} of {size} pixels"
        return "\n".join([title, *table(self._columns(), self.n_segments)])


@fill_doc
def segment_image(
    image: Any,
    n_segments: int | None = None,
    *,
    method: Literal["consensus", "mbn"] = "consensus",
    channel_axis: Any = "auto",
    min_size: float = 0.005,
    n_superpixels: int = 1200,
    n_pixels: int = 40_000,
    spatial: float = 0.5,
    smooth: float = 0.5,
    clusterer: Any = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Segmentation:
    """Partition an image into connected segments, as people would outline them.

    The image is cut into superpixels (SLIC [1]_), and these are grouped in more than a
    hundred ways: by merging neighbours by colour, hue, texture and place in several
    proportions and down to several numbers of regions, by merging them along weak
    borders, and by Felzenszwalb's method [2]_ at several scales. Then neighbouring
    superpixels are merged again, those first on which the members agree most, until the
    rest are apart in most members. Nothing is drawn at random.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, 3) or (height, width, 4)
        Grey, RGB or RGBA, of any type of number: bytes; floats in [0, 1]; everything
        else is stretched from its smallest to its largest value, but for a few that are
        far from all others. Pixels that are NaN or fully transparent belong to no
        segment. With ``channel_axis``, also stacks of any number of
        channels, and volumes.
    n_segments : int or None, default=None
        Number of segments; None chooses. There are fewer if ``min_size`` leaves no room
        for more, and more if transparent parts separate them.
    method : {"consensus", "mbn"}, default="consensus"
        "mbn" clusters colours and places of pixels by bootstrap networks [3]_, for
        images of two dimensions; its segments need not be connected.
    channel_axis : "auto", int or None, default="auto"
        The axis of the channels, such as -1 for a stack of shape (height, width, n);
        None says that there are none, as in a volume (depth, height, width). "auto"
        takes 1, 3 or 4 values in a third axis for channels.
    min_size : float, default=0.005
        The least size of a segment: a share of the visible pixels, or, from 1 on, a
        number of pixels. Smaller ones join the neighbour they agree with most.
    n_superpixels : int, default=1200
        About how many superpixels to make, up to 10,000. More follow finer details.
    n_pixels : int, default=40000
        For "consensus": larger images are reduced to about this number of pixels, and
        their segments enlarged again.
    spatial : float, default=0.5
        For "mbn": weight of the coordinates. The longer side counts as much as this
        fraction of the difference between black and white.
    smooth : float, default=0.5
        For "mbn": size of the neighbourhood for a final majority vote, in pixels of the
        4000 that are clustered; 0 turns it off.
    clusterer : scikit-learn clusterer or None, default=None
        For "mbn": what clusters the points; None is :class:`~coterie.MBNEnsemble` with
        k-means, 10 networks of 100 clusterings.
    random_state : int, RandomState, Generator, SeedSequence or None, default=0
        For "mbn": makes the result reproducible. The consensus needs none.
    n_jobs : int or None, default=None
        For "mbn": networks grown in parallel; -1 = all cores.
    progress : bool, function of (done, total) or None, default=None
        For "mbn": True shows a progress bar.

    Returns
    -------
    Segmentation
        The segment of each pixel, how sure it is, and the colours of the segments.

    Notes
    -----
    The members, their weights and the agreement below which regions stay apart were
    chosen once, by the mean agreement with people's outlines over 20 photos; see
    the page on segments.

    For "mbn", the paper reduces the sides of an image to a seventh and does not say how
    colours and coordinates are scaled. Here the lightness runs from 0 to 1, the other
    two colours on the same scale. Smoothing is ours; it may remove a segment that is
    thin everywhere.

    References
    ----------
    .. [1] R. Achanta et al., "SLIC Superpixels Compared to State-of-the-Art Superpixel
       Methods", IEEE Transactions on Pattern Analysis and Machine Intelligence 34(11),
       2274-2282, 2012. :doi:`10.1109/TPAMI.2012.120`
    .. [2] P. F. Felzenszwalb, D. P. Huttenlocher, "Efficient Graph-Based Image
       Segmentation", International Journal of Computer Vision 59, 167-181, 2004.
       :doi:`10.1023/B:VISI.0000022288.19776.77`
    %(paper3:zhang2021fmbne)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import segment_image
    >>> image = np.zeros((20, 30, 3), dtype=np.uint8)
    >>> image[:, 15:] = 255
    >>> segment_image(image).labels[0, [0, 14, 15, 29]]
    array([0, 0, 1, 1], dtype=int32)
    """
    require("skimage")
    pixels, has_alpha = read_pixels(image, channel_axis)
    _check(n_segments, method, min_size, n_superpixels, n_pixels, smooth)
    if method == "mbn" and pixels.ndim != 3:
        raise ValueError(
            'segment_image expects an image of two dimensions for method="mbn", got '
            f'shape {np.shape(image)}. Use method="consensus" for volumes.'
        )
    most = pixels.size if method == "mbn" else n_pixels  # networks reduce their own way
    picture = reduced(pixels, most, has_alpha)
    confidence = None
    if method == "mbn":
        work = segments_by_networks(
            picture,
            n_segments,
            spatial=spatial,
            smooth=smooth,
            clusterer=clusterer,
            random_state=random_state,
            n_jobs=n_jobs,
            progress=progress,
        )
        work = np.where(picture.visible, work, -1)
    else:
        share = min_size if min_size < 1 else min_size / math.prod(picture.shape)
        found = consensus_of_regions(picture, n_segments, share, n_superpixels)
        work, confidence = found.labels, found.confidence
    work = _numbered(work)
    labels = enlarged(work, picture.shape)
    return Segmentation(labels, _colors(picture, work), work.shape, confidence)


def outlined(image: Any, labels: np.ndarray) -> np.ndarray:
    """Draw the outlines of its segments into an image.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, 3) or (height, width, 4)
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
    pixels, has_alpha = read_pixels(image)
    if pixels.shape[2] == 3 and pixels.dtype == np.uint8:
        drawn = pixels.copy()
    else:
        rgb = reduced(pixels, pixels.size, has_alpha).rgb()
        drawn = (rgb * 255).round().astype(np.uint8)
    labels = np.asarray(labels)
    if labels.shape != drawn.shape[:2]:
        raise ValueError(
            f"outlined expects labels as a map of the image's pixels, {drawn.shape[:2]}"
            f", got {labels.shape}."
        )
    on_outline = np.zeros(labels.shape, dtype=bool)
    for axis in range(2):
        along, on = np.moveaxis(labels, axis, 0), np.moveaxis(on_outline, axis, 0)
        differ = along[1:] != along[:-1]
        on[1:] |= differ
        on[:-1] |= differ
    drawn[on_outline] = _OUTLINE
    return drawn


def _sizes(labels: np.ndarray) -> np.ndarray:
    """Return the pixels in each segment."""
    return np.bincount(labels.ravel() + 1)[1:]


def _check(
    n_segments: Any,
    method: Any,
    min_size: Any,
    n_superpixels: Any,
    n_pixels: Any,
    smooth: Any,
) -> None:
    def whole(value: Any, high: float = math.inf) -> bool:
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        return is_whole and 1 <= int(value) <= high

    wrong = None
    if method not in _METHODS:
        wrong = f"method as one of {', '.join(_METHODS)}", method
    elif n_segments is not None and not whole(n_segments):
        wrong = "n_segments as a whole number from 1 on, or None to choose", n_segments
    elif not (isinstance(min_size, Real) and 0 <= float(min_size) < math.inf):
        wrong = "min_size as a share or a number of pixels", min_size
    elif not whole(n_superpixels, _MOST_SUPERPIXELS):
        wrong = f"n_superpixels from 1 to {_MOST_SUPERPIXELS}", n_superpixels
    elif not whole(n_pixels):
        wrong = "n_pixels as a whole number from 1 on", n_pixels
    elif not (isinstance(smooth, Real) and float(smooth) >= 0):
        wrong = "smooth of at least zero", smooth
    if wrong is not None:
        raise ValueError(f"segment_image expects {wrong[0]}, got {wrong[1]!r}.")


def _numbered(labels: np.ndarray) -> np.ndarray:
    """Return labels numbered by first appearance; -1 stays."""
    numbers = np.full(labels.shape, -1, dtype=LABEL_DTYPE)
    seen = labels >= 0
    if seen.any():
        numbers[seen] = relabel_by_appearance(labels[seen])
    return numbers


def _colors(picture: Picture, labels: np.ndarray) -> np.ndarray:
    seen = labels >= 0
    counts = _sizes(labels)
    channels = picture.rgb()[seen].T
    sums = [np.bincount(labels[seen], channel, counts.size) for channel in channels]
    return (np.stack(sums, axis=1) / counts[:, None] * 255).round().astype(np.uint8)
