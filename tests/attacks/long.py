"""Attack for a given time with ever new input, and print what was tried.

``python tests/attacks/long.py SECONDS [FIRST_SEED]``: round after round, each in a
process of its own (so that a crash is noticed and the next round goes on), with bounds
checked in the kernels. Exits with 1 if anything was found.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
NAMES = ("labels", "ensembles", "data", "files", "partitions")
TARGETS = [str(HERE / f"test_{name}.py") for name in NAMES]
EXAMPLES = 4  # of each test in a round: some minutes, also beside other work
_TRIED = re.compile(r"attacks on (.+): ([\d,]+) tried, ([\d,]+) refused")


def attack_round(seed):
    """Run one round; return its output and whether nothing was found."""
    env = {
        **os.environ,
        "COTERIE_ATTACKS": str(EXAMPLES),
        "NUMBA_BOUNDSCHECK": "1",
        "NUMBA_CACHE_DIR": str(Path(tempfile.gettempdir()) / "coterie-checked"),
    }
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "--tb=short"]
    command += ["-p", "no:cacheprovider", f"--hypothesis-seed={seed}", *TARGETS]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr, done.returncode == 0


def main(seconds, seed):
    """Attack until the time is over."""
    tried, refused, found = Counter(), Counter(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        text, fine = attack_round(seed)
        for kind, n, said in _TRIED.findall(text):
            tried[kind] += int(n.replace(",", ""))
            refused[kind] += int(said.replace(",", ""))
        if not fine:
            found += 1
            sys.stdout.write(f"{text}\nround {seed} found something\n")
        left = max(0, round(end - time.monotonic()))
        sys.stdout.write(
            f"round {seed}: {sum(tried.values()):,} cases, {left} s left\n"
        )
        sys.stdout.flush()
        seed += 1
    for kind, n in sorted(tried.items()):
        sys.stdout.write(f"{kind}: {n:,} tried, {refused[kind]:,} refused\n")
    sys.stdout.write(f"{sum(tried.values()):,} cases, {found} rounds with findings\n")
    return int(found > 0)


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(arguments + [600, 0][len(arguments) :])))
