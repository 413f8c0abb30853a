"""A panel: members of several kinds on several views of the data."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from sklearn.utils.extmath import randomized_svd

from coterie._engine import progress_hook, settings, subfolder
from coterie._linalg import nearest_neighbors, shared_searches
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import (
    COUNT,
    Interval,
    StrOptions,
    check_data,
    clone,
    is_sparse,
)
from coterie.ensemble import Ensemble, Member
from coterie.generation._base import BaseGenerator, checkpoint_folder
from coterie.generation._seats import (
    KINDS,
    Plan,
    Seat,
    has_few_features,
    suitable_seats,
)
from coterie.generation._views import check_views, look

EFFORTS = ("quick", "normal", "thorough")
_QUICK_SEATS = 9  # of at most 16
_USUAL = 150  # members, as far as this is known without the data
_SHARE = {"quick": 0.5, "normal": 1.0, "thorough": 2.0}  # of the usual members
_FEWEST = 4  # members of a seat, so that its halves can be compared
_MAX_SAMPLES = {"quick": 5_000, "normal": 10_000, "thorough": 20_000}
_LANDMARKS = {"quick": 3_000, "normal": 10_000, "thorough": 20_000}
_FOR_COMBINING = 0.25  # share of the time that combining the members may take
_SEARCHED = 20  # neighbours, once for the kinds that need at most so many
_SINGULAR = 100  # singular vectors of sparse data


class Panel(BaseGenerator):
    """Members of several kinds on several views of the data.

    No single method suits all data: k-means wants round clusters, single linkage gaps,
    spectral clustering a good graph, and each of them the right scale of the features.
    A panel asks several kinds of clusterer, each on several views (the data as they
    are, standardised, rows at unit length, ranks), and leaves out those that make no
    sense for the data. Combine the members with :class:`~coterie.consensus.Council`,
    which hears each kind by itself first; :class:`~coterie.EnsembleClustering` does
    both.

    Parameters
    ----------
    n_members : int or None, default=None
        Number of clusterings in all; None is 10 to 60 of each kind on each view. With
        few members, the last seats are left empty.
    seats : list of (view, generator) or of (kind, view, generator), default=None
        Who sits on the panel; None lets the data decide. ``Panel().plan(X)`` returns a
        list that you can change and pass here. A view is one of "raw", "asinh",
        "zscore", "cosine", "ranks" and "tfidf", or a function that returns the
        transformed data.
    views : list of str or None, default=None
        The views to consider if ``seats`` is None; None lets the data decide.
    n_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range to draw from; None is 2 to the square root
        of the number of samples, rounded up. Leiden finds its own number.
    target : int or None, default=None
        The number of clusters into which the members will be combined, if known.
    effort : {"quick", "normal", "thorough"} or float, default="normal"
        "quick" takes the seats that gain most for their cost, with half the members;
        "thorough" takes twice the members. A number is a time limit in
        seconds: seats are filled in the order of their value while there is time, so
        the members then depend on the speed of the machine.
    max_samples : int or None, default=None
        More samples than this are clustered through landmarks: members are made from a
        random subsample, and every other sample goes with its nearest landmark. None is
        10,000 (5,000 if quick, 20,000 if thorough).
    on_error : {"raise", "drop"}, default="raise"
        What to do if a member fails: raise an error, or drop it with a warning.

    Notes
    -----
    ``params`` of each member has its ``kind`` and its ``view``. ``notes`` of the
    ensemble says what was left out and why. Members have no centres, since most see
    transformed data.

    Larger data have 10,000 landmarks (3,000 if quick, 20,000 if thorough), so memory is
    linear in the number of samples.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import Panel
    >>> X = load_iris().data
    >>> [(seat.kind, seat.view) for seat in Panel(effort="quick").plan(X)][:3]
    [('spectral', 'raw'), ('genie', 'raw'), ('gmm', 'raw')]
    >>> Panel(effort="quick").generate(X, seed=0).notes
    ('Left out mdec, mbn and kmeans, which need many features: there are only 4.',)
    """

    name = "panel"
    summary = "several kinds of member on several views of the data"
    cost = "that of its kinds: time M N (N D + k) up to 10,000 samples, linear beyond"
    group = "reason"
    take_if = "members of several kinds; the default"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [*COUNT, None],
        "seats": [list, tuple, None],
        "views": [list, tuple, None],
        "n_clusters": [*COUNT, tuple, list, None],
        "target": [*COUNT, None],
        "effort": [StrOptions(set(EFFORTS)), Interval(Real, 0, None, closed="neither")],
        "max_samples": [*COUNT, None],
    }

    def __init__(
        self,
        n_members: int | None = None,
        *,
        seats: Any = None,
        views: Any = None,
        n_clusters: Any = None,
        target: int | None = None,
        effort: str | float = "normal",
        max_samples: int | None = None,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members  # type: ignore[assignment]
        self.seats = seats
        self.views = views
        self.n_clusters = n_clusters
        self.target = target
        self.effort = effort
        self.max_samples = max_samples
        self.on_error = on_error

    def plan(self, X: Any) -> list[Seat]:
        """Return who would sit on the panel for these data.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame

        Returns
        -------
        list of Seat
            ``(kind, view, generator)``, the most valuable first.
        """
        return self._seated(self._accepted(X))[0]

    def _count(self) -> int:
        return _USUAL if self.n_members is None else self.n_members

    def _accepted(self, X: Any) -> Any:
        X = super()._accepted(X)
        if is_sparse(X) and X.shape[1] <= _SINGULAR:
            return X.toarray()  # there is nothing to reduce
        return X

    def _check(self, X: Any) -> None:
        if not isinstance(self.effort, str) and settings().checkpoint is not None:
            raise ValueError(
                f"Panel got effort={self.effort!r}, a time limit, inside a checkpoint. "
                "The members would depend on the speed of the machine, so no run could "
                "resume. Use effort='quick', 'normal' or 'thorough'."
            )
        self._seated(X)

    def _seated(self, X: Any) -> tuple[list[Seat], tuple[str, ...]]:
        """Return the seats with their numbers of members, and notes."""
        if self.seats is not None:
            seats, notes = [_as_seat(seat, X) for seat in self.seats], ()
            if not seats:
                raise ValueError("Panel needs at least one seat, got an empty list.")
        else:
            if self.views is not None:
                check_views(self.views, X, "Panel")
            chosen = suitable_seats(X, self.views, n_seats=self._n_seats)
            few = has_few_features(X)
            plan = Plan(self.n_clusters, self.target, self.on_error, few)
            notes, seats = chosen.notes, []
            for kind, view in chosen.seats:
                seats.append(Seat(kind, view, KINDS[kind].make(plan)))
            if self._pace == "quick":
                seats = seats[:_QUICK_SEATS]
            if not seats:
                raise ValueError(
                    f"Panel has no kind of member for the views {self.views!r} of "
                    f"{'sparse' if is_sparse(X) else 'dense'} data. Choose others, or "
                    "pass seats."
                )
        return self._staffed(seats), notes

    @property
    def _n_seats(self) -> int | None:
        """How many seats there will be at least; None is all."""
        if self.n_members is not None:
            return self.n_members // _FEWEST
        return None if self.effort == "normal" else _QUICK_SEATS

    @property
    def _pace(self) -> str:
        """The effort in words."""
        return self.effort if isinstance(self.effort, str) else "normal"

    def _staffed(self, seats: list[Seat]) -> list[Seat]:
        """Share out the members among the seats."""
        usual = np.array([seat.generator._count() for seat in seats], float)
        if self.n_members is None:
            if self._pace == "normal":
                return seats
            counts = np.maximum(_FEWEST, np.ceil(_SHARE[self._pace] * usual))
        else:
            _check_countable(seats, self.n_members)
            n_seats = max(1, min(len(seats), self.n_members // _FEWEST))
            seats, usual = seats[:n_seats], usual[:n_seats]
            counts = _shared_out(self.n_members, usual)
        return [
            seat._replace(generator=clone(seat.generator).set_params(n_members=int(n)))
            if "n_members" in seat.generator.get_params(deep=False)
            else seat
            for seat, n in zip(seats, counts, strict=True)
        ]

    def _generate(
        self, X: Any, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> Ensemble:
        checkpoint_folder(seed)  # which needs a seed
        seats, notes = self._seated(X)
        for_landmarks, *children = seed_sequence(seed).spawn(len(seats) + 1)
        hall = _Hall(X, self._landmarks(X.shape[0], for_landmarks))
        if hall.landmarks is not None:
            notes += (
                f"Members were made from {hall.landmarks.size:,} of the "
                f"{X.shape[0]:,} samples; the others go with their nearest of these.",
            )
        clock = _Clock(self.effort)
        parts: list[Ensemble] = []
        total = sum(seat.generator._count() for seat in seats)
        with progress_hook(progress, "Members") as tell, shared_searches(_SEARCHED):
            done = 0
            for number, (seat, child) in enumerate(zip(seats, children, strict=True)):
                if not clock.has_time_for(seat):
                    names = ", ".join(f"{s.kind} {s.view}" for s in seats[number:])
                    notes += (f"Left out for lack of time: {names}.",)
                    break
                with subfolder(f"{number}-{seat.kind}"):
                    found = seat.generator.generate(
                        hall.view(seat),
                        seed=child,
                        n_jobs=n_jobs,
                        progress=_further(tell, done, total),
                    )
                parts.append(hall.all_samples(found, seat))
                done += found.n_members
            if done < total:  # seats or members were left out
                tell(done, done)
        whole = Ensemble.concatenate(parts)
        return Ensemble._from_coded(
            whole.labels, whole.offsets, whole.members, notes + whole.notes
        )

    def _landmarks(
        self, n_samples: int, seed: np.random.SeedSequence
    ) -> np.ndarray | None:
        """Return the samples from which members are made, or None for all."""
        most = self.max_samples
        if most is None:
            most = _MAX_SAMPLES[self._pace]
        if n_samples <= most:
            return None
        size = min(most, _LANDMARKS[self._pace])
        rng = np.random.default_rng(seed)
        return np.sort(rng.choice(n_samples, size, replace=False))


class _Hall:
    """The data as the seats see them; each view is computed once."""

    def __init__(self, X: Any, landmarks: np.ndarray | None) -> None:
        self.X = X
        self.landmarks = landmarks
        self._views: dict[Any, Any] = {}
        self._rotations: dict[Any, Any] = {}
        self._nearest: dict[Any, np.ndarray] = {}

    def view(self, seat: Seat) -> Any:
        """Return the data that the members of a seat are made from."""
        whole = self._whole(seat.view)
        if self.landmarks is not None:
            whole = whole[self.landmarks]
        known = KINDS.get(seat.kind)
        if known is None or not known.by_distance or is_sparse(whole):
            return whole
        if seat.view not in self._rotations:
            self._rotations[seat.view] = _rotated(whole)
        return self._rotations[seat.view]

    def _whole(self, view: Any) -> Any:
        if view not in self._views:
            seen = _by_function(self.X, view) if callable(view) else look(self.X, view)
            self._views[view] = _singular_vectors(seen) if is_sparse(seen) else seen
        return self._views[view]

    def all_samples(self, found: Ensemble, seat: Seat) -> Ensemble:
        """Return the ensemble of all samples, its members knowing their seat."""
        name = seat.view if isinstance(seat.view, str) else _name_of(seat.view)
        members = tuple(
            Member(
                name=member.name,
                params={**member.params, "kind": seat.kind, "view": name},
                seed=member.seed,
            )
            for member in found.members
        )
        labels = found.labels
        if self.landmarks is not None:
            if seat.view not in self._nearest:
                whole = self._whole(seat.view)
                near = nearest_neighbors(whole[self.landmarks], 1, queries=whole)
                self._nearest[seat.view] = near.indices[:, 0]
            labels = np.ascontiguousarray(labels[self._nearest[seat.view]])
        return Ensemble._from_coded(labels, found.offsets, members, found.notes)


class _Clock:
    """Decides whether there is time for another seat."""

    def __init__(self, effort: str | float) -> None:
        self._limit = None if isinstance(effort, str) else (1 - _FOR_COMBINING) * effort
        self._started = time.monotonic()
        self._cost = 0.0

    def has_time_for(self, seat: Seat) -> bool:
        """Whether a seat would end in time; the first always takes place."""
        cost = KINDS[seat.kind].cost if seat.kind in KINDS else 1.0
        spent = time.monotonic() - self._started
        expected = spent * cost / self._cost if self._cost else 0.0
        self._cost += cost
        return self._limit is None or not expected or spent + expected <= self._limit


def _as_seat(seat: Any, X: Any) -> Seat:
    """Return a seat from (view, generator) or (kind, view, generator)."""
    parts: list[Any] = list(seat) if isinstance(seat, tuple | list) else []
    if len(parts) not in (2, 3) or not isinstance(parts[-1], BaseGenerator):
        raise TypeError(
            "Panel expects seats as (view, generator) or (kind, view, generator), got "
            f"{seat!r}."
        )
    view, generator = parts[-2:]
    if not callable(view):
        check_views([view], X, "Panel")
    own = generator.name or type(generator).__name__
    return Seat(str(parts[0]) if len(parts) == 3 else own, view, generator)


def _check_countable(seats: list[Seat], n_members: int) -> None:
    """Raise if a seat cannot be told how many members to make."""
    for seat in seats:
        if "n_members" not in seat.generator.get_params(deep=False):
            raise ValueError(
                f"Panel got n_members={n_members}, but {type(seat.generator).__name__} "
                "decides how many members it makes. Omit n_members."
            )


def _by_function(X: Any, view: Callable[[Any], Any]) -> Any:
    """Return the data as a user's function shows them."""
    seen = check_data(view(X), "Panel", accept_sparse=True)
    if seen.shape[0] != X.shape[0]:
        raise ValueError(
            f"Panel: the view {_name_of(view)} must return a row for each of the "
            f"{X.shape[0]:,} samples, got {seen.shape[0]:,}."
        )
    return seen


