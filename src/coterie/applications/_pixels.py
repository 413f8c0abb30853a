"""Images as arrays of channels: what may come in, and how large ones are reduced."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from coterie._validation import require

_STRIP = 2**22  # values to hold as floats at a time
_FEW, _FAR = 0.1, 3.0  # percent of the values at each end; times the range of others


@dataclass(frozen=True, eq=False)
class Picture:
    """An image or a volume, reduced to the size at which it is segmented.

    Attributes
    ----------
    shape : tuple of int
        The size of the original: (height, width) or (depth, height, width).
    channels : (..., n_channels) float64 array
        The reduced image, from 0 to 1.
    visible : (...) bool array
        False where the reduced image is fully transparent.
    """

    shape: tuple[int, ...]
    channels: np.ndarray
    visible: np.ndarray

    @property
    def is_rgb(self) -> bool:
        """Whether the channels are red, green and blue."""
        return self.channels.shape[-1] == 3

    def rgb(self) -> np.ndarray:
        """Return the reduced image as RGB; a stack is shown by its first channels."""
        last = self.channels.shape[-1]
        return self.channels[..., [0, 1, 2] if last >= 3 else [0, 0, 0]]


def read_pixels(image: Any, channel_axis: Any = "auto") -> tuple[np.ndarray, bool]:
    """Return an image with the channels last, and whether the last is opacity."""
    if isinstance(image, str | Path):
        raise ValueError(
            f"segment_image expects an array of pixels, got the text {str(image)!r}. "
            "Read the file first, for example by skimage.io.imread."
        )
    if isinstance(image, np.ma.MaskedArray) and np.ma.is_masked(image):
        raise ValueError(
            "segment_image expects pixels without a mask. Pass "
            "image.astype(float).filled(numpy.nan): pixels that are NaN belong to no "
            "segment."
        )
    pixels = np.asarray(image)
    if pixels.dtype.kind not in "biuf":
        raise ValueError(
            f"segment_image expects an image of numbers, got {pixels.dtype}."
        )
    has_alpha = False
    if channel_axis == "auto":
        has_channels = pixels.ndim == 3 and pixels.shape[2] in (1, 3, 4)
        if pixels.ndim != 2 and not has_channels:
            raise ValueError(
                "segment_image expects an array of shape (height, width), (height, "
                f"width, 3) or (height, width, 4), got shape {pixels.shape}. Pass "
                "channel_axis=-1 if the last axis holds channels, or "
                "channel_axis=None if this is a volume."
            )
        channel_axis = -1 if has_channels else None
        has_alpha = has_channels and pixels.shape[2] == 4
    if channel_axis is None:
        pixels = pixels[..., None]
    elif channel_axis in range(-pixels.ndim, pixels.ndim):
        pixels = np.moveaxis(pixels, int(channel_axis), -1)
    else:
        raise ValueError(
            'segment_image expects channel_axis as "auto", None or the number of an '
            f"axis of the image, which has {pixels.ndim}; got {channel_axis!r}."
        )
    if pixels.ndim not in (3, 4) or pixels.size == 0:
        raise ValueError(
            "segment_image expects an image or a volume with at least one pixel, got "
            f"shape {np.shape(image)}."
        )
    return pixels, has_alpha


def reduced(pixels: np.ndarray, n_pixels: int, has_alpha: bool) -> Picture:
    """Reduce an image to about ``n_pixels`` pixels with values from 0 to 1.

    Pixels of NaN are not visible; a reduced pixel is if half of its pixels are.
    """
    shape = pixels.shape[:-1]
    shrink = max(1.0, (math.prod(shape) / n_pixels) ** (1 / len(shape)))
    small = tuple(max(1, round(side / shrink)) for side in shape)
    values = _shrunk(pixels, small, int(shrink))
    visible = np.ones(small, dtype=bool)
    if np.isnan(values).any():
        seen = np.asarray(~np.isnan(pixels).any(axis=-1, keepdims=True))
        share = _shrunk(seen, small, int(shrink))
        values = _shrunk(np.where(seen, pixels, 0.0), small, int(shrink))
        visible = share[..., 0] >= 0.5
        values = values / np.where(visible[..., None], share, 1.0)
        values[~visible] = values[visible].mean(axis=0) if visible.any() else 0.0
    if not np.isfinite(values).all():
        raise ValueError(
            "segment_image expects finite pixels, got infinite ones. Replace them "
            "first, for example by numpy.nan for pixels without data."
        )
    if has_alpha:
        values, visible = values[..., :3], visible & (values[..., 3] > 0)
    return Picture(shape, _from_0_to_1(values, pixels.dtype), visible)


def _shrunk(pixels: np.ndarray, small: tuple[int, ...], factor: int) -> np.ndarray:
    """Return pixels as floats at a smaller size: means of blocks, then interpolated."""
    values = _block_means(pixels, factor)
    if values.shape[:-1] == small:
        return values
    transform = require("skimage.transform")
    return transform.resize(values, small, anti_aliasing=True)


def _block_means(pixels: np.ndarray, factor: int) -> np.ndarray:
    """Average blocks of pixels, some rows at a time; a remainder is left out."""
    if factor == 1:
        return pixels.astype(np.float64)
    inner = [max(1, side // factor) for side in pixels.shape[:-1]]
    steps = [min(factor, side) for side in pixels.shape[:-1]]
    means = np.empty((*inner, pixels.shape[-1]))
    per_row = steps[0] * math.prod(pixels.shape[1:])
    n_rows = max(1, _STRIP // per_row)
    for start in range(0, inner[0], n_rows):
        stop = min(start + n_rows, inner[0])
        strip = pixels[start * steps[0] : stop * steps[0]]
        strip = strip[
            tuple(
                slice(n * s)
                for n, s in zip((stop - start, *inner[1:]), steps, strict=True)
            )
        ].astype(np.float64)
        for axis, step in enumerate(steps):
            firsts = np.arange(0, strip.shape[axis], step)
            strip = np.add.reduceat(strip, firsts, axis=axis)
        means[start:stop] = strip / math.prod(steps)
    return means


def _from_0_to_1(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Scale bytes by 255 and floats in [0, 1] not at all; stretch everything else.

    Grey and colours are stretched together, the channels of a stack one by one. A few
    values far from all others, such as hot pixels, do not count.
    """
    if dtype == np.uint8:
        return values / 255.0
    is_unit = dtype.kind == "f" and values.min() >= 0 and values.max() <= 1
    if dtype.kind == "b" or is_unit:
        return values
    axes = None if values.shape[-1] <= 3 else tuple(range(values.ndim - 1))
    low, high = values.min(axis=axes), values.max(axis=axes)
    usual_low, usual_high = np.percentile(values, (_FEW, 100 - _FEW), axis=axes)
    spread = usual_high - usual_low
    is_far = (high - low > _FAR * spread) & (spread > 0)
    low, high = np.where(is_far, usual_low, low), np.where(is_far, usual_high, high)
    found = (values - low) / np.where(high > low, high - low, 1.0)
    return np.clip(found, 0.0, 1.0)


