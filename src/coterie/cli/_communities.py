"""`coterie communities`: from edges to groups of nodes."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Any

from coterie.cli import _console
from coterie.cli._files import Outputs, write_columns
from coterie.cli._options import command, parse_span
from coterie.cli._settings import check_settings, parse_settings


@command
def communities(
    edges: Path,
    files: Outputs,
    number: str = "2:50",
    settings: list[str] = [],  # noqa: B006 - typer copies it
    seed: int = 0,
    jobs: int = -1,
    header: bool | None = None,
) -> None:
    """Find the communities of a graph, and how well they fit it (modularity).

    Example: [bold]coterie communities edges.csv -o communities.csv[/bold]

    Parameters
    ----------
    edges : EDGES
        A link in each line: two nodes (numbers or words) and, if there is a third
        column, its weight. CSV, TSV, or columns separated by spaces.
    number : -k, --communities LOW:HIGH
        Communities: a number, or a range from which the one of largest modularity is
        taken.
    """
    start = time.perf_counter()
    span = parse_span(number, "--communities") or (2, 50)
    files.check(edges)
    with _console.stages(not files.silent) as stages:
        stages.start("Reading")
        links = read_edges(edges, header)
        import numpy as np

        from coterie.applications import communities as find_communities

        more = parse_settings(settings)
        check_settings(more, find_communities, "communities")
        stages.start("Growing networks")
        found = find_communities(
            links,
            span,
            random_state=seed,
            n_jobs=jobs,
            progress=stages.step,
            **more,
        )
    if files.output is not None:
        names = np.array(found.names, dtype=object)
        write_columns(files.output, {"node": names, "label": found.labels})
    sizes = np.bincount(found.labels)
    seconds = time.perf_counter() - start
    if files.as_json:
        in_file = files.output is not None
        _console.write_json(
            "communities",
            input=str(edges),
            n_nodes=found.labels.size,
            n_edges=len(links),
            n_communities=found.n_communities,
            modularity=found.modularity,
            sizes=sizes,
            curve={str(k): round(q, 4) for k, q in found.curve.items()},
            output=files.output,
            seconds=round(seconds, 3),
            nodes=None if in_file else found.names,
            labels=None if in_file else found.labels,
        )
    elif not files.quiet:
        largest = ", ".join(f"{size:,}" for size in np.sort(sizes)[::-1][:10])
        saved = f"written to {files.output}"
        unsaved = "communities not saved; add -o communities.csv to keep them"
        files.console().print(
            f"{found.n_communities} communities of {found.labels.size:,} nodes and "
            f"{len(links):,} edges, modularity {found.modularity:.3f}, in "
            f"{seconds:.1f} s\nlargest: {largest} nodes\n"
            f"{unsaved if files.output is None else saved}"
        )


def read_edges(path: Path, header: bool | None) -> list[tuple[Any, ...]]:
    """Return the links of a file: two words each, and a weight if there is one."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    text = path.read_text(encoding="utf-8-sig").splitlines()
    lines = {
        number: line
        for number, line in enumerate(text, start=1)
        if line.strip() and not line.lstrip().startswith(("#", "%"))
    }
    if not lines:
        raise ValueError(f"{path} is empty.")
    first = next(iter(lines.values()))
    delimiter = next((d for d in ",;\t" if d in first), None)
    if delimiter is None:
        rows = [line.split() for line in lines.values()]
    else:
        cells = csv.reader(lines.values(), delimiter=delimiter)
        rows = [[word.strip() for word in row] for row in cells]
    width = len(rows[0])
    if width not in (2, 3):
        raise ValueError(
            f"{path} has {width} columns; an edge is expected as two nodes and, if "
            "there is a third column, its weight."
        )
    for number, row in zip(lines, rows, strict=False):
        if len(row) != width:
            raise ValueError(
                f"{path}: line {number} has {len(row)} columns, the first has {width}."
            )
    if _looks_like_header(rows) if header is None else header:
        rows = rows[1:]
    if not rows:
        raise ValueError(f"{path} has a header and no edges.")
    try:
        return [(row[0], row[1], *map(float, row[2:])) for row in rows]
    except ValueError as error:
        raise ValueError(f"{path}: a weight is not a number: {error}.") from None


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row has words where the second has numbers."""
    from coterie.cli._delimited import is_number

    if len(rows) < 2:
        return False
    pairs = zip(rows[0], rows[1], strict=True)
    names = {word.lower() for word in rows[0][:2]}
    return names in ({"source", "target"}, {"from", "to"}) or any(
        not is_number(a) and is_number(b) for a, b in pairs
    )
