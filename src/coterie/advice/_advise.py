"""One way to choose: what to use for these data, and why."""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from coterie._catalog import METHODS, find
from coterie._figures import FEW, LABELS, MANY, ROWS, TRIALS, report
from coterie._memory import BLOCK_ROWS
from coterie._validation import StrOptions, validate_parameter_constraints
from coterie.advice._look import KINDS, Facts, look_at
from coterie.choice._auto import N_CLUSTERS
from coterie.systems._defaults import default_consensus

_FEW_FEATURES = 7  # with fewer, panels leave out members that sample features
_WIDTH = 88
_DEFAULT = "EnsembleClustering"
_FILE = "data.csv"
_OUTSIDE = {"kmeans": "k-means", "gmm": "Gaussian mixture", "spectral": "spectral"}


@dataclass(frozen=True)
class Advice:
    """What to use for some data, and why; ``print`` shows it.

    Attributes
    ----------
    use : str
        Name of the system, consensus function or application.
    sentence : str
        What to use and why.
    facts : tuple of str
        What was seen in the data.
    python, shell : str
        The line of code, and the command.
    figures : tuple of str
        What the experiments measured.
    instead : tuple of str
        What else to consider, and for which reason.
    avoid : tuple of str
        What is known to be poor on such data.

    Examples
    --------
    >>> import coterie
    >>> from sklearn.datasets import load_iris
    >>> advice = coterie.advise(load_iris().data, 3)
    >>> advice.use
    'ensemble'
    >>> advice.python
    'coterie.EnsembleClustering(3).fit_predict(X)'
    """

    use: str
    sentence: str
    facts: tuple[str, ...]
    python: str
    shell: str
    figures: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()

    def __repr__(self) -> str:
        sections = {
            "seen": (" ".join(self.facts),),
            "Python": (self.python,),
            "shell": (self.shell,),
            "figures": self.figures,
            "or": self.instead,
            "avoid": self.avoid,
        }
        lines = textwrap.wrap(self.sentence, _WIDTH)
        for name, texts in sections.items():
            for i, text in enumerate(texts):
                head = f"  {name if i == 0 else '':<9}"
                lines += textwrap.wrap(
                    text, _WIDTH, initial_indent=head, subsequent_indent=" " * len(head)
                )
        return "\n".join(lines)


def advise(
    X: Any,
    n_clusters: int | str = "auto",
    *,
    kind: str | None = None,
    file: str = _FILE,
) -> Advice:
    """Look at the data, and say what to use and why.

    It looks at the number of samples and features, sparsity, scales, missing values and
    categories, and whether these are data at all, or labels, a graph or an image. The
    reasons are mean scores from the experiments in the repository. Nothing is
    clustered, so the answer is quick.

    Parameters
    ----------
    X : array, sparse matrix, frame, Ensemble, graph, or path
        The data. A path is that of an NPY or Parquet file, a folder of Parquet files,
        or a Zarr array, as for :class:`~coterie.LargeEnsembleClustering`.
    n_clusters : int or "auto", default="auto"
        For the code and the command; "auto" if it is not known.
    kind : {"data", "labels", "graph", "image"} or None, default=None
        What X is; None is a guess, which the result mentions.
    file : str, default="data.csv"
        The file to name in the command.

    Returns
    -------
    Advice

    Examples
    --------
    >>> import coterie
    >>> from sklearn.datasets import make_moons
    >>> X, _ = make_moons(200, random_state=0)
    >>> print(coterie.advise(X, 2).avoid[0])
    MDEC and MBNEnsemble, which sample features: mean ARI ...
    """
    validate_parameter_constraints(
        {"n_clusters": N_CLUSTERS, "kind": [StrOptions(set(KINDS)), None]},
        {"n_clusters": n_clusters, "kind": kind},
        caller_name="advise",
    )
    facts = look_at(X, kind)
    rules = {"labels": _for_labels, "graph": _for_graph, "image": _for_image}
    chosen = rules.get(facts.kind, _for_data)
    return chosen(facts, n_clusters, shlex.quote(file))


def _for_data(facts: Facts, k: int | str, file: str) -> Advice:
    shell = f"coterie cluster {file}{_wanted(k)} -o labels.csv"
    seen = tuple(facts.sentences())
    if facts.by_blocks or facts.n_samples >= BLOCK_ROWS:
        where = "X" if not facts.by_blocks else repr(file)
        return Advice(
            "large",
            "Use LargeEnsembleClustering: it reads the rows block by block, in time "
            "linear in their number; all other systems need the whole table in memory.",
            seen,
            f"coterie.LargeEnsembleClustering({_argument(k)}).fit({where}).labels_",
            f"{shell} --system large",
            instead=("USENC, for clusters of any shape, if the data fit in memory.",),
            avoid=tuple(_scale_trap(facts)),
        )
    trial = FEW if facts.n_features < _FEW_FEATURES else MANY
    return Advice(
        "ensemble",
        f"Use EnsembleClustering: {_why(facts, trial)}",
        seen,
        f"coterie.EnsembleClustering({_argument(k)}).fit_predict(X)",
        shell,
        figures=(_compared(trial, ["ensemble", "spectral", "gmm", "kmeans"]),),
        instead=tuple(_instead(facts, trial)),
        avoid=tuple(_avoid(facts, trial)),
    )


def _why(facts: Facts, trial: str) -> str:
    """Return the reasons for the default, as the end of a sentence."""
    figure, plain = ROWS[trial, "ensemble"], ROWS[trial, "kmeans"]
    reasons = [
        f"on {plain.n_sets} sets of {TRIALS[trial].about}, its mean ARI is "
        f"{figure.ari:.2f}, that of k-means {plain.ari:.2f}."
    ]
    if facts.n_text or facts.missing:
        reasons.append("It takes categories, dates and missing values as they are.")
    if facts.loud is not None:
        reasons.append("It tries the columns both as they are and standardised.")
    return " ".join(reasons)


