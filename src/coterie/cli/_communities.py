"""`coterie communities`: from edges to groups of nodes."""

from __future__ import annotations

import csv
import time
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from coterie.cli import _console, _options
from coterie.cli._cluster import parse_span


@_console.guarded
def communities(
    edges: Annotated[
        Path,
        typer.Argument(
            metavar="EDGES",
            readable=False,
            help="A link in each line: two nodes (numbers or words) and, if there is a "
            "third column, its weight. CSV, TSV, or columns parted by spaces.",
            show_default=False,
        ),
    ],
    number: Annotated[
        str,
        typer.Option(
            "-k",
            "--communities",
            metavar="LOW:HIGH",
            help="Communities: a number, or a range from which the number of largest "
            "modularity is taken.",
        ),
    ] = "2:50",
    models: Annotated[int, typer.Option(min=1, help="Number of networks.")] = 10,
    seed: _options.Seed = 0,
    jobs: Annotated[
        int, typer.Option(help="Networks made side by side; -1 = all cores.")
    ] = -1,
    header: _options.Header = None,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            readable=False,
            help="Where to write node and community: .csv, .tsv, .parquet or .npz.",
        ),
    ] = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Find the communities of a graph, and how well they fit it (modularity).

    Example: [bold]coterie communities edges.csv -o communities.csv[/bold]
    """
    from coterie.cli import _files

    start = time.perf_counter()
    span = parse_span(number, "--communities")
    _files.check_output(output, edges)
    if quiet and output is None and not as_json:
        raise ValueError(
            "--quiet would do the work and show nothing. Say where the communities go "
            "with -o, or use --json."
        )
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        links = read_edges(edges, header)
        from coterie.applications import communities as find_communities

        stages.start("Growing networks")
        found = find_communities(
            links,
            span or (2, 50),
            n_members=models,
            seed=seed,
            n_jobs=jobs,
            progress=stages.step,
        )
    if output is not None:
        import numpy as np

        names = np.array(found.names, dtype=object)
        _files.write_columns(output, {"node": names, "label": found.labels})
    _tell(edges, output, found, len(links), time.perf_counter() - start, as_json, quiet)


def read_edges(path: Path, header: bool | None) -> list[tuple[Any, ...]]:
    """Return the links of a file: two words each, and a weight if there is one."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    lines = [
        line
        for line in path.read_text(encoding="utf-8-sig").splitlines()
        if line.strip() and not line.lstrip().startswith(("#", "%"))
    ]
    if not lines:
        raise ValueError(f"{path} is empty.")
    delimiter = next((d for d in (",", ";", "\t") if d in lines[0]), None)
    if delimiter is None:
        rows = [line.split() for line in lines]
    else:
        rows = [
            [word.strip() for word in row]
            for row in csv.reader(lines, delimiter=delimiter)
        ]
    width = len(rows[0])
    if width not in (2, 3):
        raise ValueError(
            f"{path} has {width} columns; an edge is expected as two nodes and, if "
            "there is a third column, its weight."
        )
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise ValueError(
                f"{path}: line {number} has {len(row)} columns, the first has {width}."
            )
    if header is None:
        header = _looks_like_header(rows)
    rows = rows[1:] if header else rows
    if not rows:
        raise ValueError(f"{path} has a header and no edges.")
    if width == 2:
        return [tuple(row) for row in rows]
    try:
        return [(a, b, float(w)) for a, b, w in rows]
    except ValueError as error:
        raise ValueError(f"{path}: a weight is no number: {error}.") from None


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row has words where the others have numbers."""
    if len(rows) < 2:
        return False
    first, second = rows[0], rows[1]
    return any(
        not _is_number(a) and _is_number(b) for a, b in zip(first, second, strict=True)
    ) or {word.lower() for word in first[:2]} in ({"source", "target"}, {"from", "to"})


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _tell(
    edges: Path,
    output: Path | None,
    found: Any,
    n_edges: int,
    seconds: float,
    as_json: bool,
    quiet: bool,
) -> None:
    import numpy as np

    sizes = np.bincount(found.labels)
    if as_json:
        in_file = output is not None
        _console.write_json(
            {
                "command": "communities",
                "input": str(edges),
                "n_nodes": found.labels.size,
                "n_edges": n_edges,
                "n_communities": found.n_communities,
                "modularity": found.modularity,
                "sizes": sizes,
                "curve": {str(k): round(q, 4) for k, q in found.curve.items()},
                "output": str(output) if in_file else None,
                "seconds": round(seconds, 3),
                "nodes": None if in_file else found.names,
                "labels": None if in_file else found.labels,
            }
        )
        return
    if quiet:
        return
    console = _console.out()
    console.print(
        f"{found.n_communities} communities of {found.labels.size:,} nodes and "
        f"{n_edges:,} edges, modularity {found.modularity:.3f}, in {seconds:.1f} s"
    )
    largest = ", ".join(f"{size:,}" for size in np.sort(sizes)[::-1][:10])
    console.print(f"largest: {largest} nodes")
    if output is None:
        console.print("communities not saved; add -o communities.csv to keep them")
    else:
        console.print(f"written to {output}")
