"""
Segments of a photo
===================

Each pixel is a sample with three colours and two coordinates. Networks of
nearest-neighbour clusterings (MBN) find regions that follow objects.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage import data
from skimage.transform import resize
from sklearn.cluster import KMeans

from coterie.applications import outlined, segment_image

photo = resize(data.coffee(), (160, 240), anti_aliasing=True)
photo = (photo * 255).astype(np.uint8)

# %%
# Six segments, found by networks and by k-means on the same colours and coordinates.

found = segment_image(photo, n_segments=6, n_pixels=1500)
plain = segment_image(photo, 6, clusterer=KMeans(6, n_init=10, random_state=0))
for name, one in (("networks", found), ("k-means", plain)):
    sizes = np.bincount(one.labels.ravel()) / one.labels.size
    print(f"{name}: {one.n_segments} segments, {', '.join(f'{s:.0%}' for s in sizes)}")

# %%
# The cup, the spoon and the table, with their outlines.

shown = {
    "the photo": photo,
    "networks: outlines": outlined(photo, found.labels),
    "networks: mean colours": found.colors[found.labels],
    "k-means: mean colours": plain.colors[plain.labels],
}
figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
for axis, (name, image) in zip(axes.flat, shown.items(), strict=True):
    axis.imshow(image)
    axis.set_title(name, size=11)
    axis.set_axis_off()
