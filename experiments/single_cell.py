"""Consensus of Leiden clusterings of 700 blood cells, beside each of them alone.

``python -m experiments.single_cell`` takes some minutes and writes
``results/single_cell.csv`` (a row for each run) and ``results/single_cell.md``. The
data are scanpy's ``pbmc68k_reduced``. Its ``bulk_labels`` score, they choose nothing,
except that "k = 10" is their number.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scanpy as sc
from sklearn.cluster import KMeans

import coterie.integrations.scanpy as ct
from coterie._catalog import entries
from coterie.exceptions import FewerClustersWarning
from coterie.metrics import ari, nmi
from experiments._tables import markdown, spread, write_csv

RESULTS = Path(__file__).parent / "results"
SEEDS = range(10)
RESOLUTIONS = (0.25, 0.5, 1.0, 1.5, 2.0)
N_STARTS = 10
METHODS = (
    "lwea", "lwgp", "eac", "hbgf", "sc", "kcc", "mcla", "cspa", "spce", "vote",
)  # fmt: skip
TRUE_K = 10


def main() -> None:
    adata = sc.datasets.pbmc68k_reduced()
    truth = adata.obs["bulk_labels"].astype(str).to_numpy()
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for seed in SEEDS:
        for group, name, labels in _runs(adata, seed):
            found.setdefault((group, name), []).append(labels)
        print(f"seed {seed}: {len(found)} clusterings", flush=True)
    rows = [
        (
            group,
            name,
            seed,
            len(set(z)),
            round(ari(truth, z), 4),
            round(nmi(truth, z), 4),
        )
        for (group, name), runs in found.items()
        for seed, z in zip(SEEDS, runs, strict=True)
    ]
    write_csv(RESULTS / "single_cell.csv", "group name seed k ari nmi", rows)
    (RESULTS / "single_cell.md").write_text(_report(truth, found))


def _runs(adata: Any, seed: int) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield group, name and labels of all that is made from one seed."""
    adata = adata.copy()
    keys, pool = [], []
    for resolution in RESOLUTIONS:
        keys.append(f"leiden_{resolution}")
        _leiden(adata, resolution, seed, keys[-1])
        yield "Leiden", f"resolution {resolution}", _labels(adata, keys[-1])
        for start in range(N_STARTS):
            pool.append(f"{keys[-1]}_{start}")
            # Starts of different seeds differ.
            _leiden(adata, resolution, 1000 + N_STARTS * seed + start, pool[-1])
    for members, names in (("5 members", keys), ("50 members", pool)):
        for k in ("auto", TRUE_K):
            for method in METHODS:
                labels = _quiet(
                    ct.tl.combine, adata, names, consensus=method, n_clusters=k,
                    random_state=seed,
                )  # fmt: skip
                yield f"consensus of {members}, k = {k}", method, labels
    for entry in entries("system"):
        labels = _quiet(
            ct.tl.consensus, adata, entry.name, n_clusters=TRUE_K, random_state=seed
        )
        yield f"systems on X_pca, k = {TRUE_K}", entry.name, labels
    kmeans = KMeans(TRUE_K, n_init=10, random_state=seed)
    yield (
        f"systems on X_pca, k = {TRUE_K}",
        "k-means",
        kmeans.fit_predict(adata.obsm["X_pca"]),
    )


def _leiden(adata: Any, resolution: float, seed: int, key: str) -> None:
    sc.tl.leiden(
        adata,
        resolution=resolution,
        random_state=seed,
        key_added=key,
        flavor="igraph",
        n_iterations=2,
        directed=False,
    )


def _quiet(tool: Callable[..., Any], adata: Any, *args: Any, **kwargs: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        tool(adata, *args, **kwargs)
    return _labels(adata, "coterie")


def _labels(adata: Any, key: str) -> np.ndarray:
    return adata.obs[key].astype(int).to_numpy()


def _report(truth: np.ndarray, found: dict[tuple[str, str], list[np.ndarray]]) -> str:
    rows = []
    single = [
        z for (group, _), runs in found.items() if group == "Leiden" for z in runs
    ]
    single_means = [np.mean([m(truth, z) for z in single]) for m in (ari, nmi)]
    for (group, name), runs in found.items():
        scores = [np.array([measure(truth, z) for z in runs]) for measure in (ari, nmi)]
        pairs = itertools.combinations(runs, 2)
        k = [len(set(z)) for z in runs]
        rows.append(
            [
                group,
                name,
                str(k[0]) if min(k) == max(k) else f"{min(k)} to {max(k)}",
                *(f"{s.mean():.3f} ± {spread(s):.3f}" for s in scores),
                f"{np.mean([ari(a, b) for a, b in pairs]):.3f}",
            ]
        )
    table = markdown(
        ["what", "which", "k found", "ARI", "NMI", "ARI between seeds"], rows
    )
    return f"""# Consensus of Leiden clusterings of blood cells

`python -m experiments.single_cell`: scanpy's `pbmc68k_reduced`, {truth.size} cells of
{len(set(truth))} types (`bulk_labels`), {len(SEEDS)} seeds ({SEEDS[0]} to
{SEEDS[-1]}), mean and standard deviation. Leiden is
`sc.tl.leiden(flavor="igraph", n_iterations=2)` on the neighbours that come with the
data, at the resolutions {", ".join(map(str, RESOLUTIONS))}. "5 members" are these; "50
members" have {N_STARTS} starts of each. "k = auto" takes the number of clusters whose
consensus agrees best with the members (mean NMI) and never sees the types. "k =
{TRUE_K}" is told their number. "ARI between seeds" is the mean over all pairs of seeds:
how far the answer is the same when all is run again. The mean over the five resolutions
is ARI {single_means[0]:.3f}, NMI {single_means[1]:.3f}.

{table}
"""


if __name__ == "__main__":
    main()
