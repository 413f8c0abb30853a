"""What `cluster` and `combine` say about their result."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._display import count
from coterie.cli import _console, _files

if TYPE_CHECKING:
    from coterie.cli._columns import Table
    from coterie.consensus import ConsensusResult
    from coterie.ensemble import Ensemble

_MOST_ROWS = 30
_MOST_SAMPLES, _MOST_MEMBERS = 10_000, 100  # from which the diversity is measured
_SCORES = {"nmi_geometric": "NMI", "ari": "ARI", "acc": "ACC", "purity": "purity"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run, with all that is said about it."""

    command: str
    table: Table
    ensemble: Ensemble
    result: ConsensusResult
    parameters: dict[str, Any]
    story: str  # one sentence: what was done
    seconds: float
    warnings: list[str]
    files: _files.MoreOutputs
    model: Any = None
    data: Any = None  # as it was clustered, if it is in memory
    parts: tuple[Any, ...] = ()  # where there is no model that knows them
    choice: Any = None  # why there are this many clusters
    reason: str | None = None  # why this system
    resumed: str | None = None  # what a checkpoint had

    @property
    def confidence(self) -> np.ndarray:
        """How firmly the ensemble places each sample."""
        assert self.result.confidence is not None
        return self.result.confidence

    @cached_property
    def clusters(self) -> list[tuple[int, int, float]]:
        """Number, size and mean confidence of each cluster."""
        sizes = np.bincount(self.result.labels)
        means = np.bincount(self.result.labels, weights=self.confidence) / sizes
        pairs = zip(sizes.tolist(), means.tolist(), strict=True)
        return [(c, size, mean) for c, (size, mean) in enumerate(pairs)]

    @property
    def counted(self) -> str:
        """How many clusters there are."""
        return count(len(self.clusters), "cluster")

    @cached_property
    def diversity(self) -> float:
        """That of some members and samples, where there are very many."""
        from coterie.metrics import diversity

        few: Any = self.ensemble.voters()
        if hasattr(few, "sample"):
            few = few.sample(_MOST_SAMPLES, np.random.default_rng(0))
        if few.n_members > _MOST_MEMBERS:
            few = few.subset(np.arange(_MOST_MEMBERS) * few.n_members // _MOST_MEMBERS)
        return diversity(few)

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """Those on the samples whose class is known."""
        truth = self.table.truth
        if truth is None:
            return None
        from coterie.metrics import score

        known = np.array([v is not None and v == v for v in truth.tolist()])
        if not known.any():
            raise ValueError("The column named as --truth is empty.")
        measured = score(truth[known].tolist(), self.result.labels[known])
        return {"n_samples": int(known.sum()), **measured}

    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns of the output file."""
        result, table = self.result, self.table
        weights = getattr(self.model, "weights_", None)
        learned = None if weights is None else weights.samples
        found: dict[str, Any] = {
            "label": result.labels,
            "confidence": self.confidence,
            "second": result.second,
            "margin": result.margin,
            "difficulty": result.details.get("difficulty", learned),
        }
        found = {name: column for name, column in found.items() if column is not None}
        if table.index is None or table.index_name is None:
            return found
        index = table.index
        if index.dtype.kind == "O":
            index = np.array(["" if v is None else v for v in index], dtype=object)
        name = table.index_name if table.index_name not in found else "index"
        return {name: index, **found}


def tell(outcome: Outcome) -> None:
    """Write the output files, and say what came out."""
    scores, files = outcome.scores, outcome.files  # scores may raise: before writing
    if files.output is not None:
        _files.write_columns(files.output, outcome.columns())
    if files.save_ensemble is not None:
        outcome.ensemble.save(files.save_ensemble)
    if files.report is not None:
        _write_report(outcome, files.report)
    if files.as_json:
        _console.write_json(outcome.command, **_document(outcome))
        return
    _console.show_warnings(outcome.warnings)
    if not files.quiet:
        console = files.console()
        console.print(_cluster_table(outcome))
        _console.print_facts(_facts(outcome, scores), console)


def _write_report(outcome: Outcome, path: Path) -> None:
    from coterie.answers import explain, report

    table = outcome.table
    report(
        outcome.model or explain(outcome.ensemble, outcome.result),
        outcome.data,
        path,
        y=table.truth,
        names=table.index,
        features=None if outcome.data is None else table.names,
        choice=outcome.choice,
        parts=outcome.parts,
        title=f"{table.path.name}: {outcome.counted}",
        command=shlex.join(["coterie", *_console.Settings.words]),
    )


def _document(outcome: Outcome) -> dict[str, Any]:
    table, result, files = outcome.table, outcome.result, outcome.files
    samples = {
        "index": table.index,
        "labels": result.labels,
        "confidence": result.confidence,
        "second": result.second,
        "margin": result.margin,
    }
    return {
        "input": {
            "path": str(table.path),
            "n_samples": result.labels.size,
            "n_columns": len(table.names),
            "header": table.has_header,
            "index": table.index_name,
            "truth": table.truth_name,
            "dropped": table.dropped,
        },
        "parameters": outcome.parameters,
        "ensemble": {
            "n_members": outcome.ensemble.n_members,
            "n_clusters_per_member": outcome.ensemble.n_clusters_per_member,
            "diversity": outcome.diversity,
        },
        "n_clusters": len(outcome.clusters),
        "clusters": [
            {"cluster": c, "size": size, "confidence": sure}
            for c, size, sure in outcome.clusters
        ],
        "confidence_mean": float(np.mean(outcome.confidence)),
        "k_choice": None if outcome.choice is None else outcome.choice.to_dict(),
        "system_reason": outcome.reason,
        "resumed": outcome.resumed,
        "scores": outcome.scores,
        "seconds": round(outcome.seconds, 3),
        "output": files.output,
        "ensemble_file": files.save_ensemble,
        "report": files.report,
        "warnings": outcome.warnings,
        **{key: None if files.output else values for key, values in samples.items()},
    }


def _cluster_table(outcome: Outcome) -> Any:
    rows = outcome.clusters
    n = outcome.result.labels.size
    title = f"{outcome.counted} of {n:,} samples"
    grid = _console.grid(title, "cluster", "samples", "share", "confidence")
    grid.add_column("")
    largest = max(size for _, size, _ in rows)
    for c, size, sure in rows[:_MOST_ROWS]:
        bar = "█" * max(1, round(20 * size / largest))
        share = f"{100 * size / n:.1f}%"
        grid.add_row(str(c), f"{size:,}", share, f"{sure:.2f}", f"[cyan]{bar}[/cyan]")
    if len(rows) > _MOST_ROWS:
        grid.add_row("...", f"{len(rows) - _MOST_ROWS} more")
    return grid


def _facts(outcome: Outcome, scores: dict[str, float] | None) -> list[tuple[str, str]]:
    known = ""
    if scores is not None:
        known = "  ".join(f"{_SCORES[s]} {scores[s]:.3f}" for s in _SCORES)
        if scores["n_samples"] < outcome.result.labels.size:
            n = int(scores["n_samples"])
            known += f"  (on the {n:,} samples whose class is known)"
    files = outcome.files
    labels = f"written to {files.output}"
    if files.output is None:
        labels = "not saved; add -o labels.csv to keep them"
    facts = [
        ("input", f"{outcome.table.path} ({_columns_taken(outcome.table)})"),
        ("k", outcome.choice and outcome.choice.sentence),
        ("system", outcome.reason),
        ("done", outcome.story),
        ("resumed", outcome.resumed),
        ("members", f"diversity {outcome.diversity:.2f} (0 all alike, 1 unrelated)"),
        ("confidence", f"{np.mean(outcome.confidence):.2f} on average"),
        ("truth", known),
        ("time", f"{outcome.seconds:.1f} s"),
        ("report", files.report and f"written to {files.report}"),
        ("ensemble", files.save_ensemble and f"written to {files.save_ensemble}"),
        ("labels", "" if files.output == _files.STDOUT else labels),
    ]
    return [(name, text) for name, text in facts if text]


def _columns_taken(table: Table) -> str:
    if hasattr(table.values, "members"):
        return "a saved ensemble"
    header = " without header" if table.has_header is False else ""
    taken = [count(len(table.names), "column") + header]
    if table.index_name is not None:
        taken.append(f"index: {table.index_name}")
    if table.truth_name is not None:
        taken.append(f"truth: {table.truth_name}")
    if table.dropped:
        taken.append(f"dropped: {', '.join(table.dropped)}")
    return "; ".join(taken)
