"""Does the order of the file decide what CELTA and GTLEC answer?

``python -m experiments.orders`` combines ten k-means members by the two tensor methods,
with the file sorted by class, shuffled, and in the order of linkage, and by three
others to which the order says nothing. It writes ``results/orders.md``; it can be
stopped and goes on.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from coterie import Ensemble
from coterie.consensus import (
    CEAM,
    CELTA,
    GTLEC,
    LWEA,
    BaseConsensus,
    CoassociationSpectral,
)
from coterie.generation import RandomKMeans
from coterie.metrics import nmi
from experiments._data import Data, load
from experiments._runs import Key, RunLog
from experiments._tables import markdown, spread

RESULTS = Path(__file__).parent / "results"
SEEDS = {"warpar10p": 5, "tox171": 5, "dermatology": 5, "umist644": 3, "digits": 1}
MOST_FOR_GTLEC = 600
PRINTED = 0.002  # the weight of errors in the authors' program of CELTA


def data_of(name: str) -> Data:
    if name != "digits":
        return load(name)
    X, y = load_digits(return_X_y=True)
    return Data(name, X, y)


def forms(n: int) -> dict[str, tuple[bool, BaseConsensus]]:
    """Return whether the file is sorted by class, and the method, for each form."""
    found = {}
    tensors = {"CELTA, 0.002": CELTA(PRINTED), "CELTA": CELTA(), "GTLEC": GTLEC()}
    for name, method in tensors.items():
        if name != "GTLEC" or n <= MOST_FOR_GTLEC:
            given = type(method)(**{**method.get_params(), "order": "given"})
            found[f"{name}: by class"] = True, given
            found[f"{name}: shuffled"] = False, given
            found[f"{name}: linkage"] = False, method
    for method in (CEAM(), LWEA(), CoassociationSpectral()):
        found[type(method).__name__] = False, method
    return found


def run(log: RunLog, data: Data, seed: int) -> None:
    n = data.y.size
    rng = np.random.default_rng(seed)
    k, most = data.n_classes, max(data.n_classes, int(n**0.5))
    members = RandomKMeans(10, n_clusters=(k, most)).generate(data.X, seed=seed).labels
    shuffled = rng.permutation(n)
    by_class = np.argsort(data.y, kind="stable")
    for name, (is_sorted, method) in forms(n).items():
        key = Key("orders", data.name, name, seed)
        if key in log:
            continue
        order = by_class if is_sorted else shuffled
        start = time.process_time()
        found = method.combine(Ensemble(members[order]), k, seed=seed).labels
        values = {
            "nmi": nmi(data.y[order], found),
            "seconds": time.process_time() - start,
        }
        log.add(key, {name: values})
        print(*key, f"{values['nmi']:.3f}", f"{values['seconds']:.0f} s", flush=True)


def report(log: RunLog) -> str:
    names = list(SEEDS)
    rows = []
    for name in forms(0):
        cells = []
        for dataset in names:
            found = log.values("orders", dataset, name, name, "nmi")
            cells.append(
                f"{found.mean():.3f} ± {spread(found):.3f}" if found.size else ""
            )
        rows.append([name, *cells])
    head = [f"{name} ({SEEDS[name]})" for name in names]
    return "\n".join(
        [
            "# Does the order of the file decide?",
            "",
            "NMI with the classes: mean and deviation over seeds (their number beside"
            " the name), ten k-means members with k to the root",
            "of n clusters. `python -m experiments.orders`. The tensor norm of CELTA"
            " and GTLEC takes a Fourier transform along the",
            "samples. *By class*: as in a file that is sorted by class, in the given"
            " order; *shuffled*: the given order of a shuffled",
            "file; *linkage*: the default, the leaves of average linkage, of the"
            " shuffled file. *CELTA, 0.002* has the weight of",
            "errors of the authors' program. GTLEC is run to 600 samples.",
            "",
            markdown(["form", *head], rows),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="write the report only")
    options = parser.parse_args()
    log = RunLog(RESULTS / "orders_runs.csv", ("nmi", "seconds"))
    if not options.report:
        for name, seeds in SEEDS.items():
            for seed in range(seeds):
                run(log, data_of(name), seed)
    text = report(log)
    (RESULTS / "orders.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
