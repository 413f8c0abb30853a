"""Six designs of the consensus of segments, at two working sizes.

``python -m experiments.segment_designs`` runs a list of designs that was fixed after a
trial on one photo, before this study. Each segments the 20 photos of
``experiments.segments`` and the same photos with slight noise, at two working sizes. A
design is chosen by its mean over both sizes of the agreement with people and of that
with itself under noise, as ARI.
``results/segment_designs_runs.csv`` has all runs, and a stopped study goes on from
there; ``results/segment_designs.md`` is the report.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter
from skimage import io, segmentation

from coterie._linalg._regions import region_tree
from coterie.applications._pixels import Picture, enlarged, read_pixels, reduced
from coterie.applications._pixels import repeated as resized
from coterie.applications._region_consensus import (
    agreed_regions,
    majority,
    profiles_of,
    scale_members,
    tree_members,
)
from coterie.applications._superpixels import Superpixels, lab_colors, superpixels
from coterie.metrics import ari
from experiments._data import data_folder
from experiments._runs import Key, RunLog
from experiments._tables import markdown
from experiments.segments import HALVES, NOISE, RESULTS

SIZES = (30_000, 60_000)  # around the default, which was chosen on these photos
MEASURES = ("people", "again", "k", "seconds")
DESIGNS = {
    "before": "trees on one grid of 1,200 superpixels, four of Felzenszwalb's",
    "many scales": "18 of Felzenszwalb's: two spaces, three scales, three smoothings",
    "grids": "trees also on grids of 850 and 600 superpixels",
    "smooth": "the image smoothed by one pixel before everything",
    "gap": "the cut in the widest gap of heights from .5 to .6 instead of .55",
    "smooth, grids": "both",
}
_SCALES, _SIGMAS = (400, 600, 800), (0.6, 0.8, 1.2)
_GRIDS = (850, 600)
_LEAST = 0.005  # size of a segment, the default
_PIECES = 1200  # superpixels, the default
Members = list[np.ndarray]


class Workshop:
    """Members of all designs for one picture; what designs share is made once."""

    def __init__(self, pixels: np.ndarray, n_pixels: int) -> None:
        self.pixels, self.n_pixels = pixels, n_pixels
        self.made: dict[str, tuple[Any, float]] = {}  # and seconds

    def get(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what was made before under this name, or make it."""
        if name not in self.made:
            start = time.process_time()
            self.made[name] = make(), time.process_time() - start
        self.used += self.made[name][1]
        return self.made[name][0]

    def segment(self, design: str) -> tuple[np.ndarray, float]:
        """Return labels at the size of the image, and the seconds they took."""
        self.used = 0.0
        parts = set(design.split(", "))
        at = "smooth" if "smooth" in parts else "plain"
        picture = self.get(f"{at} picture", lambda: self._picture(at))
        pieces = self.get(f"{at} pieces", lambda: superpixels(picture, _PIECES))
        trees = self.get(f"{at} trees", lambda: tree_members(pieces))
        kind, make = (
            ("many scales", _many_scales)
            if "many scales" in parts
            else ("scales", scale_members)
        )
        scales = self.get(f"{at} {kind}", lambda: make(picture, pieces))
        if "grids" in parts:
            more = self.get(f"{at} grids", lambda: _on_grids(picture, pieces))
            trees = trees + more
        start = time.process_time()
        found = _cut(pieces, [trees, scales], "gap" in parts)
        labels = enlarged(found, picture.shape)
        return labels, self.used + time.process_time() - start

    def _picture(self, at: str) -> Picture:
        picture = reduced(self.pixels, self.n_pixels, False)
        if at == "plain":
            return picture
        channels = gaussian_filter(picture.channels, (1.0, 1.0, 0.0))
        return Picture(picture.shape, channels, picture.visible)


def _carried(member: np.ndarray, own: Superpixels, pieces: Superpixels) -> np.ndarray:
    """Return a member of other superpixels, by majority in these."""
    return majority(resized(member[own.labels], pieces.labels.shape), pieces)


def _on_grids(picture: Picture, pieces: Superpixels) -> Members:
    members = []
    for n_pieces in _GRIDS:
        own = superpixels(picture, n_pieces)
        members += [_carried(one, own, pieces) for one in tree_members(own)]
    return members


