"""What other programs say of the data of ``experiments.choice``.

Run it with a Python that has inmoose and consensusclustering; they are no part of this
project, and coterie is not needed: ``python -m experiments.choice_others``. It can be
stopped and goes on where it was. Both programs use scikit-learn's k-means on halves of
the samples, as many as ``choose_k``. Neither can say that there are no clusters, so the
draws of noise are left out.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from experiments._choice_data import PLANTED, REAL
from experiments._runs import Key, RunLog

N_MEMBERS = 20
LOWEST, HIGHEST = 2, 14
MOST_SAMPLES = 500  # as many as choose_k looks at


def by_inmoose(X: np.ndarray) -> int:
    from inmoose.consensus_clustering.consensus_clustering import consensusClustering

    found = consensusClustering(
        partial(KMeans, n_init=1, random_state=0), LOWEST, HIGHEST, N_MEMBERS
    )
    found.compute_consensus_clustering(X, random_state=0)
    return int(found.bestK)


def by_consensusclustering(X: np.ndarray) -> int:
    from consensusclustering import ConsensusClustering

    clusterer = KMeans(n_init=1, random_state=0)
    found = ConsensusClustering(clusterer, LOWEST, HIGHEST, N_MEMBERS, rng=0)
    found.fit(X)
    return int(found.best_k() or 0)  # 0: it finds no knee


PROGRAMS: dict[str, Callable[[np.ndarray], int]] = {
    "consensusclustering": by_consensusclustering,
    "inmoose": by_inmoose,
}


def drawn(X: np.ndarray) -> np.ndarray:
    if len(X) <= MOST_SAMPLES:
        return X
    return X[np.random.default_rng(0).choice(len(X), MOST_SAMPLES, replace=False)]


def main() -> None:
    path = Path(__file__).parent / "results" / "choice_others.csv"
    log = RunLog(path, ("truth", "k", "seconds"))
    warnings.simplefilter("ignore")
    for program, answer in PROGRAMS.items():
        for setting in (*PLANTED, *REAL):
            key = Key("settings", setting.name, version(program), 0)
            if program in log.runs.get(key, {}):
                continue
            X = drawn(setting.make())
            start = time.perf_counter()
            k = answer(X)
            seconds = time.perf_counter() - start
            numbers = {"truth": setting.n_clusters, "k": k, "seconds": seconds}
            log.add(key, {program: numbers})
            print(program, setting.name, k, f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
