"""`coterie cluster` of data that are read some rows at a time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie.cli import _console
from coterie.cli._system import Wishes

LARGE = "large"
FROM_ROWS = 1_000_000
_TOLD = 10_000  # label rows from which the diversity of members is told
_WHOLE = "which reads whole tables"


@dataclass(frozen=True)
class Plan:
    """Whether data are read by blocks, and why."""

    wanted: bool
    reason: str | None = None


def plan(data: Path, wishes: Wishes, given: dict[str, Any]) -> Plan:
    """Say whether to read by blocks, and raise where that cannot be as it was asked.

    Parameters
    ----------
    data : Path
    wishes : Wishes
    given : dict
        Options that only whole tables have, by name; those that are not falsy were
        given.
    """
    said = wishes.system == LARGE
    only_whole = [name for name, value in given.items() if value]
    if wishes.generator is not None:
        only_whole.append("--generator")
    if wishes.weighter not in ("auto", "none"):
        only_whole.append("--weighter")
    if not said:
        if wishes.system != "auto" or only_whole:
            return Plan(False)
        n_rows = _many_rows(data)
        if n_rows is None:
            return Plan(False)
        return Plan(True, f"{LARGE}, as {n_rows} are read block by block")
    if only_whole:
        raise ValueError(
            f"--system {LARGE} reads the data block by block; leave out "
            f"{', '.join(only_whole)}, or use another system, {_WHOLE}."
        )
    from coterie._large import ROW_METHODS

    if wishes.consensus not in ("auto", *ROW_METHODS):
        raise ValueError(
            f"--consensus {wishes.consensus} needs the whole ensemble; with --system "
            f"{LARGE} it is auto or one of {', '.join(ROW_METHODS)}."
        )
    return Plan(True)


def _many_rows(data: Path) -> str | None:
    """Say how many rows there are, if so many that they are read by blocks."""
    if data.is_dir():
        known = ("*.parquet", ".zarray", "zarr.json")
        there = any(next(data.glob(pattern), None) for pattern in known)
        return "the rows of a folder" if there else None
    n_rows = 0
    if data.suffix == ".npy" and data.is_file():
        import numpy as np

        try:
            shape = np.load(data, mmap_mode="r", allow_pickle=False).shape
        except (ValueError, EOFError):
            return None  # reading it whole says what is wrong with it
        n_rows = shape[0] if len(shape) == 2 else 0
    elif data.suffix in (".parquet", ".pq") and data.is_file():
        from coterie._validation import require

        parquet = require("pyarrow.parquet")
        try:
            n_rows = parquet.read_metadata(data).num_rows
        except (OSError, ValueError):
            return None
    return f"{n_rows:,} rows" if n_rows >= FROM_ROWS else None


def run(
    data: Path,
    k: int | None,
    wishes: Wishes,
    seed: int,
    jobs: int,
    run_options: dict[str, Any],
    reason: str | None,
    outputs: dict[str, Any],
    stages: _console.Stages,
    start: float,
) -> Any:
    """Cluster, and return the outcome."""
    from coterie._large import open_rows
    from coterie.cli import _engine, _summary
    from coterie.cli._columns import Table
    from coterie.consensus import ConsensusResult
    from coterie.systems import LargeEnsembleClustering

    rows = open_rows(data, "coterie cluster")
    given = {"n_members": wishes.members, "member_clusters": wishes.span}
    model = LargeEnsembleClustering(
        "auto" if k is None else k,
        consensus="lwgp" if wishes.consensus == "auto" else wishes.consensus,
        random_state=seed,
        n_jobs=jobs,
        **{name: value for name, value in given.items() if value is not None},
    )

    def step(done: int, total: int) -> None:
        stages.step(done, total)
        if done == total:
            stages.start(f"Combining by {model.consensus}")

    model.set_params(progress=step)
    with _console.collected_warnings() as warned:
        stages.start("Learning members and labelling all rows")
        with _engine.chosen(**run_options):
            model.fit(rows)
            some = _some_rows(model)
    sizes = model.ensemble_.n_clusters_per_member
    return _summary.Outcome(
        "cluster",
        Table(data, None, [f"column {j + 1}" for j in range(rows.shape[1])]),
        some,
        ConsensusResult(model.labels_, model.confidence_),
        parameters={
            "n_clusters": model.n_clusters_,
            "system": LARGE,
            "generator": model.members,
            "consensus": model.consensus,
            "members": model.n_members,
            "member_clusters": wishes.span,
            "seed": seed,
        },
        story=f"{model.n_members} members by mini-batch k-means on samples, combined "
        f"by {model.consensus}; {sizes.min()} to {sizes.max()} clusters in each "
        f"member; {rows.n_blocks} blocks",
        choice=getattr(model, "k_choice_", None),
        reason=reason,
        seconds=time.perf_counter() - start,
        warnings=warned,
        model=model,
        **outputs,
    )


def _some_rows(model: Any) -> Any:
    import numpy as np

    return model.ensemble_.sample(_TOLD, np.random.default_rng(0))
