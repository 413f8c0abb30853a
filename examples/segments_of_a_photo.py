"""
Segments of a photo
===================

A photo is segmented in more than a hundred ways; what they agree on are the segments.
Beside it, what people use: k-means, SLIC and Felzenszwalb's method.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
from skimage import color, data, measure
from skimage.segmentation import felzenszwalb, slic
from sklearn.cluster import KMeans

from coterie.applications import outlined, segment_image

photos = {"coffee": data.coffee()[::2, ::2], "astronaut": data.astronaut()[::2, ::2]}

# %%
# The consensus needs no number of segments and no seed. The others need a number or a
# scale; these are common choices.


def k_means(photo):
    """Cluster pixels by colour and place."""
    where = np.indices(photo.shape[:2]).reshape(2, -1).T / max(photo.shape)
    points = np.hstack([color.rgb2lab(photo).reshape(-1, 3) / 100, 0.5 * where])
    return KMeans(8, n_init=3, random_state=0).fit_predict(points)


methods = {
    "k-means, 8": lambda photo: k_means(photo).reshape(photo.shape[:2]),
    "SLIC, 30": lambda photo: slic(photo, n_segments=30, start_label=0),
    "Felzenszwalb, 400": lambda photo: felzenszwalb(photo, scale=400),
    "consensus": lambda photo: segment_image(photo).labels,
}
figure, axes = plt.subplots(2, 4, figsize=(13, 6), layout="constrained")
for row, (name, photo) in zip(axes, photos.items(), strict=True):
    for axis, (method, segment) in zip(row, methods.items(), strict=True):
        start = time.perf_counter()
        labels = segment(photo)
        seconds = time.perf_counter() - start
        k = len(np.unique(labels))
        n_pieces = measure.label(labels, background=-1).max()
        print(f"{name}: {method}: {k} segments in {n_pieces} pieces, {seconds:.2f} s")
        axis.imshow(outlined(photo, labels))
        axis.set_title(f"{method} ({seconds:.2f} s)", size=11)
        axis.set_axis_off()

# %%
# Where the members disagree, the confidence is low (dark). Segments are connected, and
# ``min_size`` sets how small they may be.

found = segment_image(photos["coffee"])
coarse = segment_image(photos["coffee"], 4)
shown = {
    "segments in their mean colours": found.colors[found.labels],
    "confidence": found.confidence,
    "four segments": coarse.colors[coarse.labels],
}
figure, axes = plt.subplots(1, 3, figsize=(13, 3.2), layout="constrained")
for axis, (name, image) in zip(axes, shown.items(), strict=True):
    axis.imshow(image, cmap="gray", vmin=0)
    axis.set_title(name, size=11)
    axis.set_axis_off()
