"""What `cluster` and `combine` tell about their result."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie._version import __version__
from coterie.cli import _console, _files

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from coterie.cli._columns import Table
    from coterie.consensus import ConsensusResult
    from coterie.ensemble import Ensemble

_MOST_ROWS = 30
SCORES = {"nmi_geometric": "NMI", "ari": "ARI", "acc": "ACC", "purity": "purity"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """A finished run, with all that is told about it."""

    command: str
    table: Table
    ensemble: Ensemble  # of some samples, where they are very many
    result: ConsensusResult
    parameters: dict[str, Any]
    story: str  # one sentence: what was done
    seconds: float
    warnings: list[str]
    output: Path | None = None
    ensemble_file: Path | None = None
    report_file: Path | None = None
    model: Any = None
    data: Any = None  # as it was clustered
    parts: tuple[Any, ...] = ()
    choice: Any = None  # why there are so many clusters
    reason: str | None = None  # why this system
    scores: dict[str, float] | None = field(init=False)
    diversity: float = field(init=False)

    def __post_init__(self) -> None:
        from coterie.metrics import diversity

        object.__setattr__(self, "diversity", diversity(self.ensemble))
        object.__setattr__(self, "scores", _scores(self.table.truth, self.labels))

    @property
    def labels(self) -> np.ndarray:
        """The cluster of each sample."""
        return self.result.labels

    @property
    def confidence(self) -> np.ndarray:
        """How firmly the ensemble places each sample there."""
        assert self.result.confidence is not None
        return self.result.confidence

    def clusters(self) -> list[tuple[int, int, float]]:
        """Return number, size and mean confidence of each cluster."""
        import numpy as np

        sizes = np.bincount(self.labels)
        sums = np.bincount(self.labels, weights=self.confidence)
        return [
            (c, int(size), float(sums[c] / size))
            for c, size in enumerate(sizes.tolist())
        ]

    def n_distinct_rows(self) -> int | None:
        """Return the number of distinct label rows, where all are known."""
        whole = self.ensemble.n_samples == self.labels.size
        return len(self.ensemble.core) if whole else None

    def difficulty(self) -> np.ndarray | None:
        """Return how hard each sample was, where the method learns that."""
        learned = self.result.details.get("difficulty")
        if learned is not None:
            return learned
        weights = getattr(self.model, "weights_", None)
        return None if weights is None else weights.samples

    def write_report(self) -> None:
        """Write the HTML report, if one was asked for."""
        if self.report_file is None:
            return
        from coterie.answers import explain, report

        has_data = self.data is not None
        report(
            self.model if has_data else explain(self.ensemble, self.result),
            self.data,
            self.report_file,
            y=self.table.truth,
            names=self.table.index,
            features=self.table.names if has_data else None,
            choice=self.choice,
            parts=self.parts,
            title=f"{self.table.path.name}: {len(self.clusters())} clusters",
            command=shlex.join(["coterie", *_console.Settings.words]),
        )

    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns of the output file."""
        columns = {"label": self.labels, "confidence": self.confidence}
        if self.result.second is not None and self.result.margin is not None:
            columns |= {"second": self.result.second, "margin": self.result.margin}
        difficulty = self.difficulty()
        if difficulty is not None:
            columns["difficulty"] = difficulty
        table = self.table
        if table.index is None or table.index_name is None:
            return columns
        import numpy as np

        index = table.index
        if index.dtype.kind == "O":
            index = np.array(["" if v is None else v for v in index], dtype=object)
        name = table.index_name if table.index_name not in columns else "index"
        return {name: index, **columns}


def check_outputs(
    data: Path,
    output: Path | None,
    ensemble: Path | None,
    as_json: bool,
    quiet: bool,
    report: Path | None = None,
) -> None:
    """Raise for outputs that cannot be, before any work."""
    _files.check_output(output, data)
    if report is not None:
        _files.check_output(report, data, only=".html")
    if ensemble is not None:
        others = [data] if output is None or output == _files.STDOUT else [data, output]
        _files.check_output(ensemble, *others, only=".npz")
    if as_json and output == _files.STDOUT:
        raise ValueError(
            "--json and -o - both want the standard output. Give -o a file, or leave "
            "it out: the JSON document then holds the labels."
        )
    if quiet and not as_json and {output, ensemble, report} == {None}:
        raise ValueError(
            "--quiet would do the work and show nothing. Say where the labels go with "
            "-o, or use --json."
        )


def tell(outcome: Outcome, as_json: bool, quiet: bool) -> None:
    """Write the output file and tell about the result."""
    output = outcome.output
    if output == _files.STDOUT:
        sys.stdout.write(_files.delimited(outcome.columns()))
    elif output is not None:
        _files.write_columns(output, outcome.columns())
    if outcome.ensemble_file is not None:
        outcome.ensemble.save(outcome.ensemble_file)
    outcome.write_report()
    if as_json:
        _console.write_json(_document(outcome))
        return
    _console.show_warnings(outcome.warnings)
    if not quiet:
        console = _console.err() if output == _files.STDOUT else _console.out()
        _print_summary(outcome, console)


