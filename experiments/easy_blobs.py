"""Easy things are easy: blobs on which k-means is right, of equal and unequal sizes.

``python -m experiments.easy_blobs run`` clusters 20 draws of each kind of blobs by the
default, wherever ``KMeans(n_init=10)`` has an ARI of at least .99; ``report`` writes
``results/easy_blobs.md``. It can be stopped and goes on where it was.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import coterie
from coterie._kernels._jit import kernel_threads
from coterie.metrics import ari
from experiments._runs import Key, RunLog
from experiments._tables import markdown

RESULTS = Path(__file__).parent / "results"
SIZES = {
    "equal": (333, 333, 333),
    "900/60/40": (900, 60, 40),
    "400/30/30/30": (400, 30, 30, 30),
}
FEATURES = (2, 5, 8, 20, 100)
N_DRAWS = 20
APART = 10.0  # standard deviations between the centres, at least
EASY, RIGHT = 0.99, 0.95


def draw(sizes: tuple[int, ...], n_features: int, seed: int):
    """Return blobs of deviation one whose centres are ``APART`` or more."""
    rng = np.random.default_rng([seed, n_features, len(sizes)])
    centers = rng.normal(size=(len(sizes), n_features))
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
    centers *= APART / gaps[gaps > 0].min()
    return make_blobs(sizes, centers=centers, random_state=seed)


def run(log: RunLog) -> None:
    warnings.simplefilter("ignore")
    with threadpool_limits(1), kernel_threads(1):
        for seed in range(N_DRAWS):
            for name, sizes in SIZES.items():
                for n_features in FEATURES:
                    key = Key(name, str(n_features), "raw", seed)
                    if key in log:
                        continue
                    X, y = draw(sizes, n_features, seed)
                    k = len(sizes)
                    means = KMeans(k, n_init=10, random_state=seed).fit_predict(X)
                    panel = coterie.EnsembleClustering(k, random_state=seed)
                    log.add(
                        key,
                        {
                            "kmeans": {"ari": ari(y, means)},
                            "panel": {"ari": ari(y, panel.fit_predict(X))},
                        },
                    )


def report(log: RunLog) -> None:
    rows = []
    for name in SIZES:
        for n_features in FEATURES:
            found = [
                (runs["kmeans"]["ari"], runs["panel"]["ari"])
                for key, runs in log.runs.items()
                if key[:2] == (name, str(n_features))
            ]
            easy = [ours for theirs, ours in found if theirs >= EASY]
            wrong = sum(ours < RIGHT for ours in easy)
            least = f"{min(easy):.3f}" if easy else ""
            rows.append([name, n_features, len(found), len(easy), wrong, least])
    head = ["sizes", "features", "draws", "easy", "wrong", "least ARI"]
    text = (
        "# Easy things are easy\n\nMade by `python -m experiments.easy_blobs report`. "
        f"Blobs with centres {APART:.0f} standard deviations apart or more. Easy: "
        f"`KMeans(n_init=10)` has ARI {EASY} or more; wrong: the default has less than "
        f"{RIGHT} there.\n\n{markdown(head, rows)}\n"
    )
    (RESULTS / "easy_blobs.md").write_text(text)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.easy_blobs")
    parser.add_argument("what", choices=("run", "report"))
    log = RunLog(RESULTS / "easy_blobs_runs.csv", ("ari",))
    run(log) if parser.parse_args().what == "run" else report(log)


if __name__ == "__main__":
    main()
