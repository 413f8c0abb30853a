"""Errors and warnings of coterie."""

__all__ = [
    "ClusterSizesWarning",
    "DegenerateMemberWarning",
    "FewerClustersWarning",
    "MemberFailedError",
    "MemoryLimitError",
    "MemoryLimitWarning",
    "StoreError",
    "UnscaledDataWarning",
    "UnsuitableMethodWarning",
    "WeightsDisagreeWarning",
]


class MemberFailedError(RuntimeError):
    """One or more members failed while an ensemble was generated.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from coterie.exceptions import MemberFailedError
    >>> from coterie.generation import FromClusterers
    >>> members = FromClusterers([KMeans(2), KMeans(9)])
    >>> try:
    ...     members.generate([[0.0], [1.0], [5.0]], seed=0)
    ... except MemberFailedError:
    ...     message = "one of two members failed"
    ...
    >>> message
    'one of two members failed'
    """


class MemoryLimitError(MemoryError):
    """A result would need more memory than the limit allows.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Ensemble
    >>> from coterie import use_engine
    >>> from coterie.exceptions import MemoryLimitError
    >>> ensemble = Ensemble(np.arange(2000).reshape(-1, 1))
    >>> try:
    ...     with use_engine(memory_limit=1000):
    ...         ensemble.coassociation()
    ... except MemoryLimitError:
    ...     message = "the matrix would be too large"
    ...
    >>> message
    'the matrix would be too large'
    """


class StoreError(RuntimeError):
    """A folder cannot store members, or holds those of another run.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from coterie._engine import MemberStore
    >>> from coterie.exceptions import StoreError
    >>> folder = Path(tempfile.mkdtemp())
    >>> store = MemberStore(folder, {"seed": 0})
    >>> try:
    ...     MemberStore(folder, {"seed": 1})
    ... except StoreError:
    ...     message = "the folder belongs to another run"
    ...
    >>> message
    'the folder belongs to another run'
    """


class DegenerateMemberWarning(UserWarning):
    """A member of an ensemble is uninformative, or was left out.

    Examples
    --------
    >>> import warnings
    >>> from coterie.exceptions import DegenerateMemberWarning
    >>> from coterie.generation import RandomKMeans
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     ensemble = RandomKMeans(3, n_clusters=1).generate([[0.0], [1.0]], seed=0)
    ...
    >>> caught[0].category is DegenerateMemberWarning
    True
    """


class FewerClustersWarning(UserWarning):
    """Fewer clusters were found than requested.

    Examples
    --------
    >>> import warnings
    >>> import coterie
    >>> from coterie.exceptions import FewerClustersWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = coterie.combine([[0, 0, 1, 1], [0, 0, 1, 1]], 3, "kcc")
    ...
    >>> caught[0].category is FewerClustersWarning
    True
    """


class ClusterSizesWarning(UserWarning):
    """The clusters have sizes that the members do not support.

    Examples
    --------
    Ten of eleven members know a cluster of 60 samples and one of 30. A method that
    cuts into equal parts must split the larger one.

    >>> import warnings
    >>> import numpy as np
    >>> import coterie
    >>> from coterie.exceptions import ClusterSizesWarning
    >>> members = [np.repeat([0, 1], [60, 30])] * 10 + [np.repeat([0, 1], 45)]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     labels = coterie.combine(members, 2, "cspa", random_state=0)
    ...
    >>> caught[0].category is ClusterSizesWarning
    True
    """


class MemoryLimitWarning(UserWarning):
    """The work is done differently to stay within the memory limit.

    Examples
    --------
    >>> import warnings
    >>> from coterie.exceptions import MemoryLimitWarning
    >>> issubclass(MemoryLimitWarning, UserWarning)
    True
    """


class UnscaledDataWarning(UserWarning):
    """A few columns hold nearly all the variance, so the others hardly count.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_wine
    >>> from coterie import USENC
    >>> from coterie.exceptions import UnscaledDataWarning
    >>> X = load_wine(as_frame=True).data
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = USENC(3, random_state=0).fit(X)
    ...
    >>> caught[0].category is UnscaledDataWarning
    True
    >>> "proline has 99.8% of the variance" in str(caught[0].message)
    True
    """


class UnsuitableMethodWarning(UserWarning):
    """A method is used where experiments found another one to be much better.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import make_blobs
    >>> from coterie import MDEC
    >>> from coterie.exceptions import UnsuitableMethodWarning
    >>> X, _ = make_blobs(60, n_features=2, random_state=0)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = MDEC(3, n_members=5, random_state=0).fit(X)
    ...
    >>> caught[0].category is UnsuitableMethodWarning
    True
    """


class WeightsDisagreeWarning(UserWarning):
    """Cluster weights change the result much, and the members agree less with it.

    Examples
    --------
    Every two of nine samples are together in two or three of nine members; the last
    two samples are together in one.

    >>> import warnings
    >>> import numpy as np
    >>> import coterie
    >>> from coterie.exceptions import WeightsDisagreeWarning
    >>> x, y = np.divmod(np.arange(9), 3)
    >>> cuts = [x, *[x, y, (x + y) % 3, (x + 2 * y) % 3] * 2]
    >>> labels = [[*cut, 3, 3 if m == 0 else 4] for m, cut in enumerate(cuts)]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     weighted = coterie.combine(labels, 3, "lwea")
    ...
    >>> caught[0].category is WeightsDisagreeWarning
    True
    >>> np.bincount(weighted), np.bincount(coterie.combine(labels, 3, "eac"))
    (array([6, 3, 2]), array([9, 1, 1]))
    """
