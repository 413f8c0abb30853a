"""Kill runs at random moments and finish them: ``make kills``.

Each case is a system on an engine with a checkpoint. Its run is killed (SIGKILL) at a
random moment, some twice, then repeated to the end: it must give the labels of a run
that was never killed, and make no member that was finished before. No process may be
left 10 seconds after the kill, or longer if others keep the processors busy: a worker
of Dask that is just starting first imports its modules, and then looks for its parent.
"""

import argparse
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from sessions import living

SYSTEMS = {
    "ensemble": "EnsembleClustering(3, effort='quick', random_state=0)",
    "mdec": "MDEC(3, n_members=12, random_state=0)",
    "usenc": "USENC(3, n_members=8, random_state=0)",
    "c2swce": "C2SWCE(3, random_state=0)",
    "woec": "WOEC(3, random_state=0)",
    "spce": "SPCE(3, random_state=0)",
    "mbn": "MBN(3, n_clusterings=20, random_state=0)",
    "mbn-e": "MBNEnsemble(3, n_clusterings=10, n_members=4, random_state=0)",
    "large": "LargeEnsembleClustering(3, n_members=12, random_state=0)",
}
ENGINES = ("serial", "threads", "processes", "dask")
RUN = """
import sys

if __name__ == "__main__":
    import json, warnings
    import numpy as np
    warnings.simplefilter("ignore")
    from coterie import *
    from coterie import use_engine
    from coterie._engine import MemberStore

    def note(store, number, body, write=MemberStore.write):
        with open(sys.argv[3], "a") as log:
            log.write(f"{store.folder} {number}\\n")
        write(store, number, body)

    MemberStore.write = note
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(c, 1.0, (100, 6)) for c in (0, 4, 8)])
    with use_engine(sys.argv[1], checkpoint=sys.argv[2]):
        model = SYSTEM
        if hasattr(model, "n_jobs"):
            model.set_params(n_jobs=2)
        labels = model.fit_predict(X)
    print(json.dumps(labels.tolist()))
"""


def run(program: Path, engine: str, folder: Path) -> subprocess.Popen:
    words = [sys.executable, program, engine, folder / "store", folder / "log"]
    return subprocess.Popen(
        [*map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finished(process: subprocess.Popen) -> list[int]:
    out, err = process.communicate(timeout=600)
    if process.returncode:
        raise SystemExit(err.decode()[-2000:])
    return json.loads(out.splitlines()[-1])


def stored(folder: Path) -> set[str]:
    store = folder / "store"
    names = [p for p in store.rglob("*-*") if p.name[0] != "." and p.is_file()]
    return {f"{path.parent} {int(path.name[-6:])}" for path in names}


def lines(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def attack(
    program: Path, engine: str, folder: Path, whole: list[int], took: float, n: int
) -> tuple[list[str], int]:
    """Kill a run up to n times, finish it, and return what was wrong."""
    wrong, n_kills = [], 0
    before: list[tuple[int, set[str]]] = []
    for _ in range(n):
        process = run(program, engine, folder)
        time.sleep(took * random.uniform(0.2, 1.0))
        if process.poll() is not None:
            process.communicate()
            continue
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        n_kills += 1
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
        end = time.monotonic() + 10 * max(1.0, busy)
        while living(process.pid) and time.monotonic() < end:
            time.sleep(0.1)
        if left := living(process.pid):
            wrong.append(f"{len(left)} orphans")
            for pid in left:
                os.kill(pid, signal.SIGKILL)
        process.communicate()
        before.append((len(lines(folder)), stored(folder)))
    if finished(run(program, engine, folder)) != whole:
        wrong.append("other labels")
    again = [there & set(lines(folder)[n:]) for n, there in before]
    if any(again):
        wrong.append(f"{sum(map(len, again))} members made again")
    if left := [p for p in (folder / "store").rglob(".*") if p.is_file()]:
        wrong.append(f"{len(left)} temporary files")
    return wrong, n_kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    random.seed(given.seed)
    counts: Counter[str] = Counter()
    whole: dict[str, list[int]] = {}
    seconds: dict[tuple[str, str], float] = {}
    cases = [(system, engine) for system in SYSTEMS for engine in ENGINES]
    random.shuffle(cases)
    rounds = itertools.cycle(cases)
    with tempfile.TemporaryDirectory() as name:
        while counts["kills"] < given.kills:
            system, engine = case = next(rounds)
            folder = Path(name) / str(counts["cases"])
            (folder / "whole").mkdir(parents=True)
            program = folder / "program.py"
            program.write_text(RUN.replace("SYSTEM", SYSTEMS[system]))
            if system not in whole:  # which also compiles its kernels
                first = folder / "first"
                first.mkdir()
                whole[system] = finished(run(program, "serial", first))
            if case not in seconds:
                start = time.monotonic()
                labels = finished(run(program, engine, folder / "whole"))
                seconds[case] = time.monotonic() - start
                if whole[system] != labels:
                    raise SystemExit(f"{system}: {engine} gives other labels")
            n = random.choice([1, 1, 2])
            took = seconds[case]
            wrong, n_kills = attack(program, engine, folder, whole[system], took, n)
            counts["cases"] += 1
            counts["kills"] += n_kills
            counts["wrong"] += bool(wrong)
            sys.stdout.write(
                f"{counts['kills']:4d} kills  {system:9s} {engine:10s} "
                f"{', '.join(wrong) or 'fine'}\n"
            )
            sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")
    raise SystemExit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
