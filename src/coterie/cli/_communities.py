"""`coterie communities`: from edges to groups of nodes."""

from __future__ import annotations

import ast
import csv
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from coterie._atomic import write_atomically
from coterie._memory import check_memory
from coterie.cli import _console
from coterie.cli._columns import AUTO, NONE
from coterie.cli._files import Outputs, check_output, no_file, write_columns
from coterie.cli._numerals import guess_numerals, looks_numeric
from coterie.cli._options import command, parse_span, settings_of
from coterie.cli._source import Source, source_of
from coterie.exceptions import MemoryLimitError

Edge = tuple[str, str] | tuple[str, str, float]

_ENDS = (("source", "target"), ("from", "to"), ("src", "dst"))  # names of columns
_BY_NETWORKX = {
    **{".graphml": "graphml", ".gml": "gml", ".gexf": "gexf"},
    **{".net": "pajek", ".pajek": "pajek"},
}
GRAPH_FILES = (*_BY_NETWORKX, ".mtx")
_TWINS = re.compile(r"([^\W\d]+[_ -]?)(?:1 \1(2)|a \1(b)|A \1(B))")
_DELIMITERS = "\t;,"
_GZIP = b"\x1f\x8b"
_SAMPLE = 100  # lines that show the delimiter


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
        names two of them source and target. GraphML, GML, GEXF and Pajek files need
        networkx; MTX files hold a matrix.
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
    (files if picture is None else replace(files, quiet=False)).check(edges)
    check_output(picture, edges, only=".png")
    with _console.work(files) as work:
        work.start("Reading")
        graph, guesses = read_graph_file(edges, header)
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
        "guesses": guesses,
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
        from coterie._display import count

        largest = ", ".join(f"{size:,}" for size in np.sort(sizes)[::-1][:10])
        saved = f"written to {files.output}"
        unsaved = "communities not saved; add -o communities.csv to keep them"
        said = found.sentence[0].upper() + found.sentence[1:]
        console.print(
            f"{said}; {count(n_edges, 'link')}, {work.seconds:.1f} s\n"
            f"largest: {largest} node{'s' * bool(sizes.max() > 1)}\n"
            f"{saved if files.output else unsaved}"
        )
        for guess in guesses:
            console.print(f"guessed: {guess}", markup=False)
        if picture is not None:
            console.print(f"drawn in {picture}")

    work.tell("communities", files, document, show)


def read_graph_file(path: Path, header: bool | None) -> tuple[Any, list[str]]:
    """Return the graph of a file in any format, and what was guessed about it."""
    if not path.is_file():
        raise no_file(path)
    kind = path.suffix.lower()
    if kind not in GRAPH_FILES:
        return read_edges(path, header)
    from coterie._validation import require

    networkx = None if kind == ".mtx" else require("networkx")
    try:
        if networkx is None:
            return _read_matrix(path), []
        more = {}
        if kind == ".gml":
            text = path.read_text(encoding="utf-8-sig", errors="replace")
            more["label"] = "label" if "label" in text else "id"
        return getattr(networkx, f"read_{_BY_NETWORKX[kind]}")(path, **more), []
    except MemoryLimitError:
        raise
    except Exception as error:  # of many kinds: the readers do not check what they get
        raise ValueError(
            f"{path} cannot be read as {kind[1:]}: {str(error) or type(error).__name__}"
        ) from None


def _read_matrix(path: Path) -> Any:
    """Return the matrix of an MTX file, if what it claims to hold fits in memory."""
    from scipy.io import mminfo, mmread

    rows, columns, entries, form, *_ = mminfo(path)
    cells = rows * columns if form == "array" else 4 * entries + 8 * rows
    check_memory(8 * cells, f"The matrix of {path}", None, "Check its second line.")
    return mmread(path)


def _write_picture(path: Path, found: Any) -> None:
    from coterie._validation import require

    figure = require("matplotlib.figure").Figure(
        figsize=(8.0, 8.0), layout="constrained"
    )
    found.draw(figure.subplots())
    write_atomically(path, lambda file: figure.savefig(file, format="png", dpi=150))