def enlarged(labels: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Enlarge a label map; the outlines between pixels of an image are interpolated."""
    if labels.shape == shape:
        return labels
    if labels.ndim != 2:
        return repeated(labels, shape)
    found = np.empty(shape, dtype=labels.dtype)
    rows, row_share = _between(labels.shape[0], shape[0])
    columns, column_share = _between(labels.shape[1], shape[1])
    n_rows = max(1, _STRIP // shape[1])
    for start in range(0, shape[0], n_rows):
        part = slice(start, min(start + n_rows, shape[0]))
        low, high = rows[part][0], rows[part][-1] + 2
        window = labels[low:high]
        best = np.full((part.stop - start, shape[1]), -1.0, dtype=np.float32)
        for label in np.unique(window):
            here = (window == label).astype(np.float32)
            below = _blend(here, rows[part] - low, row_share[part], axis=0)
            share = _blend(below, columns, column_share, axis=1)
            better = share > best
            best[better] = share[better]
            found[part][better] = label
    return found


def repeated(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Enlarge a map by giving each pixel the value of the nearest one."""
    places = [
        ((np.arange(n_large) + 0.5) * n_small / n_large).astype(np.intp)
        for n_small, n_large in zip(values.shape, shape, strict=True)
    ]
    return values[np.ix_(*places)]


def _between(n_small: int, n_large: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pixel before each of the large image's, and the share of the next."""
    places = (np.arange(n_large) + 0.5) * n_small / n_large - 0.5
    places = np.clip(places, 0, n_small - 1)
    before = np.minimum(places.astype(np.intp), max(n_small - 2, 0))
    return before, (places - before).astype(np.float32)


def _blend(
    values: np.ndarray, before: np.ndarray, share: np.ndarray, axis: int
) -> np.ndarray:
    after = np.minimum(before + 1, values.shape[axis] - 1)
    share = share[:, None] if axis == 0 else share
    return values.take(before, axis) * (1 - share) + values.take(after, axis) * share
