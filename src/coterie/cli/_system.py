"""Which system, of which parts, `coterie cluster` uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coterie._catalog import Entry, find
from coterie.cli._parts import AUTO, NONE, check_names, method_for, weighter_for

MDEC, SPCE, ENSEMBLE = "mdec", "spce", "ensemble"
MDEC_FORMS = ("hc", "sc", "bg")
SPCE_MEMBERS = {"kmeans": "kmeans", "sigma-grid": "spectral"}  # its paper's
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
    if wishes.system == SPCE and not _fits_spce(wishes):
        raise ValueError(
            "The system spce combines its members in its own way: with --system spce, "
            "--consensus is auto or spce, --weighter is auto or none, and "
            "--member-clusters is left out. Use --system ensemble to choose parts."
        )
    if wishes.system == ENSEMBLE or wishes.parts_are_named:
        check_names(wishes.consensus, wishes.weighter)
    if wishes.generator is not None:
        _check_generator(find(wishes.generator, {"generator"}))


def _fits_spce(wishes: Wishes) -> bool:
    return (
        wishes.consensus in {AUTO, SPCE}
        and wishes.weighter in {AUTO, NONE}
        and wishes.span is None
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
    make = {MDEC: _mdec, SPCE: _spce, ENSEMBLE: _ensemble}[system]
    return make(wishes, n_samples, shared)


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


def _spce(wishes: Wishes, n_samples: int, shared: dict[str, Any]) -> Plan:
    from coterie.systems import SPCE as System

    made_by = wishes.generator or _GENERATOR
    model = System(**shared)
    if made_by in SPCE_MEMBERS:
        model.set_params(generator=SPCE_MEMBERS[made_by], n_members=wishes.members)
    else:
        generator = find(made_by, {"generator"}).load()()
        if wishes.members is not None:
            generator.set_params(n_members=wishes.members)
        model.set_params(generator=generator)
    return Plan(
        model,
        {
            "system": SPCE,
            "generator": made_by,
            "consensus": SPCE,
            "weighter": None,
        },
        f"members by {made_by}, combined by spce with weights that it learns",
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
