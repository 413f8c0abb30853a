"""Which system, of which parts, `coterie cluster` uses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from coterie._catalog import Entry, find
from coterie.cli._papers import PAPERS, Paper, parameters
from coterie.cli._parts import AUTO, NONE, check_names, method_for, weighter_for

MDEC, ENSEMBLE = "mdec", "ensemble"
MDEC_LIMIT = 20_000  # samples, beyond which 'auto' takes the quicker system
_GENERATOR = "kmeans"
_SHOWN = 100  # of the clusterings of networks, which are thousands


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
        return not self.fit(PAPERS[MDEC])

    def fit(self, paper: Paper) -> bool:
        """Whether a paper's system can do what is asked for."""
        return (
            paper.offers(self.consensus, self.weighter)
            and (self.generator is None or paper.generators is not None)
            and (self.members is None or paper.members is not None)
            and (self.span is None or paper.span is not None)
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """The estimator, the names of what it is made of, and why it was taken."""

    model: Any
    facts: dict[str, Any]
    story: str
    reason: str | None = None

    def ensemble(self) -> Any:
        """Return the members of the fitted model, some of those of networks."""
        codes = getattr(self.model, "codes_", None)
        return self.model.ensemble_ if codes is None else codes.ensemble(at_most=_SHOWN)


def check(wishes: Wishes) -> None:
    """Raise for names and combinations that cannot be, before any file is read."""
    system = wishes.system
    if system != AUTO:
        find(system, {"system"})
    if system in PAPERS and not wishes.fit(PAPERS[system]):
        raise ValueError(
            f"The system {system} brings its own members: with --system {system}, "
            f"{PAPERS[system].rules()}. Use --system ensemble to choose parts."
        )
    if system == ENSEMBLE or (system == AUTO and wishes.parts_are_named):
        check_names(wishes.consensus, wishes.weighter)
    if wishes.generator is not None:
        _check_generator(find(wishes.generator, {"generator"}))


def _check_generator(entry: Entry) -> None:
    if entry.name == "clusterers":
        raise ValueError(
            f"The generator {entry.name} takes Python objects, so it cannot be used "
            "from the command line. Use it from Python, or another generator."
        )


def plan(wishes: Wishes, k: int, n_samples: int, seed: int, jobs: int) -> Plan:
    """Choose the system for so many samples and make it."""
    system, reason = wishes.system, None
    if system == AUTO:
        system, reason = _for_size(wishes, n_samples)
    shared = {"n_clusters": k, "random_state": seed, "n_jobs": jobs}
    if system in PAPERS:
        made = _of_paper(system, wishes, shared)
    else:
        made = _ensemble(wishes, n_samples, shared)
    return replace(made, reason=reason)


def _for_size(wishes: Wishes, n_samples: int) -> tuple[str, str]:
    """Return the system for so many samples, and why."""
    if wishes.parts_are_named:
        return ENSEMBLE, f"{ENSEMBLE}, as parts were named"
    limit = f"{MDEC_LIMIT:,} samples"
    if n_samples > MDEC_LIMIT:
        return ENSEMBLE, f"{ENSEMBLE}, as it is quick for more than {limit}"
    return MDEC, f"{MDEC}, the most accurate on the whole for up to {limit}"


def _of_paper(system: str, wishes: Wishes, shared: dict[str, Any]) -> Plan:
    paper = PAPERS[system]
    params = parameters(
        paper, wishes.consensus, wishes.weighter, wishes.members, wishes.span
    )
    if wishes.generator is not None and paper.generators is not None:
        if wishes.generator in paper.generators:
            params["generator"] = paper.generators[wishes.generator]
        else:
            params["generator"] = _generator(wishes)
            params.pop(paper.members, None)  # the generator knows
    model = find(system, {"system"}).load()(**params, **shared)
    weighter = paper.weighter if params.get("weighted", True) else None
    facts = {
        "system": system,
        "generator": wishes.generator or paper.generator,
        "consensus": params.get("consensus", paper.forms[0]),
        "weighter": weighter,
    }
    story = paper.story.format(
        form=facts["consensus"],
        weights=f"{weighter} weights" if weighter else "no weights",
        generator=facts["generator"],
        members=getattr(model, paper.members or "", None),
    )
    return Plan(model, facts, story)


def _generator(wishes: Wishes) -> Any:
    generator = find(wishes.generator or _GENERATOR, {"generator"}).load()()
    if wishes.members is not None:
        generator.set_params(n_members=wishes.members)
    return generator


def _ensemble(wishes: Wishes, n_samples: int, shared: dict[str, Any]) -> Plan:
    from coterie.systems import EnsembleClustering

    made_by = find(wishes.generator or _GENERATOR, {"generator"})
    method = method_for(wishes.consensus, n_samples)
    weigher = weighter_for(wishes.weighter, method)
    generator = _generator(wishes)
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
