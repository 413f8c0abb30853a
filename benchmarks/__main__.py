"""Run ``python -m benchmarks NAME ...`` (or ``all``; ``list`` tells the names)."""

import argparse
from pathlib import Path

import numba
from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import consensus, kernels, quality
from benchmarks.harness import run, save

CASES = {case.name: case for case in (*consensus.CASES, *kernels.CASES)}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="+", choices=[*CASES, "digits", "all", "list"])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    console = Console(width=100)
    if "list" in options.names:
        console.print("\n".join([f"{c.name}: {c.task}" for c in CASES.values()]))
        console.print(f"digits: {quality.__doc__}")
        return
    names = [*CASES, "digits"] if "all" in options.names else options.names
    numba.set_num_threads(min(options.threads, numba.config.NUMBA_NUM_THREADS))
    rows = []
    with threadpool_limits(options.threads):
        for name in names:
            if name == "digits":
                quality.digits(console)
            else:
                rows += run(CASES[name], options.repeat, console)
    if options.json:
        save(rows, options.json)


main()
