"""The studies of Section VII-G on the networks of one fit, and what makes a seed bad.

Table II names nine of the twelve consensus functions, and the text none of the rules
that choose networks: the supplement is not at hand. The rest are what we have.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from coterie import MBN, MBNEnsemble
from coterie.consensus import (
    CSPA,
    CTS,
    DREC,
    EAC,
    ECPCSHC,
    ECPCSMC,
    HGPA,
    LWEA,
    LWGP,
    MCLA,
    Borda,
    CodePCA,
    Vote,
)
from coterie.ensemble import Ensemble
from coterie.experimental import AdaptiveSelection
from coterie.weighting import (
    AgreementWeighter,
    ClusterSelection,
    EntropyWeighter,
    HullSelection,
    JointSelection,
    NetworkSelection,
)
from coterie.weighting._networks import networks_of

FUNCTIONS = {
    "CSPA": CSPA(),
    "HGPA": HGPA(),
    "MCLA": MCLA(),
    "LinkCluE (CTS)": CTS(),
    "ECPCS-HC": ECPCSHC(),
    "ECPCS-MC": ECPCSMC(),
    "DREC": DREC(),
    "Borda": Borda(),
    "Vote": Vote(),
    "LWEA": LWEA(),
    "LWGP": LWGP(),
    "EAC": EAC(),
}
WEIGHTED = ("LWEA", "LWGP")
NAMES = {"swc": "SWC", "pb": "PB", "pbm": "PBM", "vrc": "VRC"}
MOST_KEPT = 10


def cluster(ensemble: Ensemble, n_clusters: int, seed: int, how: str = "auto") -> Any:
    return CodePCA(how).combine(ensemble, n_clusters, seed=seed).labels


def kept_of(model: Any, networks: Any) -> Ensemble:
    """Return the clusterings of some networks."""
    kept = np.isin(networks_of(model.ensemble_), networks)
    return model.ensemble_.subset(np.flatnonzero(kept))


def weigh(model: MBNEnsemble, criterion: str, seed: int, labels: Any = None) -> Any:
    """Return the weight of each network by one criterion."""
    found = (
        model.consensus_ if labels is None else replace(model.consensus_, labels=labels)
    )
    rng = np.random.default_rng(seed)
    networks = networks_of(model.ensemble_)
    return NetworkSelection(criterion=criterion).scores(
        model.ensemble_, networks, found, rng
    )


def base_partitions(model: MBNEnsemble, c: int, seed: int) -> np.ndarray:
    """Return what each network alone says, (N, Z)."""
    return np.stack(
        [cluster(kept_of(model, [z]), c, seed) for z in range(model.n_members)],
        axis=1,
    )


def combined(function: str, members: Ensemble, c: int, seed: int) -> np.ndarray:
    """Return what one of the twelve consensus functions says."""
    weights = EntropyWeighter().weigh(members) if function in WEIGHTED else None
    return FUNCTIONS[function].combine(members, c, weights=weights, seed=seed).labels


@dataclass(frozen=True, eq=False)
class Grown:
    """A fitted ensemble of networks, and the known classes, which only score."""

    model: MBNEnsemble
    X: Any
    y: np.ndarray
    c: int
    seed: int

    @cached_property
    def members(self) -> Ensemble:
        """What each network alone says."""
        return Ensemble(base_partitions(self.model, self.c, self.seed))

    def keep(self, networks: Any) -> np.ndarray:
        return cluster(kept_of(self.model, networks), self.c, self.seed)

    def best(self, weights: np.ndarray, n: int) -> np.ndarray:
        """Return the labels of the networks of the n largest weights."""
        return self.keep(np.argsort(-weights, kind="stable")[:n])


def number_kept(grown: Grown) -> dict[str, Any]:
    """VII-G 1: networks kept, from 1 to 10."""
    found = {}
    for criterion, form in (("vrc", "MBN-SO (VRC)"), ("mmd", "MBN-SD")):
        weights = weigh(grown.model, criterion, grown.seed)
        for B in range(1, MOST_KEPT + 1):
            found[f"{form} B={B}"] = grown.best(weights, B)
    return found


def reference_labels(grown: Grown) -> dict[str, Any]:
    """VII-G 2: the labels by which networks are judged."""
    model, c, seed = grown.model, grown.c, grown.seed
    one = MBN(c, metric=model.metric, random_state=seed, n_jobs=model.n_jobs)
    references = {
        "random": np.random.default_rng(seed).integers(0, c, len(grown.y)),
        "MBN": one.fit(grown.X).labels_,
        "MBN-E": model.labels_,
        "truth": grown.y,
    }
    return {
        f"VRC by {name}": grown.best(weigh(model, "vrc", seed, labels), 3)
        for name, labels in references.items()
    }


def meta_clustering(grown: Grown) -> dict[str, Any]:
    """VII-G 3: consensus functions on the networks' own partitions."""
    found = {"concatenation": grown.model.labels_}
    for name in FUNCTIONS:
        found[name] = combined(name, grown.members, grown.c, grown.seed)
    return found


def member_selection(grown: Grown) -> dict[str, Any]:
    """VII-G 4: other rules that choose networks, by their own partitions."""
    rules = {
        **{f"joint criterion, {n}": JointSelection(n) for n in (3, 5, 10, 20)},
        **{f"cluster and select, {n}": ClusterSelection(n) for n in (3, 5, 10, 20)},
        "convex hull": HullSelection(),
        "adaptive": AdaptiveSelection(grown.c),
    }
    found = {"all": grown.model.labels_}
    for name, rule in rules.items():
        found[name] = grown.keep(np.flatnonzero(rule.weigh(grown.members).members))
    agreement = AgreementWeighter().weigh(grown.members).members
    for n in (3, 5, 10):
        found[f"most agreement, {n}"] = grown.best(agreement, n)
    for criterion, name in NAMES.items():
        weights = weigh(grown.model, criterion, grown.seed)
        found[f"{name}, 3 (MBN-SO)"] = grown.best(weights, 3)
    return found


def one_seed(grown: Grown) -> dict[str, Any]:
    """Return what may make a seed bad: its networks, and how the last step cuts."""
    model, c, seed = grown.model, grown.c, grown.seed
    found = {"fMBN-E": model.labels_}
    for how in ("ward", "kmeans"):
        found[f"fMBN-E {how}"] = cluster(model.ensemble_, c, seed, how)
    for z, labels in enumerate(grown.members.labels.T):
        found[f"network {z}"] = labels
    for part in (0, 1):
        found[f"half {part}"] = grown.keep(range(part, model.n_members, 2))
    return found


STUDIES: dict[str, Callable[[Grown], dict[str, Any]]] = {
    "number_kept": number_kept,
    "reference_labels": reference_labels,
    "meta_clustering": meta_clustering,
    "member_selection": member_selection,
    "one_seed": one_seed,
}
