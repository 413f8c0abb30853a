"""Kill runs at random moments and finish them: ``make kills``.

Each case is a system on an engine with a checkpoint. Its run is killed (SIGKILL) some
times, each time after a random number of members, then repeated to the end: it must
give the labels of a run that was never killed, and make no member that was finished
before. No process may be left 10 seconds after the kill, or longer if others keep the
processors busy: a worker of Dask that is just starting first imports its modules, and
then looks for its parent.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from sessions import living

SYSTEMS = {
    "EnsembleClustering": {"effort": "quick"},
    "MDEC": {"n_members": 12},
    "USENC": {"n_members": 8},
    "C2SWCE": {},
    "WOEC": {},
    "SPCE": {},
    "MBN": {"n_clusterings": 20},
    "MBNEnsemble": {"n_clusterings": 10, "n_members": 4},
    "LargeEnsembleClustering": {"n_members": 12},
}
KILLS = {"serial": 4, "threads": 4, "processes": 2, "dask": 2}  # of each system


def fitted(system: str, engine: str, folder: Path) -> list[int]:
    """Return the labels of a run that notes each member it stores."""
    import numpy as np

    import coterie
    from coterie._engine import MemberStore

    store_member = MemberStore.write

    def note(store: MemberStore, number: int, body: bytes) -> None:
        with (folder / "log").open("a") as log:
            log.write(f"{store.folder} {number}\n")
        store_member(store, number, body)

    MemberStore.write = note
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(c, 1.0, (100, 6)) for c in (0, 4, 8)])
    warnings.simplefilter("ignore")
    try:
        with coterie.use_engine(engine, checkpoint=folder / "store"):
            make = getattr(coterie, system)
            model = make(3, random_state=0, **SYSTEMS[system])
            if hasattr(model, "n_jobs"):
                model.set_params(n_jobs=2)
            return model.fit_predict(X).tolist()
    finally:
        MemberStore.write = store_member


def start(system: str, engine: str, folder: Path) -> int:
    """Start a run in a session of its own, with all modules imported; return its id."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    code = 1
    try:
        with (folder / "output").open("w") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        labels = fitted(system, engine, folder)
        (folder / "labels.json").write_text(json.dumps(labels))
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def is_over(pid: int) -> bool:
    """Whether a run has ended; it can be asked again."""
    try:
        return (
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        )
    except ChildProcessError:
        return True


def stored(folder: Path) -> set[str]:
    store = folder / "store"
    names = [p for p in store.rglob("*-*") if p.name[0] != "." and p.is_file()]
    return {f"{path.parent} {int(path.name[-6:])}" for path in names}


def lines(folder: Path) -> list[str]:
    log = folder / "log"
    return log.read_text().splitlines() if log.exists() else []


def attack(
    system: str, engine: str, folder: Path, whole: list[int], n_members: int
) -> tuple[list[str], int]:
    """Kill a run some times, finish it, and return what was wrong."""
    wrong, n_kills = [], 0
    before: list[tuple[int, set[str]]] = []
    while n_kills < KILLS[engine]:
        there = len(lines(folder))
        wait_for = random.randint(there, max(there, n_members - 1))
        pid = start(system, engine, folder)
        while len(lines(folder)) < wait_for and not is_over(pid):
            time.sleep(0.005)
        time.sleep(random.uniform(0.0, 0.2))
        over = is_over(pid)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        n_kills += not over
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
        end = time.monotonic() + 10 * max(1.0, busy)
        while living(pid) and time.monotonic() < end:
            time.sleep(0.1)
        if left := living(pid):
            wrong.append(f"{len(left)} orphans")
            for one in left:
                os.kill(one, signal.SIGKILL)
        before.append((len(lines(folder)), stored(folder)))
        if over:
            break
    code = os.waitpid(start(system, engine, folder), 0)[1]
    if code or json.loads((folder / "labels.json").read_text()) != whole:
        wrong.append(f"other labels, or an error: {(folder / 'output').read_text()}")
    again = [there & set(lines(folder)[n:]) for n, there in before]
    if any(again):
        wrong.append(f"{sum(map(len, again))} members made again")
    if left := [p for p in (folder / "store").rglob(".*") if p.is_file()]:
        wrong.append(f"{len(left)} temporary files")
    return wrong, n_kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=SYSTEMS)
    parser.add_argument("--engines", nargs="+", default=list(KILLS), choices=KILLS)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    random.seed(given.seed)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        for system in given.systems:
            folder = Path(name) / system
            folder.mkdir()
            whole = fitted(system, "serial", folder)  # compiles its kernels, too
            n_members = len(lines(folder))
            for engine in given.engines:
                case = folder / engine
                case.mkdir()
                wrong, n_kills = attack(system, engine, case, whole, n_members)
                counts["cases"] += 1
                counts["kills"] += n_kills
                counts["wrong"] += bool(wrong)
                sys.stdout.write(
                    f"{counts['kills']:4d} kills  {system:24s} {engine:10s} "
                    f"{', '.join(wrong) or 'fine'}\n"
                )
                sys.stdout.flush()
    sys.stdout.write(f"{dict(counts)}\n")
    raise SystemExit(bool(counts["wrong"]))


if __name__ == "__main__":
    main()
