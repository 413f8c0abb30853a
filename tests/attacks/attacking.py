"""What must hold whatever comes in."""

import os
import traceback
import warnings
from collections import Counter
from contextlib import contextmanager

import numba
import numpy as np
import threadpoolctl
from hypothesis import HealthCheck, settings
from sklearn.exceptions import ConvergenceWarning

from coterie import exceptions

_CHECKS = list(HealthCheck)
TRIED = Counter()
REFUSED = Counter()
_OURS = tuple(
    kind
    for kind in vars(exceptions).values()
    if isinstance(kind, type) and issubclass(kind, Warning)
)
_SAID = (ValueError, TypeError, MemoryError, ImportError)
_SPEAKERS = ("/coterie/", "/sklearn/")


def _state():
    return {
        "filters": list(warnings.filters),
        "random": np.random.get_state()[1].tolist(),  # noqa: NPY002
        "errors": np.geterr(),
        "folder": os.getcwd(),  # noqa: PTH109
        "variables": dict(os.environ),
        "kernels": numba.get_num_threads(),
        **{
            pool["filepath"]: pool["num_threads"]
            for pool in threadpoolctl.threadpool_info()
        },
    }


def check_sentence(error):
    """Check that an error was raised on purpose, with words for the user."""
    text = str(error)
    if isinstance(error, exceptions.MemberFailedError):
        return check_sentence(error.__cause__)
    place = traceback.extract_tb(error.__traceback__)[-1].filename
    assert any(part in place for part in _SPEAKERS), (place, text)
    assert len(text.split()) >= 5, text
    assert "bug in coterie" not in text


@contextmanager
def attack(kind):
    """Count a case; a refusal must be a sentence, and the process stays as it was."""
    TRIED[kind] += 1
    with warnings.catch_warnings():
        # np.matrix only warns of itself
        for category in (*_OURS, ConvergenceWarning, PendingDeprecationWarning):
            warnings.simplefilter("ignore", category)
        before = _state()
        try:
            yield
        except (*_SAID, exceptions.MemberFailedError) as error:
            check_sentence(error)
            REFUSED[kind] += 1
        after = _state()
    changed = {name for name in before if before[name] != after[name]}
    assert not changed, changed


def check_labels(labels, n_samples, n_clusters):
    """Check the numbering and the number of clusters."""
    assert labels.shape == (n_samples,)
    assert labels.dtype == np.int32
    used = np.unique(labels)
    np.testing.assert_array_equal(used, np.arange(used.size))
    assert used.size <= n_clusters


def check_shares(values, n_samples):
    """Check confidences."""
    assert values.shape == (n_samples,)
    assert np.isfinite(values).all()
    assert values.min() >= 0
    assert values.max() <= 1


def snapshot(X):
    """Return the bytes of an input, to see that nobody writes into it."""
    if hasattr(X, "tocoo"):
        entries = X.tocoo()
        return [part.tobytes() for part in (entries.row, entries.col, entries.data)]
    if isinstance(X, list):
        return repr(X)
    if hasattr(X, "columns"):
        return X.to_numpy(dtype=np.float64).tobytes()
    return np.asarray(X).tobytes()


def examples(n):
    """Return a decorator: try n fixed cases, or as many as ``make attack`` says."""
    if "COTERIE_ATTACKS" in os.environ:
        return settings.get_profile("attack")
    return settings(max_examples=n, deadline=None, suppress_health_check=_CHECKS)
