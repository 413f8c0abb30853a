"""`coterie communities`: from edges to groups of nodes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from coterie._atomic import write_atomically
from coterie.cli import _console
from coterie.cli._files import Outputs, check_output, no_file, write_columns
from coterie.cli._options import command, parse_span, settings_of

_ENDS = (("source", "target"), ("from", "to"))  # names of columns


@command
def communities(
    edges: Path,
    files: Outputs,
    number: str | None = None,
    method: str = "consensus",
    resolution: float = 1.0,
    picture: Path | None = None,
    settings: list[str] = [],  # noqa: B006 - typer copies it
    seed: int = 0,
    jobs: int = -1,
    header: bool | None = None,
) -> None:
    """Find the communities of a graph, how sure they are, and whether there are any.

    Example: [bold]coterie communities edges.csv -o communities.csv[/bold]

    Parameters
    ----------
    edges : GRAPH
        One edge per line: two nodes (numbers or words) and, optionally, a weight. CSV,
        TSV, or columns separated by spaces. More columns are fine if the first line
        names two of them source and target. GraphML and GML files need networkx.
    number : -k, --communities LOW:HIGH
        Communities to find: a number, or a range. [default: as many as there are, which
        may be none]
    method : --method
        consensus, of many runs of Leiden's algorithm; mbn or mbn-sd: bootstrap
        networks.
    resolution : --resolution
        Larger ones give more communities.
    picture : FILE.png
        Draw the communities; needs matplotlib.
    """
    span = parse_span(number, "--communities")
    files.check(edges)
    check_output(picture, edges, only=".png")
    with _console.work(files) as work:
        work.start("Reading")
        graph = read_graph_file(edges, header)
        import numpy as np

        from coterie import applications

        find = applications.communities
        more = settings_of(settings, find, "communities")
        work.start("Partitioning")
        found = find(
            graph,
            span,
            method=method,
            resolution=resolution,
            random_state=seed,
            n_jobs=jobs,
            progress=work.step,
            **more,
        )
        if picture is not None:
            work.start("Drawing")
            _write_picture(picture, found)
    columns = {name: np.asarray(values) for name, values in found.columns().items()}
    columns["node"] = np.array(found.names, dtype=object)
    columns = {
        "label" if name == "community" else name: columns[name] for name in columns
    }
    if files.output is not None:
        write_columns(files.output, columns)
    sizes = np.bincount(found.labels)
    n_edges = int(np.count_nonzero(found.graph.diagonal()) + found.graph.nnz) // 2
    kept = None if files.output else columns
    document = {
        "input": edges,
        "n_nodes": found.labels.size,
        "n_edges": n_edges,
        "n_communities": found.n_communities,
        "modularity": found.modularity,
        "p_value": found.p_value,
        "sentence": found.sentence,
        "sizes": sizes,
        "levels": [
            {"resolution": level.resolution, "n_communities": level.n_communities}
            for level in found.tree
        ],
        "curve": {str(k): round(q, 4) for k, q in found.curve.items()},
        "output": files.output,
        "picture": picture,
        "nodes": kept and kept["node"],
        "labels": kept and kept["label"],
        "confidence": kept and kept.get("confidence"),
    }

    def show(console: Any) -> None:
        largest = ", ".join(f"{size:,}" for size in np.sort(sizes)[::-1][:10])
        saved = f"written to {files.output}"
        unsaved = "communities not saved; add -o communities.csv to keep them"
        said = found.sentence[0].upper() + found.sentence[1:]
        console.print(
            f"{said}; {n_edges:,} links, {work.seconds:.1f} s\n"
            f"largest: {largest} nodes\n{saved if files.output else unsaved}"
        )
        if picture is not None:
            console.print(f"drawn in {picture}")

    work.tell("communities", files, document, show)


def read_graph_file(path: Path, header: bool | None) -> Any:
    """Return a networkx graph from GraphML or GML, or the edges of a text file."""
    if not path.is_file():
        raise no_file(path)
    kind = path.suffix.lower()
    if kind not in (".graphml", ".gml"):
        return read_edges(path, header)
    from xml.etree.ElementTree import ParseError

    from coterie._validation import require

    networkx = require("networkx")
    try:
        if kind == ".graphml":
            return networkx.read_graphml(path)
        has_labels = "label" in path.read_text(encoding="utf-8-sig", errors="replace")
        return networkx.read_gml(path, label="label" if has_labels else "id")
    except (networkx.NetworkXError, ParseError, ValueError) as error:
        raise ValueError(f"{path} cannot be read as {kind[1:]}: {error}") from None


def _write_picture(path: Path, found: Any) -> None:
    from coterie._validation import require

    figure = require("matplotlib.figure").Figure(
        figsize=(8.0, 8.0), layout="constrained"
    )
    found.draw(figure.subplots())
    write_atomically(path, lambda file: figure.savefig(file, format="png", dpi=150))


def read_edges(path: Path, header: bool | None) -> list[tuple[Any, ...]]:
    """Return the edges of a file: two words each, and a weight if there is one."""
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
    for number, row in zip(lines, rows, strict=False):
        if len(row) != width:
            raise ValueError(
                f"{path}: line {number} has {len(row)} columns, the first has {width}. "
                "Mend the line, or start it with # to leave it out."
            )
    named = _named_columns(rows[0]) if header is not False else []
    if len(named) == width or (named and width > 3):
        rows = [[row[column] for column in named] for row in rows]
    elif width not in (2, 3):
        raise ValueError(
            f"{path} has {width} columns; two nodes and, optionally, a weight were "
            "expected, or columns named source and target. For a table of samples, "
            "type `coterie cluster`."
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


def _named_columns(names: list[str]) -> list[int]:
    """Return the columns of the two nodes and the weight, if they have usual names."""
    at = {name.lower(): column for column, name in enumerate(names)}
    for ends in _ENDS:
        if all(name in at for name in ends):
            return [at[name] for name in (*ends, "weight") if name in at]
    return []


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row has words where the second has numbers."""
    from coterie.cli._numerals import is_number

    if len(rows) < 2:
        return False
    pairs = zip(rows[0], rows[1], strict=True)
    return bool(_named_columns(rows[0])) or any(
        not is_number(a) and is_number(b) for a, b in pairs
    )
