"""Run ``python -m benchmarks NAME ...`` (``list`` tells the names).

``all`` means all but the long ones (mbn, mdec, field-50000, usenc-million, scale,
consensus-million, consensus-kmeans, dask-overhead, dask-large, panel, panel-mdec,
first-minute, mbn-predict, limits, mbn-limit, mdec-order, mdec-cpu), which take minutes.
``curve SYSTEM ...`` measures how the cost of systems grows.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from threadpoolctl import threadpool_limits

from benchmarks import (
    c2swce,
    choice,
    consensus,
    curve,
    dask_large,
    field,
    field_means,
    files,
    first_minute,
    kernels,
    large,
    limits,
    mbn,
    mdec,
    panel,
    partition,
    quality,
    spce,
    structure,
)
from benchmarks.harness import run, save
from coterie._kernels._jit import kernel_threads

CASES = {
    case.name: case
    for case in (
        *consensus.CASES,
        *files.CASES,
        *kernels.CASES,
        *partition.CASES,
        *structure.CASES,
    )
}
TABLES = {
    "digits": quality.digits,
    "partition-digits": partition.digits,
    "partition-50000": partition.fifty_thousand,
    "means-50000": field_means.fifty_thousand,
}
LONG_TABLES = {
    "field-50000": field.fifty_thousand,
    "usenc-million": field.usenc_million,
    "scale": large.scale,
    "consensus-million": large.consensus_million,
    "consensus-kmeans": large.beside_kmeans,
    "dask-overhead": large.dask_overhead,
    "dask-large": dask_large.dask_large,
    "panel": panel.sizes,
    "panel-mdec": panel.beside_mdec,
    "first-minute": first_minute.cold_and_warm,
    "mbn-predict": mbn.one_sample,
    "limits": limits.limits,
    "mbn-limit": mbn.limit,
    "mdec-order": mdec.order_of_rows,
    "mdec-cpu": mdec.on_one_thread,
}
LONG = {case.name: case for case in mdec.CASES}
SLOW = {case.name: case for case in (*spce.CASES, *mbn.CASES, *choice.CASES)}


def main() -> None:
    if sys.argv[1:2] == ["curve"]:
        curve.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    known = [*CASES, *LONG, *SLOW, *TABLES, *LONG_TABLES, c2swce.NAME, "all", "list"]
    parser.add_argument("names", nargs="+", choices=known)
    parser.add_argument("--repeat", type=int, help="default 3, of the long ones 1")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    console = Console(width=100)
    if "list" in options.names:
        for case in (*CASES.values(), *LONG.values(), *SLOW.values()):
            console.print(f"{case.name}: {case.task}")
        console.print(f"{c2swce.NAME}: {c2swce.TASK}")
        for name, table in {**TABLES, **LONG_TABLES}.items():
            console.print(f"{name}: {table.__doc__}")
        return
    names = [*CASES, *TABLES] if "all" in options.names else options.names
    rows = []
    with threadpool_limits(options.threads), kernel_threads(options.threads):
        for name in names:
            if name in TABLES or name in LONG_TABLES:
                {**TABLES, **LONG_TABLES}[name](console)
            elif name == c2swce.NAME:
                rows += c2swce.run_sizes(options.repeat or 1, console)
            elif name in SLOW:
                rows += run(SLOW[name], options.repeat or 1, console)
            elif name in LONG:
                rows += mdec.run_long(LONG[name], options.repeat or 1, console)
            else:
                rows += run(CASES[name], options.repeat or 3, console)
    if options.json:
        save(rows, options.json)


main()