def _name_of(view: Callable[[Any], Any]) -> str:
    return getattr(view, "__name__", type(view).__name__)


def _shared_out(total: int, usual: np.ndarray) -> np.ndarray:
    """Return whole numbers that sum to the total, in proportion to the usual ones.

    Each is at least one; ``total`` is not smaller than their number.
    """
    exact = total * usual / usual.sum()
    counts = np.maximum(np.floor(exact), 1.0)
    while (left := total - counts.sum()) != 0:
        at = (exact - counts).argmax() if left > 0 else counts.argmax()
        counts[at] += np.sign(left)
    return counts


def _further(
    tell: Callable[[int, int], None], done: int, total: int
) -> Callable[[int, int], None]:
    """Return a progress function that counts on from what is done."""
    return lambda more, _: tell(done + more, total)


def _rotated(X: np.ndarray) -> np.ndarray:
    """Return points with the same distances, at most as many features as samples."""
    n_samples, n_features = X.shape
    if n_features <= n_samples:
        return X
    near = X - X.mean(axis=0)
    values, vectors = scipy.linalg.eigh(near @ near.T)
    kept = values > np.finfo(X.dtype).eps * max(values[-1], 0.0) * n_samples
    if not kept.any():
        return near[:, :1]
    return np.ascontiguousarray(vectors[:, kept] * np.sqrt(values[kept]))


def _singular_vectors(X: Any) -> np.ndarray:
    """Return the rows of sparse data in their leading singular directions."""
    size = min(_SINGULAR, min(X.shape) - 1)
    if size < 1:
        return X.toarray()
    U, s, _ = randomized_svd(X, size, random_state=0)
    return np.ascontiguousarray(U * s)
