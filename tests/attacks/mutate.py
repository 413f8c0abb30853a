"""Put small faults into a copy of the package, and see whether the tests notice.

``python tests/attacks/mutate.py FOLDER [NAME ...]`` copies the project into FOLDER and
makes three faults, one after the other, in each of the ten most used kernels and in the
part that is particular to each system: ``<`` for ``<=``, ``+`` for ``-``, a factor
dropped, a number off by one. It prints ``caught`` or ``MISSED`` and the changed line,
and at the end the share that was noticed. A fault that is missed becomes a test, unless
it changes no result: then it is listed in ``IDLE`` with the reason, and another one is
made instead.
"""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
N_FAULTS = 3
_COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add}


class Target(NamedTuple):
    """Functions of a file, and the tests that must notice faults in them."""

    file: str
    functions: tuple[str, ...]  # all, if empty
    tests: tuple[str, ...]


TARGETS = {
    "code labels": Target(
        "_kernels/_labels.py", ("code_columns",), ("ensemble/test_coding.py",)
    ),
    "group rows": Target(
        "_kernels/_labels.py", ("group_rows",), ("ensemble/test_ensemble.py",)
    ),
    "co-association": Target(
        "_kernels/_coassociation.py",
        ("condensed_coassociation", "coassociation_tile"),
        ("ensemble/test_coassociation.py",),
    ),
    "linkage": Target(
        "_kernels/_linkage.py",
        ("chain_linkage", "_update"),
        ("_linalg/test_linkage.py",),
    ),
    "k-means": Target("_kernels/_kmeans.py", ("lloyd",), ("_linalg/test_kmeans.py",)),
    "seeds of k-means": Target(
        "_kernels/_kmeans.py",
        ("seed", "best_of_starts", "_sqdist_to_tile"),
        ("_linalg/test_kmeans.py",),
    ),
    "neighbours": Target(
        "_kernels/_neighbors.py",
        ("push_rows", "_drop_highest", "settle", "_sqdist", "_insert"),
        ("_linalg/test_neighbors.py",),
    ),
    "entropies": Target(
        "_kernels/_tables.py",
        ("pair_entropies",),
        ("weighting/test_entropy.py", "metrics/test_ensemble_metrics.py"),
    ),
    "overlaps": Target(
        "_kernels/_tables.py",
        ("overlap",),
        ("weighting", "consensus/test_walks_and_links.py"),
    ),
    "densest": Target(
        "_kernels/_similarity.py", ("densest",), ("_linalg/test_similarity.py",)
    ),
    "MDEC": Target(
        "generation/_metric_subspace.py",
        (),
        ("generation/test_metric_subspace.py", "systems/test_mdec.py"),
    ),
    "C2SWCE": Target(
        "weighting/_core_stability.py",
        (),
        ("weighting/test_core_stability.py", "systems/test_c2swce.py"),
    ),
    "MBN": Target("_linalg/_code_layers.py", (), ("_linalg/test_code_layers.py",)),
    "SPCE": Target("_kernels/_self_paced.py", (), ("consensus/test_self_paced.py",)),
    "WOEC": Target(
        "consensus/_weighted_objects.py",
        (),
        ("consensus/test_weighted_objects.py", "weighting/test_difficulty.py"),
    ),
    "USENC": Target("_linalg/_landmarks.py", (), ("clusterers/test_landmarks.py",)),
    "panel": Target("consensus/_council.py", (), ("consensus/test_council.py",)),
    "large": Target("_large/_rows.py", (), ("_large/test_rows.py",)),
}
# Faults that change no result, or lines of which that holds for every fault, and why.
_COSTS = "Chooses between ways that give the same result."
IDLE = {
    "slot = (slot + np.uint64(1)) & mask": "A hash table may be probed either way.",
    "or (distance == sqdist[at - 1] and (row <= ids[at - 1]))": (
        "A row is pushed once, so that no two are equal."
    ),
    "low = (high + slack)": "Still below the upper bound: the row is looked at again.",
    "compared = _COMPARISON * codes.itemsize * n_views / kernels.LANES": _COSTS,
    '"lists": _LIST * n_views + _STEP * lists.n_pairs / n_fit,': _COSTS,
    '"rank": union.size * (compared + _RANKING),': _COSTS,
    '"columns": union.size * compared + _LOOK * draws.size,': _COSTS,
    "least = int(2 * n_fit / k * (1 + math.log(n_clusterings)))": (
        "Says how many neighbours are ranked at first; more are ranked when needed."
    ),
}