def _many_scales(picture: Picture, pieces: Superpixels) -> Members:
    least = max(1, pieces.labels.size // 1500)
    return [
        majority(segmentation.felzenszwalb(space, scale, sigma, least), pieces)
        for space in (picture.channels, lab_colors(picture) / 100)
        for scale in _SCALES
        for sigma in _SIGMAS
    ]


def _cut(pieces: Superpixels, kinds: list[Members], by_gap: bool) -> np.ndarray:
    if not by_gap:
        return agreed_regions(pieces, kinds, None, _LEAST).labels
    tree = region_tree(profiles_of(kinds), pieces.sizes, pieces.edges, power=None)
    heights = np.append(np.maximum.accumulate(tree.heights), 1.0)
    first = int(np.searchsorted(heights, 0.5))
    heights = np.concatenate([[0.5], heights[first:]])
    starts = np.flatnonzero(heights[:-1] < 0.6)
    widest = starts[np.diff(heights)[starts].argmax()]
    apart = float(heights[widest : widest + 2].mean())
    return agreed_regions(pieces, kinds, None, _LEAST, apart).labels


def main() -> None:
    log = RunLog(RESULTS / "segment_designs_runs.csv", MEASURES)
    photos = sorted((data_folder() / "photos").glob("*.jpg"))
    for path in photos:
        for size in SIZES:
            key = Key("designs", path.stem, str(size), 0)
            if key not in log:
                log.add(key, _measured(path, size))
        print(path.stem, flush=True)
    names = [path.stem for path in photos]
    (RESULTS / "segment_designs.md").write_text(_report(log, names))


def _measured(path: Path, size: int) -> dict[str, dict[str, float]]:
    photo, people = io.imread(path), np.load(path.with_suffix(".npz"))["outlines"]
    noise = np.random.default_rng(0).normal(0, NOISE, photo.shape)
    noisy = np.clip(photo + noise, 0, 255).round().astype(np.uint8)
    shops = [Workshop(read_pixels(one)[0], size) for one in (photo, noisy)]
    values = {}
    for design in DESIGNS:
        found, seconds = shops[0].segment(design)
        again, _ = shops[1].segment(design)
        values[design] = {
            "people": np.mean([ari(one.ravel(), found.ravel()) for one in people]),
            "again": ari(found.ravel(), again.ravel()),
            "k": found.max() + 1,
            "seconds": seconds,
        }
    return values


def _report(log: RunLog, photos: list[str]) -> str:
    # (n_designs, n_photos, n_sizes, n_measures)
    values = np.array(
        [
            [
                [
                    [log.runs[Key("designs", photo, str(size), 0)][design][name]
                     for name in MEASURES]
                    for size in SIZES
                ]
                for photo in photos
            ]
            for design in DESIGNS
        ]
    )  # fmt: skip
    people, again, k, seconds = np.moveaxis(values, -1, 0)
    both = (people + again).mean(axis=-1) / 2  # (n_designs, n_photos)
    chosen = int(both.mean(axis=1).argmax())
    names = list(DESIGNS)
    head = ["design", *(f"{size:,}" for size in SIZES), "mean"]
    table = [
        [
            name,
            f"{people[d].mean():.3f}",
            f"{people[d].mean(axis=0).min():.3f}",
            f"{again[d].mean():.3f}",
            f"{both[d].mean():.3f}",
            f"{_error(both[d] - both[0]):.3f}" if d else "",
            f"{k[d].mean():.1f}",
            f"{seconds[d].mean() / seconds[0].mean():.1f}",
        ]
        for d, name in enumerate(names)
    ]
    return "\n".join(
        [
            "# Designs of the consensus of segments",
            "",
            f"`python -m experiments.segment_designs`: {len(photos)} photos of the "
            "Berkeley set at two working sizes (pixels to which an image is "
            "reduced). *People* is the ARI with people's outlines, *again* that of the "
            "segments of the photo and of the photo with noise of standard deviation "
            f"{NOISE:g} of 255; *both* is their mean, by which a design is chosen, and "
            "*error* the standard error over photos of its lead over *before*. "
            "*Seconds* are multiples of those of *before*. The list was fixed before "
            "the first run.",
            "",
            *(f"- **{name}**: {text}" for name, text in DESIGNS.items()),
            "",
            markdown(
                ["design", "people", "at the worst size", "again", "both", "error",
                 "segments", "seconds"],
                table,
            ),
            "",
            f"Highest mean of both: **{names[chosen]}**. {_halves(people, again)}",
            "",
            "## People, at each size",
            "",
            markdown(head, _by_size(names, people)),
            "",
            "## Again, at each size",
            "",
            markdown(head, _by_size(names, again)),
            "",
        ]
    )  # fmt: skip


def _by_size(names: list[str], values: np.ndarray) -> list[list[str]]:
    rows = zip(names, values.mean(axis=1), strict=True)
    return [[name, *(f"{v:.3f}" for v in (*row, row.mean()))] for name, row in rows]


def _error(values: np.ndarray) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size))


def _halves(people: np.ndarray, again: np.ndarray) -> str:
    """Choose the design on ten photos and measure it on the other ten, many times."""
    people, again = people.mean(axis=-1), again.mean(axis=-1)  # (n_designs, n_photos)
    rng = np.random.default_rng(0)
    gains = []
    for _ in range(HALVES):
        first, second = np.array_split(rng.permutation(people.shape[1]), 2)
        chosen = (people + again)[:, first].mean(axis=1).argmax()
        gains.append(
            [
                one[chosen, second].mean() - one[0, second].mean()
                for one in (people, again)
            ]
        )
    gain = np.mean(gains, axis=0)
    return (
        f"Chosen on ten photos drawn at random and measured on the other ten, "
        f"{HALVES:,} times, the design gains {gain[0]:.3f} with people and "
        f"{gain[1]:.3f} under noise over *before*."
    )


if __name__ == "__main__":
    main()
