"""The number of clusters, and whether there are any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from coterie._engine import run_members
from coterie._linalg import largest_complete_part
from coterie._magnitudes import reject_tiny
from coterie._scales import LoudColumns, loud_columns
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, Progress, Seed
from coterie._validation import (
    COUNT,
    Interval,
    StrOptions,
    check_data,
    has_missing,
    is_sparse,
    validate_parameter_constraints,
)
from coterie.choice._criteria import (
    CDF_GRID,
    cdf_area,
    consensus_cdf,
    consensus_labels,
    consensus_levels,
    consensus_tree,
    delta_area,
    dispersion,
    eigengap,
    pac,
    stability,
)
from coterie.choice._members import Divide, Division, divide_by, divide_by_kmeans
from coterie.choice._nulls import NULLS, principal_scores
from coterie.choice._result import KChoice
from coterie.choice._vote import choose, compare, sentence, votes
from coterie.ensemble import Ensemble
from coterie.generation._views import look
from coterie.metrics._ensemble import agreement_with_ensemble

STATISTICS = ("separation", "pac", "stability", "dispersion")
_FEWEST = 4  # samples, below which there is no answer
_SETTINGS = {
    "standardize": ["boolean", StrOptions({"auto"})],
    "members": [StrOptions({"per_k", "shared"})],
    "null": [StrOptions(set(NULLS))],
    "statistic": [StrOptions(set(STATISTICS))],
    "n_null": COUNT,
    "alpha": [Interval(Real, 0, 1, closed="neither")],
    "n_splits": COUNT,
    "max_samples": [Interval(Integral, _FEWEST, None, closed="left")],
    "n_components": COUNT,
}


def choose_k(
    X: Any,
    k_range: Iterable[int] = range(2, 11),
    *,
    estimator: Any = None,
    standardize: bool | str = "auto",
    members: str = "per_k",
    null: str = "independent",
    statistic: str = "separation",
    n_null: int = 59,
    alpha: float = 0.05,
    n_splits: int = 10,
    max_samples: int = 500,
    n_components: int = 20,
    random_state: Seed = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> KChoice:
    """Choose the number of clusters, or find that there are none.

    For each k, clusterings of random halves of the data are compared: do they agree,
    and is the density of the other half low between the clusters? The same is done with
    references, data of the same spread without clusters. The answer is more than one
    cluster only if the data look more clustered than all but a share ``alpha`` of the
    references; several criteria then vote on the number.

    Parameters
    ----------
    X : (n_samples, n_features) array, sparse matrix or frame
        The data.
    k_range : iterable of int, default=range(2, 11)
        Numbers to compare; those above half the number of samples are ignored. One
        cluster is always considered, whether in the range or not.
    estimator : a system of coterie, or None, default=None
        Used to prepare the data, and with ``members="shared"`` for its members and
        consensus function. None uses the data unchanged.
    standardize : bool or "auto", default="auto"
        Whether each column is scaled to mean 0 and variance 1 first. "auto" does so if
        a few columns hold nearly all the variance; the sentence says so.
    members : {"per_k", "shared"}, default="per_k"
        "per_k" makes k-means members for each k; "shared" makes the estimator's members
        once (from the principal components) and combines halves of them for each k,
        which is much slower.
    null : {"independent", "unimodal", "gaussian", "permuted"}, default="independent"
        The references: drawn from the unimodal distributions nearest to the independent
        components or to the principal components; Gaussian components, as in M3C [1]_;
        or shuffled components. See the notes.
    statistic : {"separation", "pac", "stability", "dispersion"}, default="separation"
        The criterion that is compared with the references.
    n_null : int, default=59
        References to draw; the smallest possible p-value is 1 / (n_null + 1).
    alpha : float, default=0.05
        The accepted rate of finding clusters in data without clusters.
    n_splits : int, default=10
        Random splits into halves; each makes two members.
    max_samples : int, default=500
        Larger data are subsampled to this size.
    n_components : int, default=20
        Number of leading principal components to use.
    random_state : int, RandomState, Generator, SeedSequence or None, default=None
        Makes the result reproducible, whatever ``n_jobs`` is.
    n_jobs : int or None, default=None
        References computed in parallel threads; -1 = all cores.
    progress : bool, function of (done, total) or None, default=None
        True shows a progress bar.

    Returns
    -------
    KChoice
        The number, the curve of each criterion, the votes, the p-values and a one-line
        summary.

    Notes
    -----
    The p-value of "no clusters at all" compares the largest standardised statistic over
    all k with that of each reference, so it accounts for multiple testing. References
    have exactly the covariance of the data's components.

    *Missing values.* If X has NaN, the number is chosen from its largest complete part:
    the columns, and the rows without a missing value in them, that together hold the
    most values. ``settings["complete_part"]`` has their numbers.

    *References.* "gaussian" mistakes uniform data for clusters; "permuted" keeps the
    modes of an axis and so hides clusters along it; "unimodal" fails if principal axes
    of equal variance are rotated by chance. ``docs/choice.md`` has the error rates.

    References
    ----------
    .. [1] C. R. John, D. Watson, D. Russ, K. Goldmann, M. Ehrenstein, C. Pitzalis,
       M. Lewis, M. Barnes, "M3C: Monte Carlo reference-based consensus clustering",
       Scientific Reports 10, 1816, 2020. :doi:`10.1038/s41598-020-58766-1`

    Examples
    --------
    >>> import coterie
    >>> from sklearn.datasets import make_blobs
    >>> X, _ = make_blobs(150, centers=3, random_state=3)
    >>> choice = coterie.choose_k(X, range(2, 6), n_null=19, random_state=0)
    >>> choice.n_clusters, choice.p_value
    (3, 0.05)
    """
    k_values = _checked_range(k_range)
    settings = {
        "standardize": standardize,
        "members": members,
        "null": null,
        "statistic": statistic,
        "n_null": n_null,
        "alpha": alpha,
        "n_splits": n_splits,
        "max_samples": max_samples,
        "n_components": n_components,
    }
    validate_parameter_constraints(_SETTINGS, settings, caller_name="choose_k")
    names = getattr(X, "columns", None)
    X = _prepared(estimator, X, members)
    loud = loud_columns(X) if standardize == "auto" else None
    settings["standardize"] = standardize is True or loud is not None
    if settings["standardize"]:
        if is_sparse(X):
            raise ValueError(
                "choose_k cannot standardise sparse data without making them dense. "
                "Pass standardize=False, or X.toarray()."
            )
        X = look(X, "zscore")
    rows = np.arange(X.shape[0])
    if has_missing(X):
        part = largest_complete_part(np.isnan(X))
        rows, X = part.rows, X[np.ix_(part.rows, part.columns)]
        settings["complete_part"] = X.shape
    settings["n_samples"] = n_samples = X.shape[0]
    for_sample, for_axes, for_members = seed_sequence(random_state).spawn(3)
    drawn = _drawn(n_samples, max_samples, np.random.default_rng(for_sample))
    samples = rows[drawn]
    if n_samples < _FEWEST:
        return _nothing_to_see(samples, settings, "there are too few samples to tell.")
    if not k_values:
        return _nothing_to_see(samples, settings, "no other number was asked for.")
    kept = _kept(k_values, samples.size)
    scores, axes = principal_scores(X[drawn], n_components)
    settings["n_components"] = scores.shape[1]
    if scores.shape[1] == 0:
        return _nothing_to_see(samples, settings, "all samples are the same.")

    draw = NULLS[null](scores, np.random.default_rng(for_axes), axes)
    divide: Divide = divide_by_kmeans if members == "per_k" else divide_by(estimator)

    def measured(number: int, rng: np.random.Generator) -> Any:
        own = number == 0  # number 0 is the data, the others are references
        divisions = divide(scores if own else draw(rng), kept, n_splits, rng)
        return (_curves(divisions), divisions if own else None)

    done = run_members(
        measured,
        n_null + 1,
        who="choose_k",
        seed=for_members,
        n_jobs=n_jobs,
        progress=progress,
    )
    (curves, divisions), *references = (result for _, result in done)
    null_curves = {
        name: np.array([found[name] for found, _ in references]) for name in curves
    }
    more, labels, cdf = _described(divisions)
    p_values, p_value = compare(curves, null_curves, statistic)
    voted = votes({**curves, **more}, null_curves, kept)
    n_clusters = 1 if p_value > alpha else choose(voted)
    return KChoice(
        n_clusters=n_clusters,
        k_values=np.array(kept),
        curves={**curves, **more},
        null_curves=null_curves,
        votes=voted,
        p_values=p_values,
        p_value=p_value,
        cdf_grid=CDF_GRID,
        cdf=cdf,
        labels=labels,
        samples=samples,
        sentence=sentence(n_clusters, voted, p_value, n_null, alpha)
        + _scaled_because(loud, names),
        settings=settings,
    )


def _curves(divisions: Sequence[Division]) -> dict[str, np.ndarray]:
    """Return the criteria that are compared with the references."""
    levels = [consensus_levels(division.ensemble) for division in divisions]
    return {
        "pac": np.array([pac(at) for at in levels]),
        "delta_area": delta_area([cdf_area(at) for at in levels]),
        "dispersion": np.array([dispersion(at) for at in levels]),
        "stability": np.array([stability(d.ensemble) for d in divisions]),
        "separation": np.array([d.separation for d in divisions]),
    }


def _described(
    divisions: Sequence[Division],
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Return the criteria without references, the labels and the consensus CDF."""
    fits, labels, agreements, cdf = [], [], [], []
    for division in divisions:
        Z, fit = consensus_tree(division.ensemble)
        fits.append(fit)
        labels.append(consensus_labels(Z, division.ensemble, division.k))
        agreements.append(agreement_with_ensemble(labels[-1], division.ensemble))
        cdf.append(consensus_cdf(consensus_levels(division.ensemble)))
    together = Ensemble.concatenate(division.ensemble for division in divisions)
    curves = {
        "cophenetic": np.array(fits),
        "eigengap": eigengap(together, [division.k for division in divisions]),
        "member_nmi": np.array(agreements),
    }
    return curves, np.array(labels), np.array(cdf)


