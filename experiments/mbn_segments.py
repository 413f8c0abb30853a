"""Fig. 8 of the MBN paper with scores: segments of photos whose outlines people drew.

``python -m experiments.mbn segments`` clusters the pixels of the Berkeley photos as the
paper does those of COCO: reduced to some 91 pixels along the longer side, features are
CIELAB colours and coordinates, mean-shift of bandwidth 0.2, and eight clusters of
k-means and of fMBN-E and MBN-SO, whose outputs are clustered by k-means.
"""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from skimage import io, measure
from skimage.transform import resize
from sklearn.cluster import KMeans, MeanShift

from coterie import MBNEnsemble
from coterie.applications._mbn_segments import _points
from coterie.metrics import segment_scores
from experiments._data import data_folder
from experiments._runs import Key, RunLog
from experiments._tables import gain_table, markdown

LONGER_SIDE = 91  # a seventh of the 640 pixels of COCO
N_SEGMENTS = 8
MEASURES = ("ari", "pieces", "k", "seconds")
PLAIN, SHIFT = "k-means", "mean-shift"


def clusterers() -> dict[str, Callable[[], object]]:
    def networks(selection: str | None) -> MBNEnsemble:
        return MBNEnsemble(
            N_SEGMENTS, selection=selection, partition="kmeans", random_state=0
        )

    return {
        SHIFT: lambda: MeanShift(bandwidth=0.2, bin_seeding=True),
        PLAIN: lambda: KMeans(N_SEGMENTS, n_init=10, random_state=0),
        "fMBN-E": lambda: networks(None),
        "MBN-SO": lambda: networks("vrc"),
    }


def run(folder: Path) -> None:
    """Segment each photo by each method."""
    log = RunLog(folder / "mbn_segments.csv", MEASURES)
    for path in sorted((data_folder() / "photos").glob("*.jpg")):
        photo, people = reduced(path)
        for name, clusterer in clusterers().items():
            key = Key("segments", path.stem, name, 0)
            if key not in log:
                start = time.process_time()
                labels = clusterer().fit_predict(_points(photo, 1.0))
                seconds = time.process_time() - start
                found = labels.reshape(photo.shape[:2])
                k = len(np.unique(found))
                n_pieces = measure.label(found, background=-1, connectivity=1).max()
                scores = {
                    "ari": segment_scores(people, found)["ari"],
                    "pieces": n_pieces / k,
                    "k": k,
                    "seconds": seconds,
                }
                log.add(key, {name: scores})
                print(path.stem, name, f"{scores['ari']:.3f}", flush=True)


def reduced(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the small photo, and people's segments of the pixels that are nearest."""
    photo = io.imread(path)
    people = np.load(path.with_suffix(".npz"))["outlines"]
    shrink = LONGER_SIDE / max(photo.shape[:2])
    shape = [round(side * shrink) for side in photo.shape[:2]]
    rows, columns = (
        ((np.arange(few) + 0.5) * many / few).astype(int)
        for few, many in zip(shape, photo.shape[:2], strict=True)
    )
    return resize(photo, shape, anti_aliasing=True), people[:, rows[:, None], columns]


def report(folder: Path) -> str:
    """Return means over photos, and what fMBN-E gains; empty without runs."""
    log = RunLog(folder / "mbn_segments.csv", MEASURES)
    photos = [
        photo
        for photo in sorted({key.dataset for key in log.runs})
        if all(Key("segments", photo, name, 0) in log for name in clusterers())
    ]
    found = {
        name: np.array(
            [
                [log.runs[Key("segments", photo, name, 0)][name][m] for m in MEASURES]
                for photo in photos
            ]
        )
        for name in clusterers()
        if photos
    }
    if not found:
        return ""
    rows = [
        (name, f"{ari:.3f}", f"{pieces:.1f}", f"{k:.1f}", f"{seconds:.1f}")
        for name, table in found.items()
        for ari, pieces, k, seconds in [table.mean(axis=0)]
    ]
    gains = []
    for name in ("fMBN-E", "MBN-SO"):
        for rival in (PLAIN, SHIFT):
            lead = found[name] - found[rival]
            gains.append((f"ARI: {name} instead of {rival}", lead[:, 0]))
            gains.append(
                (f"pieces of a segment: {name} instead of {rival}", lead[:, 1])
            )
    lead = found["fMBN-E"] - found[SHIFT]
    gains.append((f"segments: fMBN-E instead of {SHIFT}", lead[:, 2]))
    head = ("", "ARI with people", "pieces of a segment", "segments", "seconds")
    return (
        f"## Segments of photos (Fig. 8)\n\nThe paper shows pictures. {len(photos)} "
        "photos of the Berkeley set, reduced to 91 pixels along the longer side, with "
        "outlines by five to seven people each; settings as the paper's, one seed. "
        "Means over photos; pieces are connected by sides of pixels; seconds are CPU "
        "seconds.\n\n"
        + markdown(head, rows)
        + "\n\nWhat they gain, by photo; fewer pieces are smoother:\n\n"
        + gain_table(gains, 3)
    )
