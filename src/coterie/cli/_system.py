"""Which system, of which parts, `coterie cluster` uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coterie._catalog import Entry, find
from coterie.cli._parts import AUTO, NONE, check_names, method_for, weighter_for

MDEC, ENSEMBLE = "mdec", "ensemble"
NETWORKS = ("mbn", "mbn-e")
_SHOWN = 100  # of the clusterings of networks, which are thousands
MDEC_FORMS = ("hc", "sc", "bg")
MDEC_LIMIT = 20_000  # samples, beyond which 'auto' takes the quicker system
_GENERATOR = "kmeans"


@dataclass(frozen=True)
class Wishes:
    """What was said on the command line; None and 'auto' leave the choice to us."""

    system: str
    generator: str | None
    consensus: str
    weighter: str
    members: int | None
    span: int | tuple[int, int] | None

    @property
    def parts_are_named(self) -> bool:
        """Whether a part is asked for that only the general system has."""
        return (
            self.generator is not None
            or self.span is not None
            or self.weighter not in {AUTO, NONE}
            or self.consensus not in {AUTO, *MDEC_FORMS}
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """The estimator, and the names of what it is made of."""

    model: Any
    facts: dict[str, Any]
    story: str

    def ensemble(self) -> Any:
        """Return the members of the fitted model, some of those of networks."""
        if self.facts["system"] in NETWORKS:
            return self.model.codes_.ensemble(at_most=_SHOWN)
        return self.model.ensemble_


def check(wishes: Wishes) -> None:
    """Raise for names and combinations that cannot be, before any file is read."""
    if wishes.system != AUTO:
        find(wishes.system, {"system"})
    if wishes.system == MDEC and wishes.parts_are_named:
        raise ValueError(
            "The system mdec brings its own members: with --system mdec, --consensus "
            f"is one of {', '.join(MDEC_FORMS)}, --weighter is auto or none, and "
            "--generator and --member-clusters are left out. Use --system ensemble to "
            "choose parts."
        )
    if wishes.system in NETWORKS:
        _check_networks(wishes)
    if wishes.system == ENSEMBLE or wishes.parts_are_named:
        check_names(wishes.consensus, wishes.weighter)
    if wishes.generator is not None:
        _check_generator(find(wishes.generator, {"generator"}))


def _check_networks(wishes: Wishes) -> None:
    of_others = wishes.parts_are_named or wishes.weighter != AUTO
    if of_others or wishes.consensus != AUTO:
        raise ValueError(
            f"The system {wishes.system} brings its own members and its own way to "
            "combine them: leave --generator, --member-clusters, --consensus and "
            "--weighter out, or use --system ensemble to choose parts."
        )
    if wishes.system == "mbn" and wishes.members is not None:
        raise ValueError(
            "The system mbn is one network: leave --members out, or use --system mbn-e."
        )


def _check_generator(entry: Entry) -> None:
    if entry.name == "clusterers":
        raise ValueError(
            f"The generator {entry.name} takes Python objects, so it cannot be used "
            "from the command line. Use it from Python, or another generator."
        )


def plan(wishes: Wishes, k: int, n_samples: int, seed: int, jobs: int) -> Plan:
    """Choose the system for so many samples and make it."""
    system = wishes.system
    if system == AUTO:
        general = wishes.parts_are_named or n_samples > MDEC_LIMIT
        system = ENSEMBLE if general else MDEC
    shared = {"n_clusters": k, "random_state": seed, "n_jobs": jobs}
    if system in NETWORKS:
        return _networks(wishes, shared)
    make = _mdec if system == MDEC else _ensemble
    return make(wishes, n_samples, shared)


def _networks(wishes: Wishes, shared: dict[str, Any]) -> Plan:
    model = find(wishes.system, {"system"}).load()(**shared)
    if wishes.members is not None:
        model.set_params(n_models=wishes.members)
    facts = {
        "system": wishes.system,
        "generator": "bootstrap networks",
        "consensus": "linkage of principal components",
        "weighter": None,
    }
    one = wishes.system == "mbn"
    networks = "one bootstrap network" if one else f"{model.n_models} networks"
    return Plan(model, facts, f"clusterings shown of {networks}")


def _mdec(wishes: Wishes, n_samples: int, shared: dict[str, Any]) -> Plan:
    from coterie.systems import MDEC as System

    form = "hc" if wishes.consensus == AUTO else wishes.consensus
    weighted = wishes.weighter != NONE
    model = System(consensus=form, weighted=weighted, **shared)
    if wishes.members is not None:
        model.set_params(n_members=wishes.members)
    weights = "entropy weights" if weighted else "no weights"
    return Plan(
        model,
        {
            "system": MDEC,
            "generator": "metric-subspace",
            "consensus": form,
            "weighter": "entropy" if weighted else None,
        },
        f"MDEC members, combined by {form} with {weights}",
    )


def _ensemble(wishes: Wishes, n_samples: int, shared: dict[str, Any]) -> Plan:
    from coterie.systems import EnsembleClustering

    made_by = find(wishes.generator or _GENERATOR, {"generator"})
    method = method_for(wishes.consensus, n_samples)
    weigher = weighter_for(wishes.weighter, method)
    generator = made_by.load()()
    if wishes.members is not None:
        generator.set_params(n_members=wishes.members)
    if wishes.span is not None:
        name = "n_clusters" if hasattr(generator, "n_clusters") else "clusters_range"
        generator.set_params(**{name: wishes.span})
    model = EnsembleClustering(
        generator=generator,
        consensus=method.name,
        weighter=None if wishes.weighter == NONE else wishes.weighter,
        **shared,
    )
    weights = "no weights" if weigher is None else f"{weigher.name} weights"
    return Plan(
        model,
        {
            "system": ENSEMBLE,
            "generator": made_by.name,
            "consensus": method.name,
            "weighter": None if weigher is None else weigher.name,
        },
        f"members by {made_by.name}, combined by {method.name} with {weights}",
    )