def _nothing_to_see(
    samples: np.ndarray, settings: Mapping[str, Any], why: str
) -> KChoice:
    """Return the answer "one cluster" if there is nothing to compare."""
    nothing = np.empty(0)
    return KChoice(
        n_clusters=1,
        k_values=np.empty(0, dtype=int),
        curves={},
        null_curves={},
        votes={},
        p_values=nothing,
        p_value=1.0,
        cdf_grid=CDF_GRID,
        cdf=np.empty((0, CDF_GRID.size)),
        labels=np.empty((0, samples.size), dtype=LABEL_DTYPE),
        samples=samples,
        sentence=f"One cluster: {why}",
        settings=settings,
    )


def _prepared(estimator: Any, X: Any, members: str) -> Any:
    """Return the data as the estimator prepares them."""
    if estimator is not None and not hasattr(estimator, "fit"):
        raise TypeError(
            "choose_k expects a system such as coterie.MDEC() as estimator, or None, "
            f"got {estimator!r}."
        )
    if members == "shared" and not hasattr(estimator, "parts"):
        raise TypeError(
            "choose_k(members='shared') needs a system that makes members and combines "
            f"them, such as EnsembleClustering, got {estimator!r}. Use "
            "members='per_k'."
        )
    if estimator is not None and hasattr(estimator, "prepare"):
        return estimator.prepare(X)
    X = check_data(X, "choose_k", accept_sparse=True, accept_missing=True)
    reject_tiny(X, "choose_k")
    return X


