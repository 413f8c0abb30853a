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
from coterie.cli._options import (
    check_settings,
    known_parameters,
    parse_settings,
    parse_span,
)

AUTO, NONE = "auto", "none"
MDEC, ENSEMBLE, LARGE = "mdec", "ensemble", "large"
MDEC_SAMPLES, MDEC_COLUMNS = 20_000, 10  # at most, at least: where mdec does well
BLOCK_ROWS = 1_000_000  # files this long are read block by block
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
    system
        A complete method (see 'coterie methods --kind system'), ensemble (any parts),
        or large (block by block). 'auto' is large for folders and for NPY and Parquet
        files of a million rows; mdec for 10 columns or more and up to 20,000 samples;
        ensemble otherwise, or if you name parts.
    generator
        How to make the members. [default: kmeans]
    members
        Number of clusterings to make. [default: as in the system's paper, 50 for
        ensemble]
    settings : --set NAME=VALUE
        Set a parameter of the system, or of a named part: generator.NAME=VALUE,
        weighter.NAME=VALUE, consensus.NAME=VALUE. 'coterie methods' with a name lists
        its parameters. May be repeated.
    """

    panel: ClassVar[str] = "Parts (see: coterie methods)"
    system: str = AUTO
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
    elif not wishes.fit(MDEC) and not wishes.fit(LARGE):
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


def choose(
    wishes: Wishes, shape: tuple[int, int], blocks: str | None, is_plain: bool = True
) -> tuple[str, str | None]:
    """Return the name of the system for data of this shape, and the reason.

    ``is_plain`` data have no categories and no empty cells.
    """
    if wishes.system != AUTO:
        return wishes.system, None
    if blocks is not None:
        return LARGE, f"{LARGE}, as {blocks} are read block by block"
    if not is_plain:
        return ENSEMBLE, f"{ENSEMBLE}, which takes categories and empty cells"
    if not wishes.fit(MDEC):
        return ENSEMBLE, f"{ENSEMBLE}, as parts were named"
    if shape[0] > MDEC_SAMPLES:
        limit = f"{MDEC_SAMPLES:,} samples"
        return ENSEMBLE, f"{ENSEMBLE}, which is fast for more than {limit}"
    if shape[1] < MDEC_COLUMNS:
        return ENSEMBLE, f"{ENSEMBLE}, as mdec is for {MDEC_COLUMNS} columns or more"
    return MDEC, f"{MDEC}, the most accurate overall for data of this size"


def make(name: str, wishes: Wishes, **shared: Any) -> Any:
    """Return a system with these options and the parameters that all systems share."""
    cls: Any = find(name, {"system"}).load()
    parameters, refused = _parameters(cls, wishes)
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
    takes_any = "generator" in known and known["generator"].default is None
    wanted = {
        "generator": wishes.generator or ("kmeans" if takes_any else AUTO),
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
    return found, refused


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
