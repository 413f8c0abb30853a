"""Fit, predict and report again and again, and watch the memory: ``make soak``.

``python tests/attacks/soak.py --minutes 120`` prints a line per minute: the rounds
done, the memory of the process, its open files and threads. The memory is flat if the
last line is near the first after the warm-up.
"""

import argparse
import gc
import os
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

import coterie
from coterie import MBN, MDEC, SPCE, USENC, WOEC, EnsembleClustering, use_engine
from coterie.answers import report

SYSTEMS = (
    lambda seed: EnsembleClustering(3, random_state=seed),
    lambda seed: MDEC(3, n_members=10, random_state=seed),
    lambda seed: USENC(3, n_members=5, random_state=seed),
    lambda seed: MBN(3, n_clusterings=20, random_state=seed),
    lambda seed: WOEC(3, random_state=seed),
    lambda seed: SPCE(3, random_state=seed),
)


def megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def one_round(number: int, folder: Path) -> None:
    rng = np.random.default_rng(number)
    X = np.vstack([rng.normal(c, 1.0, (60, 5)) for c in (0, 4, 8)])
    with use_engine(checkpoint=folder / str(number)):
        model = SYSTEMS[number % len(SYSTEMS)](number).fit(X)
    model.predict(X[:20])
    coterie.combine(model.ensemble_.voters(), 3, "lwea")
    if number % 5 == 0:
        report(model, X, folder / "report.html")
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--every", type=float, default=60.0, help="seconds per line")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    start = line = time.monotonic()
    number = 0
    with tempfile.TemporaryDirectory() as name:
        while time.monotonic() - start < 60 * given.minutes:
            one_round(number, Path(name))
            number += 1
            if time.monotonic() - line >= given.every:
                line = time.monotonic()
                gc.collect()
                files = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count
                sys.stdout.write(
                    f"{(line - start) / 60:6.1f} min  {number:6d} rounds  "
                    f"{megabytes():7.1f} MB  {files:3d} files  "
                    f"{threading.active_count():2d} threads\n"
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
