"""Run ``python -m benchmarks NAME ...`` (``list`` tells the names).

``all`` means all but the long ones (mbn, mdec), which take minutes.
"""

import argparse
from pathlib import Path

import numba
from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import consensus, kernels, mbn, mdec, quality
from benchmarks.harness import run, save

CASES = {case.name: case for case in (*consensus.CASES, *kernels.CASES)}
SLOW = {case.name: case for case in mbn.CASES}
LONG = {case.name: case for case in mdec.CASES}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = [*CASES, *SLOW, *LONG, "digits", "all", "list"]
    parser.add_argument("names", nargs="+", choices=known)
    parser.add_argument("--repeat", type=int, help="default 3, of the long ones 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    console = Console(width=100)
    if "list" in options.names:
        for case in (*CASES.values(), *SLOW.values(), *LONG.values()):
            console.print(f"{case.name}: {case.task}")
        console.print(f"digits: {quality.__doc__}")
        return
    names = [*CASES, "digits"] if "all" in options.names else options.names
    numba.set_num_threads(min(options.threads, numba.config.NUMBA_NUM_THREADS))
    rows = []
    with threadpool_limits(options.threads):
        for name in names:
            if name == "digits":
                quality.digits(console)
            elif name in LONG:
                rows += mdec.run_long(LONG[name], options.repeat or 1, console)
            elif name in SLOW:
                rows += run(SLOW[name], options.repeat or 1, console)
            else:
                rows += run(CASES[name], options.repeat or 3, console)
    if options.json:
        save(rows, options.json)


main()