class Fault(NamedTuple):
    """A line with a fault, and where it belongs."""

    number: int  # of the line, from 0
    line: str


def faults(text, functions):
    """Return all small faults in some functions of a source text."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and (
            not functions or node.name in functions
        ):
            for part in ast.walk(node):
                found += _faults_of(part, text)
    lines = text.splitlines()
    return sorted(
        fault
        for fault in set(found)
        if not {fault.line.strip(), lines[fault.number].strip()} & IDLE.keys()
    )


def _faults_of(node, text):
    """Yield the faults that one expression allows."""
    is_sum = isinstance(node, ast.BinOp | ast.AugAssign)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield from _changed(node, text, _swap_comparison)
    elif is_sum and type(node.op) in _COMPUTED:
        yield from _changed(node, text, _swap_sign)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        yield from _changed(node, text, lambda product: product.left)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.BinOp):
        yield from _changed(node.slice, text, _off_by_one)


def _swap_comparison(node):
    node.ops[0] = _COMPARED[type(node.ops[0])]()
    return node


def _swap_sign(node):
    node.op = _COMPUTED[type(node.op)]()
    return node


def _off_by_one(node):
    return ast.BinOp(node, ast.Add(), ast.Constant(1))


def _changed(node, text, change):
    """Yield the line with the changed expression, if it stands on one line."""
    if node.lineno != node.end_lineno:
        return
    lines = text.splitlines()
    line = lines[node.lineno - 1]
    old = ast.get_source_segment(text, node)
    fresh = ast.parse(old).body[0]
    inner = fresh if isinstance(node, ast.stmt) else fresh.value
    new = ast.unparse(ast.fix_missing_locations(change(inner)))
    if isinstance(node, ast.expr):
        new = f"({new})"
    spot = slice(node.col_offset, node.end_col_offset)
    yield Fault(node.lineno - 1, line[: spot.start] + new + line[spot.stop :])


def chosen(all_faults, n):
    """Return n faults, evenly spread over the functions."""
    if len(all_faults) < n:
        raise SystemExit("Too few faults: was a function renamed?")
    step = len(all_faults) / n
    return [all_faults[int((i + 0.5) * step)] for i in range(n)]


def notices(folder, tests):
    """Whether any of the tests fails in the copy."""
    env = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "NUMBA_CACHE_DIR": str(folder / "cache"),
    }
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-x", "--no-header"]
    command += ["-p", "no:cacheprovider", *(str(folder / "tests" / t) for t in tests)]
    try:
        done = subprocess.run(
            command, env=env, cwd=folder, capture_output=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def main(folder, names):
    """Try all faults of some targets."""
    for part in ("src", "tests", "pyproject.toml"):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        if not (folder / part).exists():
            copy(ROOT / part, folder / part)
    n_caught = n_made = 0
    for name in names:
        target = TARGETS[name]
        file = folder / "src/coterie" / target.file
        text = file.read_text()
        for fault in chosen(faults(text, target.functions), N_FAULTS):
            lines = text.splitlines(keepends=True)
            lines[fault.number] = fault.line + "\n"
            file.write_text("".join(lines))
            caught = notices(folder, target.tests)
            file.write_text(text)
            n_made, n_caught = n_made + 1, n_caught + caught
            word = "caught" if caught else "MISSED"
            place = f"{target.file}:{fault.number + 1}"
            sys.stdout.write(f"{word} {name}: {place}: {fault.line.strip()}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{n_caught} of {n_made} faults noticed\n")


if __name__ == "__main__":
    where = Path(sys.argv[1])
    where.mkdir(parents=True, exist_ok=True)
    main(where, sys.argv[2:] or list(TARGETS))