def _scaled_because(loud: LoudColumns | None, names: Any) -> str:
    """Say why the columns were standardised, if they were found to need it."""
    if loud is None:
        return ""
    known = names if names is not None and len(names) == loud.n_columns else None
    return f" Columns were standardised, as {loud.sentence(known)}."


def _drawn(n_samples: int, most: int, rng: np.random.Generator) -> np.ndarray:
    if n_samples <= most:
        return np.arange(n_samples)
    return np.sort(rng.choice(n_samples, most, replace=False))


def _kept(k_values: list[int], n_used: int) -> list[int]:
    kept = [k for k in k_values if k <= n_used // 2]
    if not kept:
        raise ValueError(
            f"choose_k was asked for k of at least {k_values[0]}, but half of the "
            f"{n_used} samples cannot form that many clusters. Ask for at most "
            f"{n_used // 2}."
        )
    return kept


def _checked_range(k_range: Any) -> list[int]:
    try:
        values = list(k_range)
    except TypeError:
        values = [k_range]
    whole = all(isinstance(k, Integral) and not isinstance(k, bool) for k in values)
    if not whole or not values or min(values) < 1:
        raise ValueError(
            "choose_k expects k_range as whole numbers of at least 1, such as "
            f"range(1, 11), got {k_range!r}."
        )
    return sorted({int(k) for k in values} - {1})  # 1 is always considered