def _scores(truth: np.ndarray | None, labels: np.ndarray) -> dict[str, float] | None:
    """Return the scores on the samples whose class is known."""
    if truth is None:
        return None
    import numpy as np

    from coterie.metrics import score

    known = np.array([v is not None and v == v for v in truth.tolist()])
    if not known.any():
        raise ValueError("The column named as --truth is empty.")
    measured = score(truth[known].tolist(), labels[known])
    return {"n_samples": int(known.sum()), **measured}


def _document(outcome: Outcome) -> dict[str, Any]:
    table = outcome.table
    in_file = outcome.output is not None
    return {
        "command": outcome.command,
        "version": __version__,
        "input": {
            "path": str(table.path),
            "n_samples": outcome.labels.size,
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
            "n_distinct_rows": outcome.n_distinct_rows(),
            "diversity": outcome.diversity,
        },
        "n_clusters": len(outcome.clusters()),
        "clusters": [
            {"cluster": c, "size": size, "confidence": sure}
            for c, size, sure in outcome.clusters()
        ],
        "confidence_mean": float(outcome.confidence.mean()),
        "k_choice": None if outcome.choice is None else outcome.choice.to_dict(),
        "system_reason": outcome.reason,
        "scores": outcome.scores,
        "seconds": round(outcome.seconds, 3),
        "output": str(outcome.output) if in_file else None,
        "ensemble_file": (
            None if outcome.ensemble_file is None else str(outcome.ensemble_file)
        ),
        "report": None if outcome.report_file is None else str(outcome.report_file),
        "warnings": outcome.warnings,
        "index": None if in_file else table.index,
        "labels": None if in_file else outcome.labels,
        "confidence": None if in_file else outcome.confidence,
        "second": None if in_file else outcome.result.second,
        "margin": None if in_file else outcome.result.margin,
    }


def _print_summary(outcome: Outcome, console: Console) -> None:
    from rich.markup import escape

    console.print(_cluster_table(outcome))
    facts = _facts(outcome)
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        console.print(
            f"[dim]{name:>{width}}[/dim]  {escape(text)}", soft_wrap=True, style=None
        )


def _cluster_table(outcome: Outcome) -> Any:
    from rich import box
    from rich.table import Table as Grid

    rows = outcome.clusters()
    n = outcome.labels.size
    title = f"{len(rows)} clusters of {n:,} samples"
    grid = Grid(title=title, box=box.SIMPLE_HEAD, title_style="bold", pad_edge=False)
    for name in ("cluster", "samples", "share", "confidence"):
        grid.add_column(name, justify="right")
    grid.add_column("")
    largest = max(size for _, size, _ in rows)
    for c, size, sure in rows[:_MOST_ROWS]:
        bar = "█" * max(1, round(20 * size / largest))
        share = f"{100 * size / n:.1f}%"
        grid.add_row(str(c), f"{size:,}", share, f"{sure:.2f}", f"[cyan]{bar}[/cyan]")
    if len(rows) > _MOST_ROWS:
        grid.add_row("...", f"{len(rows) - _MOST_ROWS} more", "", "", "")
    return grid


def _facts(outcome: Outcome) -> list[tuple[str, str]]:
    table = outcome.table
    facts = [("input", f"{table.path} ({_columns_taken(table)})")]
    if outcome.choice is not None:
        facts.append(("k", outcome.choice.sentence))
    if outcome.reason is not None:
        facts.append(("system", outcome.reason))
    facts.append(("done", outcome.story))
    facts.append(
        ("members", f"diversity {outcome.diversity:.2f} (0 all alike, 1 unrelated)")
    )
    facts.append(("confidence", f"{outcome.confidence.mean():.2f} on average"))
    if outcome.scores is not None:
        text = "  ".join(f"{SCORES[s]} {outcome.scores[s]:.3f}" for s in SCORES)
        known = int(outcome.scores["n_samples"])
        if known < outcome.labels.size:
            text += f"  (on the {known:,} samples whose class is known)"
        facts.append(("truth", text))
    facts.append(("time", f"{outcome.seconds:.1f} s"))
    facts += _written(outcome)
    return facts


def _columns_taken(table: Table) -> str:
    if hasattr(table.values, "members"):
        return "a saved ensemble"
    taken = [f"{len(table.names)} column{'s' if len(table.names) != 1 else ''}"]
    if table.has_header is not None:
        taken[0] += "" if table.has_header else " without header"
    if table.index_name is not None:
        taken.append(f"index: {table.index_name}")
    if table.truth_name is not None:
        taken.append(f"truth: {table.truth_name}")
    if table.dropped:
        taken.append(f"dropped: {', '.join(table.dropped)}")
    return "; ".join(taken)


def _written(outcome: Outcome) -> list[tuple[str, str]]:
    written = []
    if outcome.report_file is not None:
        written.append(("report", f"written to {outcome.report_file}"))
    if outcome.ensemble_file is not None:
        written.append(("ensemble", f"written to {outcome.ensemble_file}"))
    if outcome.output is None:
        written.append(("labels", "not saved; add -o labels.csv to keep them"))
    elif outcome.output != _files.STDOUT:
        written.append(("labels", f"written to {outcome.output}"))
    return written
