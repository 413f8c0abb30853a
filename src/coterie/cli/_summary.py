"""How `cluster` and `combine` present a result: files, JSON, tables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._display import count
from coterie.cli import _console, _files, _panel

if TYPE_CHECKING:
    from coterie.answers._kinds import Kinds
    from coterie.cli._columns import Table
    from coterie.consensus import ConsensusResult
    from coterie.ensemble import Ensemble

_MOST_ROWS = 30
_MOST_SAMPLES, _MOST_MEMBERS = 10_000, 100  # used to measure diversity
_SCORES = {"nmi_geometric": "NMI", "ari": "ARI", "acc": "ACC", "purity": "purity"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run."""

    command: str
    table: Table
    ensemble: Ensemble
    result: ConsensusResult
    parameters: dict[str, Any]
    story: str  # what was done, in one sentence
    files: _files.MoreOutputs
    model: Any = None
    data: Any = None  # as clustered, if in memory
    parts: tuple[Any, ...] = ()  # if there is no model that knows them
    choice: Any = None  # the reasons for the number of clusters
    reason: str | None = None  # why this system
    preparations: Sequence[str] = ()  # what was done to the data before
    resumed: str | None = None  # what a checkpoint held

    @cached_property
    def clusters(self) -> list[dict[str, Any]]:
        """Number, size and mean confidence of each cluster."""
        sizes = np.bincount(self.result.labels)
        sure = np.bincount(self.result.labels, weights=self.result.confidence) / sizes
        pairs = enumerate(zip(sizes.tolist(), sure.tolist(), strict=True))
        return [{"cluster": c, "size": n, "confidence": mean} for c, (n, mean) in pairs]

    @cached_property
    def diversity(self) -> float:
        """Diversity of the members, from a subsample if there are very many."""
        from coterie.metrics import diversity

        few: Any = self.ensemble.voters()
        if hasattr(few, "sample"):
            few = few.sample(_MOST_SAMPLES, np.random.default_rng(0))
        if few.n_members > _MOST_MEMBERS:
            few = few.subset(np.arange(_MOST_MEMBERS) * few.n_members // _MOST_MEMBERS)
        return diversity(few)

    @cached_property
    def scores(self) -> dict[str, float] | None:
        """Scores on the samples whose class is known."""
        truth = self.table.truth
        if truth is None:
            return None
        from coterie.metrics import score

        known = np.array([v is not None and v == v for v in truth.tolist()])
        if not known.any():
            raise ValueError(
                "The column named as --truth is empty. Name another, or leave --truth "
                "out."
            )
        measured = score(truth[known].tolist(), self.result.labels[known])
        return {"n_samples": int(known.sum()), **measured}

    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns of the output file."""
        result, table = self.result, self.table
        weights = getattr(self.model, "weights_", None)
        learned = None if weights is None else weights.samples
        found: dict[str, Any] = {
            "label": result.labels,
            "confidence": result.confidence,
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

    @property
    def notes(self) -> dict[str, tuple[str, ...]]:
        """What was done with the columns, and whom the panel left out and why."""
        return {
            "columns": (*self.preparations, *getattr(self.model, "_fit_notes", ())),
            "panel": self.ensemble.notes,
        }

    @cached_property
    def kinds(self) -> Kinds | None:
        """The groups of a panel; None if the result does not come from one."""
        if "kind_labels" not in self.result.details:
            return None
        from coterie.answers import explain

        if self.model is None:
            return explain(self.ensemble, self.result).by_kind
        return explain(self.model).by_kind

    def document(self) -> dict[str, Any]:
        """Return the JSON document; it holds the labels if no file does."""
        table, result, files = self.table, self.result, self.files
        samples = {
            "index": table.index,
            "labels": result.labels,
            "confidence": result.confidence,
            "second": result.second,
            "margin": result.margin,
        }
        return {
            "input": {
                "path": table.path,
                "n_samples": result.labels.size,
                "n_columns": len(table.names),
                "header": table.has_header,
                "index": table.index_name,
                "truth": table.truth_name,
                "dropped": table.dropped,
                "guesses": table.guesses,
            },
            "parameters": self.parameters,
            "ensemble": {
                "n_members": self.ensemble.n_members,
                "n_clusters_per_member": self.ensemble.n_clusters_per_member,
                "diversity": self.diversity,
            },
            "n_clusters": len(self.clusters),
            "clusters": self.clusters,
            "confidence_mean": np.mean(result.confidence),
            "k_choice": self.choice and self.choice.to_dict(),
            "system_reason": self.reason,
            "notes": self.notes["columns"],
            "panel_notes": self.notes["panel"],
            "kinds": [] if self.kinds is None else _panel.records(self.kinds),
            "resumed": self.resumed,
            "scores": self.scores,
            "output": files.output,
            "ensemble_file": files.save_ensemble,
            "report": files.report,
            **{name: None if files.output else one for name, one in samples.items()},
        }


def tell(outcome: Outcome, work: _console.Work) -> None:
    """Write the output files, and show the result."""
    files, table = outcome.files, outcome.table
    title = count(len(outcome.clusters), "cluster")
    _ = outcome.scores  # may raise: before writing
    if files.output is not None:
        _files.write_columns(files.output, outcome.columns())
    if files.save_ensemble is not None:
        outcome.ensemble.save(files.save_ensemble)
    if files.report is not None:
        from coterie.answers import explain, report

        report(
            outcome.model or explain(outcome.ensemble, outcome.result),
            outcome.data,
            files.report,
            y=table.truth,
            names=table.index,
            features=None if outcome.data is None else table.names,
            choice=outcome.choice,
            parts=outcome.parts,
            title=f"{table.path.name}: {title}",
            command=shlex.join(["coterie", *_console.Settings.words]),
        )

    def show(console: Any) -> None:
        console.print(_grid(outcome, title))
        if outcome.kinds is not None and len(outcome.kinds.groups) > 1:
            console.print(_panel.grid(outcome.kinds))
        _console.print_facts(_facts(outcome, work.seconds), console)

    document = outcome.document() if files.as_json else {}
    work.tell(outcome.command, files, document, show)


def _grid(outcome: Outcome, title: str) -> Any:
    rows, n = outcome.clusters, outcome.result.labels.size
    heads = ("cluster", "samples", "share", "confidence", "")
    grid = _console.grid(f"{title} of {n:,} samples", heads)
    grid.columns[-1].justify = "left"
    largest = max(row["size"] for row in rows)
    for row in rows[:_MOST_ROWS]:
        size = row["size"]
        bar = "█" * max(1, round(20 * size / largest))
        cells = f"{size:,}", f"{100 * size / n:.1f}%", f"{row['confidence']:.2f}"
        grid.add_row(str(row["cluster"]), *cells, f"[cyan]{bar}[/cyan]")
    if len(rows) > _MOST_ROWS:
        grid.add_row("...", f"{len(rows) - _MOST_ROWS} more")
    return grid


def _facts(outcome: Outcome, seconds: float) -> list[tuple[str, Any]]:
    files, scores, known = outcome.files, outcome.scores, ""
    if scores is not None:
        known = "  ".join(f"{_SCORES[s]} {scores[s]:.3f}" for s in _SCORES)
        if scores["n_samples"] < outcome.result.labels.size:
            known += f"  (on the {scores['n_samples']:,} samples whose class is known)"
    labels = "not saved; add -o labels.csv to keep them"
    if files.output is not None:
        labels = "" if files.to_stdout else f"written to {files.output}"
    return [
        ("input", f"{outcome.table.path} ({_columns_used(outcome.table)})"),
        *(("guessed", guess) for guess in outcome.table.guesses),
        *((name, note) for name, said in outcome.notes.items() for note in said),
        ("k", outcome.choice and outcome.choice.sentence),
        ("system", outcome.reason),
        ("done", outcome.story),
        ("resumed", outcome.resumed),
        ("members", f"diversity {outcome.diversity:.2f} (0 identical, 1 unrelated)"),
        ("agreement", outcome.kinds and _panel.sentence(outcome.kinds)),
        ("confidence", f"{np.mean(outcome.result.confidence):.2f} on average"),
        ("truth", known),
        ("time", f"{seconds:.1f} s"),
        ("report", files.report and f"written to {files.report}"),
        ("ensemble", files.save_ensemble and f"written to {files.save_ensemble}"),
        ("labels", labels),
    ]


def _columns_used(table: Table) -> str:
    if hasattr(table.values, "coassociation"):
        return "a saved ensemble"
    header = " without header" if table.has_header is False else ""
    parts = {
        "index": table.index_name,
        "truth": table.truth_name,
        "dropped": ", ".join(table.dropped),
    }
    used = [f"{name}: {text}" for name, text in parts.items() if text]
    return "; ".join([count(len(table.names), "column") + header, *used])
