"""Felzenszwalb's segmentation of volumes, which scikit-image has for images alone."""

from __future__ import annotations

import numpy as np

from coterie._typing import LABEL_DTYPE


def regions_of_volume(
    values: np.ndarray, scale: float, sigma: float, min_size: int
) -> np.ndarray:
    """Join voxels while their border is no stronger than what is inside [1]_.

    Voxels that share a side are joined, the most alike first, unless they differ by
    more than the largest difference inside one of their regions plus ``scale`` / 255
    divided by its size, as in scikit-image.

    Parameters
    ----------
    values : (depth, height, width, n_channels) array
        From 0 to 1.
    scale : float
        Larger ones give larger regions.
    sigma : float
        Of the Gaussian that smooths the values first, in voxels.
    min_size : int
        Smaller regions join the most similar one that they touch.

    Returns
    -------
    (depth, height, width) int32 array

    References
    ----------
    .. [1] P. F. Felzenszwalb, D. P. Huttenlocher, "Efficient Graph-Based Image
       Segmentation", International Journal of Computer Vision 59, 167-181, 2004.
       :doi:`10.1023/B:VISI.0000022288.19776.77`
    """
    from scipy.ndimage import gaussian_filter

    shape = values.shape[:-1]
    smooth = gaussian_filter(values, (*[sigma] * len(shape), 0.0))
    ids = np.arange(smooth[..., 0].size).reshape(shape)
    ends, differences = [], []
    for axis in range(len(shape)):
        along = np.moveaxis(ids, axis, 0)
        ends.append(np.stack([along[:-1].ravel(), along[1:].ravel()], axis=1))
        steps = np.sqrt((np.diff(smooth, axis=axis) ** 2).sum(axis=-1))
        differences.append(np.moveaxis(steps, axis, 0).ravel())
    found = _joined(
        np.concatenate(ends), np.concatenate(differences), ids.size, scale, min_size
    )
    return found.reshape(shape)


def _joined(
    ends: np.ndarray, differences: np.ndarray, n: int, scale: float, min_size: int
) -> np.ndarray:
    """Return the regions of n voxels, (n,), joined along pairs of neighbours."""
    order = np.argsort(differences, kind="stable")
    pairs = [*zip(*ends[order].T.tolist(), differences[order].tolist(), strict=True)]
    owner = list(range(n))  # lists, as single elements of arrays are slow
    size, most = [1] * n, [scale / 255] * n  # the largest difference that is joined

    def root(voxel: int) -> int:
        while owner[voxel] != voxel:
            owner[voxel] = owner[owner[voxel]]
            voxel = owner[voxel]
        return voxel

    def join(a: int, b: int, difference: float) -> None:
        owner[b] = a
        size[a] += size[b]
        most[a] = difference + scale / 255 / size[a]

    for x, y, difference in pairs:
        a, b = root(x), root(y)
        if a != b and difference <= min(most[a], most[b]):
            join(a, b, difference)
    for x, y, difference in pairs:
        a, b = root(x), root(y)
        if a != b and min(size[a], size[b]) < min_size:
            join(a, b, difference)
    roots = [root(voxel) for voxel in range(n)]
    return np.unique(roots, return_inverse=True)[1].astype(LABEL_DTYPE)
