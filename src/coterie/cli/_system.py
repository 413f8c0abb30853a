"""Which system `coterie cluster` fits, and with which parameters.

The signature and the constraints of a class show what a system accepts.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from coterie._catalog import METHODS, find
from coterie._memory import BLOCK_ROWS
from coterie.cli._options import (
    check_settings,
    known_parameters,
    parse_effort,
    parse_settings,
    parse_span,
)

AUTO, NONE = "auto", "none"
ENSEMBLE, LARGE = "ensemble", "large"
_KINDS = {
    "generator": frozenset({"generator"}),
    "consensus": METHODS,
    "weighter": frozenset({"weighter"}),
}


@dataclass(frozen=True)
class Wishes:
    """Options that choose the system and its parts.

    Attributes
    ----------
    system : NAME
        Another system: see 'coterie methods'. [default: ensemble, or large]
    effort : WORD
        quick, normal, thorough, or a limit in seconds. [default: normal]
    generator : NAME
        How to make the members. [default: panel; other systems bring their own]
    consensus : --consensus, --method NAME
        How to combine the members: a name from 'coterie methods', or one of the
        system's own variants. 'auto' is council for a panel; for other members lwea up
        to 20,000 samples and lwgp beyond. Other systems have their own default.
    members : N
        Number of clusterings to make. [default: as the system does; a panel makes ten
        or more of each kind on each view]
    settings : --set NAME=VALUE
        Set a parameter of the system, or of a named part: generator.NAME=VALUE,
        weighter.NAME=VALUE, consensus.NAME=VALUE. 'coterie methods' with a name lists
        its parameters. May be repeated.
    """

    panel: ClassVar[str] = "Method (see: coterie methods)"
    shown: ClassVar[frozenset[str]] = frozenset({"system", "effort"})
    system: str = AUTO
    effort: str | None = None
    generator: str | None = None
    consensus: str = AUTO
    weighter: str = AUTO
    members: int | None = None
    member_clusters: str | None = None
    settings: list[str] = field(default_factory=list)

    @property
    def span(self) -> int | tuple[int, int] | None:
        """Clusters per member."""
        return parse_span(self.member_clusters)

    @property
    def pace(self) -> str | float | None:
        """How much time a panel takes."""
        return parse_effort(self.effort)

    @property
    def sets(self) -> dict[str, Any]:
        """Parameters by name."""
        return parse_settings(self.settings)

    def fit(self, system: str) -> bool:
        """Whether a system accepts all these options."""
        cls = find(system, {"system"}).load()
        takes_settings = set(self.sets) <= set(known_parameters(cls))
        return takes_settings and not _parameters(cls, self)[1]


def check(wishes: Wishes) -> None:
    """Raise for unknown names and bad values before any file is read."""
    if wishes.system != AUTO:
        make(wishes.system, wishes)
    elif not wishes.fit(LARGE):
        make(ENSEMBLE, wishes)


def block_rows(data: Path, wishes: Wishes) -> str | None:
    """Describe the rows to read block by block; None if the data are read whole."""
    if wishes.system not in (AUTO, LARGE):
        return None
    if data.is_dir():
        known = ("**/*.parquet", ".zarray", "zarr.json")
        there = any(next(data.glob(pattern), None) for pattern in known)
        return "the rows of a folder" if there else None
    n_rows = _n_rows(data)
    many = n_rows is not None and n_rows >= BLOCK_ROWS and wishes.fit(LARGE)
    named = n_rows is not None and wishes.system == LARGE
    return f"{n_rows:,} rows" if many or named else None


def takes_tables(wishes: Wishes) -> bool:
    """Whether the system takes columns of text and empty cells."""
    name = ENSEMBLE if wishes.system == AUTO else wishes.system
    return find(name, {"system"}).load().takes_tables


def copes_with_scales(model: Any) -> bool:
    """Whether a system sees the columns on several scales, or scales them itself."""
    return hasattr(model.parts().generator, "effort") or getattr(
        model, "standardize", False
    )


def choose(wishes: Wishes, blocks: str | None) -> tuple[str, str | None]:
    """Return the name of the system, and the reason."""
    if wishes.system != AUTO:
        return wishes.system, None
    if blocks is not None:
        return LARGE, f"{LARGE}, as {blocks} are read block by block"
    parts = (wishes.generator or AUTO, wishes.consensus, wishes.weighter)
    if set(parts) != {AUTO}:
        return ENSEMBLE, f"{ENSEMBLE}, as parts were named"
    return ENSEMBLE, f"{ENSEMBLE}, the default: a panel of several kinds of clusterer"


def make(name: str, wishes: Wishes, **shared: Any) -> Any:
    """Return a system with these options and the parameters that all systems share."""
    cls: Any = find(name, {"system"}).load()
    parameters, refused = _parameters(cls, wishes)
    if refused == [_effort(wishes)]:
        role = "generator" if name == ENSEMBLE else "system"
        who = wishes.generator if name == ENSEMBLE else name
        raise ValueError(
            f"{_effort(wishes)}: only the panel can vary its effort, not the {role} "
            f"{who}. Use --members, or leave out --{role}."
        )
    if refused:
        words, _ = _allowed(cls, "consensus")
        forms = f" --consensus is one of {', '.join(words)}." if words else ""
        raise ValueError(
            f"The system {name} brings its own members and does not take "
            f"{', '.join(refused)}.{forms} Use --system {ENSEMBLE} to choose parts."
        )
    model = cls(**parameters, **shared)
    own = {}
    for setting, value in wishes.sets.items():
        role, dot, parameter = setting.partition(".")
        part: Any = getattr(model, role, None) if role in _KINDS else None
        if not dot:
            own[setting] = value
        elif hasattr(part, "set_params"):
            _set(part, f"the {role} {part.name}", {parameter: value})
        else:
            raise ValueError(
                f"--set {setting}: which part is that? Name it, as in --system "
                f"{ENSEMBLE} --{role if role in _KINDS else 'generator'} NAME."
            )
    return _set(model, f"the system {name}", own)


def _set(part: Any, who: str, settings: Mapping[str, Any]) -> Any:
    from coterie._validation import check_parameters

    check_settings(settings, type(part), who)
    check_parameters(part.set_params(**settings))
    return part


def _parameters(cls: Any, wishes: Wishes) -> tuple[dict[str, Any], list[str]]:
    """Return the options that the constructor accepts, and those that it refuses."""
    known = inspect.signature(cls).parameters
    wanted = {
        "generator": wishes.generator or AUTO,
        "consensus": wishes.consensus,
        "weighter": wishes.weighter,
    }
    found: dict[str, Any] = {}
    refused = []
    for role, name in wanted.items():
        if name == AUTO:
            continue
        words, any_part = _allowed(cls, role)
        if role == "weighter" and name == NONE and {"weighted", role} & set(known):
            found |= {role: None} if role in known else {"weighted": False}
        elif name in words:
            found[role] = name
        elif any_part:
            found[role] = _part(role, name)
        else:
            refused.append(f"--{role} {name}")
    if "generator" in known and known["generator"].default is None:
        found.setdefault("generator", cls().parts().generator)
    generator: Any = found.get("generator")
    for option, value, own, of_part in (
        ("--members", wishes.members, "n_members", "n_members"),
        ("--member-clusters", wishes.span, "member_clusters", "n_clusters"),
    ):
        if value is None:
            continue
        if hasattr(generator, "set_params"):
            generator.set_params(**{of_part: value})
        elif own in known:
            found[own] = value
        else:
            refused.append(option)
    if wishes.pace is not None:
        if "effort" in known and hasattr(generator, "effort"):
            found["effort"] = wishes.pace
        else:
            refused.append(_effort(wishes))
    return found, refused


def _effort(wishes: Wishes) -> str:
    return f"--effort {wishes.effort}"


def _part(role: str, name: str) -> Any:
    cls = find(name, _KINDS[role]).load()
    parameters = inspect.signature(cls).parameters.values()
    if any(parameter.default is parameter.empty for parameter in parameters):
        raise ValueError(
            f"The {role} {name} takes Python objects, so it cannot be used from the "
            f"command line. Use it from Python, or another {role}."
        )
    return cls()


def _allowed(cls: Any, name: str) -> tuple[list[str], bool]:
    """Return the words that a parameter accepts, and whether it accepts any part."""
    from coterie._validation import HasMethods, StrOptions

    rules = cls._parameter_constraints.get(name, ())
    words = [rule.options for rule in rules if isinstance(rule, StrOptions)]
    any_part = any(isinstance(rule, HasMethods) for rule in rules)
    return sorted(set().union(*words)), any_part or rules == "no_validation"


def _n_rows(data: Path) -> int | None:
    """Return the number of rows of a file that can be read by blocks, or None."""
    try:
        if data.suffix == ".npy":
            import numpy as np

            shape = np.load(data, mmap_mode="r", allow_pickle=False).shape
            return shape[0] if len(shape) == 2 else None
        if data.suffix in (".parquet", ".pq"):
            from coterie._validation import require

            parquet = require("pyarrow.parquet")
            return parquet.read_metadata(data).num_rows
    except (OSError, ValueError, EOFError):
        pass  # reading it whole will name the problem
    return None
