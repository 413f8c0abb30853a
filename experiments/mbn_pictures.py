"""Segments of two sample photos beside those of k-means and mean-shift (Fig. 8).

``python -m experiments.mbn_pictures`` writes ``docs/images/segments_*.png``: the photo,
k-means, mean-shift of bandwidth 0.2, and fMBN-E; 8 segments where a number is asked.
"""

import time
from pathlib import Path

import numpy as np
from PIL import Image
from skimage import data
from skimage.transform import resize
from sklearn.cluster import KMeans, MeanShift

from coterie.applications import segment_image

FOLDER = Path(__file__).parents[1] / "docs" / "images"
PHOTOS = {"coffee": data.coffee, "astronaut": data.astronaut}
WIDTH, GAP, N_SEGMENTS = 300, 6, 8


def panels(photo: np.ndarray) -> list[np.ndarray]:
    clusterers = {
        "k-means": KMeans(N_SEGMENTS, n_init=10, random_state=0),
        "mean-shift": MeanShift(bandwidth=0.2, bin_seeding=True),
        "fMBN-E": None,
    }
    shown = [photo]
    for name, clusterer in clusterers.items():
        start = time.perf_counter()
        found = segment_image(photo, N_SEGMENTS, method="mbn", clusterer=clusterer)
        seconds = time.perf_counter() - start
        print(f"  {name}: {found.n_segments} segments, {seconds:.1f} s", flush=True)
        shown.append(found.colors[found.labels])
    return shown


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, load in PHOTOS.items():
        photo = load()
        height = round(photo.shape[0] * WIDTH / photo.shape[1])
        photo = resize(photo, (height, WIDTH), anti_aliasing=True)
        photo = (photo * 255).round().astype(np.uint8)
        print(name, flush=True)
        gap = np.full((height, GAP, 3), 255, dtype=np.uint8)
        row: list[np.ndarray] = []
        for panel in panels(photo):
            row += [panel, gap]
        picture = Image.fromarray(np.hstack(row[:-1])).quantize(128)
        path = FOLDER / f"segments_{name}.png"
        picture.save(path, optimize=True)
        print(f"  {path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