def _instead(facts: Facts, trial: str) -> Iterator[str]:
    if facts.n_text or facts.missing:
        return  # no other system takes them
    for name in {FEW: ("usenc",), MANY: ("mdec", "c2swce")}[trial]:
        if facts.n_features >= find(name, {"system"}).load().fewest_features:
            yield f"{_called(name)}, for {_reason(name)}: {_beside(trial, name)}."


def _avoid(facts: Facts, trial: str) -> Iterator[str]:
    if trial == FEW:
        mdec, mbn = ROWS[FEW, "mdec"], ROWS[FEW, "mbn-e"]
        yield (
            f"MDEC and MBNEnsemble, which sample features: mean ARI {mdec.ari:.2f} and "
            f"{mbn.ari:.2f}, where {_DEFAULT} has {mdec.default:.2f} and "
            f"{mbn.default:.2f}."
        )
    yield (
        "WOEC, wosp, wohb and others that force equal sizes, unless your clusters have "
        f"them: {_beside(trial, 'woec')}."
    )
    yield from _scale_trap(facts)
    if facts.n_text or facts.missing:
        yield "Other systems: they take numbers without missing values only."


def _scale_trap(facts: Facts) -> Iterator[str]:
    if facts.loud is not None:
        said = facts.loud.sentence(facts.names)
        yield (
            f"Single systems on the columns as they are: {said}. Standardise first: "
            "X = StandardScaler().fit_transform(X)."
        )


def _for_labels(facts: Facts, k: int | str, file: str) -> Advice:
    number = " -k K" if k == "auto" else _wanted(k)  # the command needs it
    shell = f"coterie combine {file}{number} -o combined.csv"
    seen = tuple(facts.sentences())
    if facts.guessed:
        seen += ("If these are not labelings, use EnsembleClustering (kind='data').",)
    if facts.several_kinds:
        return Advice(
            "council",
            "Combine them with council, the default for members of several kinds: each "
            "kind is combined by itself, then the kinds are weighted.",
            seen,
            f"coterie.combine(labels, {_argument(k)})",
            shell,
        )
    name = default_consensus(facts.n_samples)
    why = "it is quick" if name == "lwea" else "its memory is linear"
    rival = ROWS[LABELS, "ptgp"]
    return Advice(
        name,
        f"Combine them with {name}, the default: {why}, and no other is surely better. "
        f"On {rival.n_sets} {TRIALS[LABELS].about} ptgp has a mean ARI of "
        f"{rival.ari:.2f}, lwea {rival.default:.2f}, but the difference is within "
        "chance: ptgp is ahead on 18 and behind on 11. Try several with compare.",
        seen,
        f"coterie.combine(labels, {_argument(k)})",
        shell,
        figures=(
            _compared(LABELS, ["ptgp", "kcc", "lwgp", "onehot-kmeans", "eac", "lwea"]),
        ),
        instead=(f"coterie compare {file} --labels{number}, to see them all.",),
        avoid=(
            "wosp, hgpa and others that force equal sizes, unless your clusters have "
            f"them: mean ARI {ROWS[LABELS, 'wosp'].ari:.2f} and "
            f"{ROWS[LABELS, 'hgpa'].ari:.2f}.",
        ),
    )


def _for_graph(facts: Facts, k: int | str, file: str) -> Advice:
    number = "" if k == "auto" else f", {k}"
    file = "edges.csv" if file == _FILE else file
    return Advice(
        "communities",
        "Use communities: it chooses their number by modularity, which needs no known "
        "classes, and may answer that there are none. For a table of distances, this "
        "is not the way.",
        tuple(facts.sentences()),
        f"coterie.applications.communities(graph{number}).labels",
        f"coterie communities {file}{_wanted(k)} -o communities.csv",
    )


def _for_image(facts: Facts, k: int | str, file: str) -> Advice:
    number = "" if k == "auto" else f", {k}"
    return Advice(
        "segment",
        "Use segment_image: it finds connected segments, on which many segmentations "
        "agree. To group many images, make a table with one row of pixels for each.",
        tuple(facts.sentences()),
        f"coterie.applications.segment_image(image{number}).labels",
        f"coterie segment {file}{_wanted(k)} -o segments.png",
    )


def _wanted(k: int | str) -> str:
    return "" if k == "auto" else f" -k {k}"


def _argument(k: int | str) -> str:
    return '"auto"' if k == "auto" else str(k)


def _called(name: str) -> str:
    """Return the name of a class for a system, another one for a rival."""
    if name in _OUTSIDE:
        return _OUTSIDE[name]
    entry = find(name)
    return entry.name if entry.kind in METHODS else entry.home.split(":")[1]


def _reason(name: str) -> str:
    return find(name, {"system"}).take_if


def _beside(trial: str, name: str) -> str:
    figure = ROWS[trial, name]
    return f"mean ARI {figure.ari:.2f}, where {_DEFAULT} has {figure.default:.2f}"


def _compared(trial: str, names: Sequence[str]) -> str:
    scores = ", ".join(f"{_called(n)} {ROWS[trial, n].ari:.2f}" for n in names)
    fewest = min(ROWS[trial, name].n_sets for name in names)
    most = max(ROWS[trial, name].n_sets for name in names)
    sets = str(most) if fewest == most else f"{fewest} to {most}"
    about = TRIALS[trial].about
    what = about if trial == LABELS else f"sets of {about}"
    return f"Mean ARI on {sets} {what}: {scores} ({report(trial)})."