def read_edges(path: Path, header: bool | None) -> tuple[list[Edge], list[str]]:
    """Return the edges of a text file, and what was guessed about it.

    An edge has two words, and a weight if there is one.
    """
    source = _source(path)
    said = [guess.split(" (else")[0] for guess in source.guesses]
    lines = {
        number: line.rstrip("\r\n")
        for number, line in enumerate(source.lines(), start=1)
        if line.strip() and not line.lstrip().startswith(("#", "%"))
    }
    if not lines:
        raise ValueError(
            f"{path} is empty. Write one edge per line: two nodes, as in a,b."
        )
    delimiter = _delimiter([*lines.values()][:_SAMPLE])
    if delimiter is None:
        rows = [_words(line) for line in lines.values()]
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
    start = int(bool(header))
    if header is None and _looks_like_header(rows):
        start = 1
    elif header is None and _has_twin_names(rows):
        start = 1
        names = " and ".join(map(repr, rows[0][:2]))
        said.append(f"the first line, {names}, holds names (else --no-header)")
    numbers, rows = [*lines][start:], rows[start:]
    if not rows:
        raise ValueError(
            f"{path} has a header and no edges. If its first line is an edge, use "
            "--no-header."
        )
    for number, row in zip(numbers, rows, strict=False):
        if not (row[0] and row[1]):
            raise ValueError(
                f"{path}: line {number} lacks a node. Name it, or start the line with "
                "# to leave it out."
            )
    if len(rows[0]) == 2:
        return [(a, b) for a, b in rows], said
    numerals = guess_numerals([[row[2] for row in rows]], delimiter or " ", AUTO, NONE)
    edges: list[Edge] = []
    for number, (a, b, word) in zip(numbers, rows, strict=False):
        weight = numerals.number(word)
        if weight is None:
            raise ValueError(
                f"{path}: a weight is not a number: {word!r} in line {number}. If the "
                "first line holds names, use --header."
            )
        edges.append((a, b, weight))
    if numerals.decimal == ",":
        said.append("decimal commas in the weights: 1,5 is 1.5")
    return edges, said


def _source(path: Path) -> Source:
    """Return the text of a file, with a guess at its encoding."""
    with path.open("rb") as file:
        if file.read(2) == _GZIP:
            raise ValueError(f"{path} is compressed. Unpack it first: gunzip {path}")
    return source_of(path)


def _delimiter(lines: list[str]) -> str | None:
    """Return the mark that divides lines alike; None for spaces."""
    for mark in _DELIMITERS:
        widths = {len(row) for row in csv.reader(lines, delimiter=mark)}
        if len(widths) == 1 and widths != {1}:
            return mark
    return next((mark for mark in _DELIMITERS if mark in lines[0]), None)


def _words(line: str) -> list[str]:
    """Return the words of a line; networkx writes attributes at its end."""
    words = line.split(maxsplit=2)
    if len(words) < 3 or not (words[2][0] == "{" and words[2][-1] == "}"):
        return line.split()
    try:
        weight = ast.literal_eval(words[2]).get("weight", 1)
    except (ValueError, SyntaxError):
        return line.split()
    return [*words[:2], str(weight)]


def _named_columns(names: list[str]) -> list[int]:
    """Return the columns of the two nodes and the weight, if they have usual names."""
    at = {name.lower(): column for column, name in enumerate(names)}
    for ends in _ENDS:
        if all(name in at for name in ends):
            return [at[name] for name in (*ends, "weight") if name in at]
    return []


def _looks_like_header(rows: list[list[str]]) -> bool:
    """Whether the first row has words where the second has numbers."""
    if len(rows) < 2:
        return False
    pairs = zip(rows[0], rows[1], strict=True)
    return bool(_named_columns(rows[0])) or any(
        a and not looks_numeric(a) and looks_numeric(b) for a, b in pairs
    )


def _has_twin_names(rows: list[list[str]]) -> bool:
    """Whether the first row has names such as person1 and person2, found only there."""
    twins = _TWINS.fullmatch(" ".join(rows[0][:2]))
    if twins is None or len(rows) < 2:
        return False
    return not any(name in row[:2] for row in rows[1:] for name in rows[0][:2])
