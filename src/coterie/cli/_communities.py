"""`coterie communities`: from edges to groups of nodes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from coterie.cli import _console
from coterie.cli._files import Outputs, no_file, write_columns
from coterie.cli._options import command, parse_span, settings_of


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
    """Find the communities of a graph, and their modularity.

    Example: [bold]coterie communities edges.csv -o communities.csv[/bold]

    Parameters
    ----------
    edges : EDGES
        One edge per line: two nodes (numbers or words) and, optionally, a weight. CSV,
        TSV, or columns separated by spaces.
    number : -k, --communities LOW:HIGH
        Communities to find: a number, or a range to search for the highest modularity.
    """
    span = parse_span(number, "--communities") or (2, 50)
    files.check(edges)
    with _console.work(files) as work:
        work.start("Reading")
        links = read_edges(edges, header)
        import numpy as np

        from coterie import applications

        find = applications.communities
        more = settings_of(settings, find, "communities")
        work.start("Growing networks")
        found = find(
            links, span, random_state=seed, n_jobs=jobs, progress=work.step, **more
        )
    nodes = np.array(found.names, dtype=object)
    if files.output is not None:
        write_columns(files.output, {"node": nodes, "label": found.labels})
    sizes = np.bincount(found.labels)
    document = {
        "input": edges,
        "n_nodes": found.labels.size,
        "n_edges": len(links),
        "n_communities": found.n_communities,
        "modularity": found.modularity,
        "sizes": sizes,
        "curve": {str(k): round(q, 4) for k, q in found.curve.items()},
        "output": files.output,
        "nodes": None if files.output else nodes,
        "labels": None if files.output else found.labels,
    }

    def show(console: Any) -> None:
        largest = ", ".join(f"{size:,}" for size in np.sort(sizes)[::-1][:10])
        saved = f"written to {files.output}"
        unsaved = "communities not saved; add -o communities.csv to keep them"
        console.print(
            f"{found.n_communities} communities of {found.labels.size:,} nodes and "
            f"{len(links):,} edges, modularity {found.modularity:.3f}, in "
            f"{work.seconds:.1f} s\nlargest: {largest} nodes\n"
            f"{saved if files.output else unsaved}"
        )

    work.tell("communities", files, document, show)


def read_edges(path: Path, header: bool | None) -> list[tuple[Any, ...]]:
    """Return the edges of a file: two words each, and a weight if there is one."""
    if not path.is_file():
        raise no_file(path)
    text = path.read_text(encoding="utf-8-sig").splitlines()
    lines = {
        number: line
        for number, line in enumerate(text, start=1)
        if line.strip() and not line.lstrip().startswith(("#", "%"))
    }
    if not lines:
        raise ValueError(
            f"{path} is empty. Write one edge per line: two nodes, as in a,b."
        )
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
            f"{path} has {width} columns; two nodes and, optionally, a weight were "
            "expected. For a table of samples, type `coterie cluster`."
        )
    for number, row in zip(lines, rows, strict=False):
        if len(row) != width:
            raise ValueError(
                f"{path}: line {number} has {len(row)} columns, the first has {width}. "
                "Mend the line, or start it with # to leave it out."
            )
    if _looks_like_header(rows) if header is None else header:
        rows = rows[1:]
    if not rows:
        raise ValueError(
            f"{path} has a header and no edges. If its first line is an edge, use "
            "--no-header."
        )
    try:
        return [(row[0], row[1], *map(float, row[2:])) for row in rows]
    except ValueError as error:
        raise ValueError(
            f"{path}: a weight is not a number: {error}. If the first line holds "
            "names, use --header."
        ) from None


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row has words where the second has numbers."""
    from coterie.cli._numerals import is_number

    if len(rows) < 2:
        return False
    pairs = zip(rows[0], rows[1], strict=True)
    names = {word.lower() for word in rows[0][:2]}
    return names in ({"source", "target"}, {"from", "to"}) or any(
        not is_number(a) and is_number(b) for a, b in pairs
    )
