"""choose_k: how often it is right, and what it says of data without clusters.

``python -m experiments.choice settings`` runs 20 planted settings and four real data
sets, ``noise`` 20 draws without clusters, both with each kind of reference;
``calibration`` collects p-values under the null; ``report`` writes
``experiments/results/choice.md``. All of it can be stopped and goes on where it was.
Each run judges by all statistics, from the same members and references.
"""

import argparse
import itertools
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import coterie
from coterie.choice._choose import STATISTICS
from coterie.choice._vote import choose, compare
from experiments import _choice_report
from experiments._choice_data import FORMS, NOISE, PLANTED, REAL
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("truth", "k", "p_value", "seconds")
K_RANGE = range(2, 15)
DEFAULT = "independent"
OTHERS = ("gaussian", "unimodal", "permuted")
N_NULL = {DEFAULT: 39}
N_NULL_OTHERWISE = 19
CALIBRATION = {"k_range": range(2, 7), "n_null": 19}
N_DRAWS, N_SAMPLES = 100, (150, 300)


def judged(
    X: np.ndarray, truth: int, null: str, seed: int, **settings: object
) -> dict[str, dict[str, float]]:
    """Return what each statistic says, from one run."""
    start = time.perf_counter()
    found = coterie.choose_k(X, null=null, random_state=seed, **settings)
    seconds = time.perf_counter() - start
    alpha = found.settings["alpha"]
    results = {}
    for statistic in STATISTICS:
        _, p_value = compare(found.curves, found.null_curves, statistic)
        k = choose(found.votes) if p_value <= alpha else 1
        numbers = (truth, k, p_value, seconds)
        results[statistic] = dict(zip(MEASURES, numbers, strict=True))
    return results


def run_settings(log: RunLog, study: str, nulls: Iterable[str]) -> None:
    settings = NOISE if study == "noise" else [*PLANTED, *REAL]
    for setting, null in itertools.product(settings, nulls):
        key = Key(study, setting.name, null, 0)
        if key not in log:
            data, truth = setting.make(), setting.n_clusters
            n_null = N_NULL.get(null, N_NULL_OTHERWISE)
            log.add(key, judged(data, truth, null, 0, k_range=K_RANGE, n_null=n_null))
            print(key, {m: v["k"] for m, v in log.runs[key].items()}, flush=True)


def run_calibration(log: RunLog, null: str) -> None:
    for n in N_SAMPLES if null == DEFAULT else N_SAMPLES[:1]:
        for form, make in FORMS.items():
            for seed in range(N_DRAWS):
                key = Key("calibration", f"{form} {n} x 5", null, seed)
                if key not in log:
                    data = make(5, seed=1000 + seed, n=n)
                    log.add(key, judged(data, 1, null, seed, **CALIBRATION))
            print(form, n, null, "done", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "task", choices=["settings", "noise", "calibration", "report", "all"]
    )
    task = parser.parse_args().task
    log = RunLog(RESULTS / "choice_runs.csv", MEASURES)
    for nulls in ([DEFAULT], OTHERS):
        for study in ("noise", "settings"):
            if task in (study, "all"):
                run_settings(log, study, nulls)
        if task in ("calibration", "all"):
            for null in nulls:
                run_calibration(log, null)
    if task in ("report", "all"):
        _choice_report.write(log, RESULTS)


if __name__ == "__main__":
    main()
