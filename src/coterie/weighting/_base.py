"""The base class of all weighters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import BaseEstimator

from coterie._seeds import seed_sequence
from coterie._typing import Seed
from coterie._validation import check_parameters
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._ensemble import as_ensemble


@dataclass(frozen=True, eq=False)
class Task:
    """The validated input of a weighter.

    Attributes
    ----------
    ensemble : Ensemble
    X : array or None
        The data, if the caller has them.
    seed : numpy.random.SeedSequence
    """

    ensemble: Ensemble
    X: Any
    seed: np.random.SeedSequence


class BaseWeighter(BaseEstimator):
    """Weights the members, clusters or samples of an ensemble.

    A subclass implements ``_weigh(task)``, which returns :class:`~coterie.Weights`, and
    declares with ``needs_X`` whether it needs the data, and with ``gives_weights`` what
    its weights apply to.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Weights
    >>> from coterie.weighting import BaseWeighter
    >>> class Alike(BaseWeighter):
    ...     gives_weights = frozenset({"members"})
    ...     def _weigh(self, task):
    ...         return Weights(members=np.ones(task.ensemble.n_members))
    ...
    >>> Alike().weigh([[0, 0, 1], [0, 1, 1]]).members
    array([1., 1.])
    """

    kind: ClassVar[str] = "weighter"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None
    group: ClassVar[str] = "research"  # or "reason", or "start"
    take_if: ClassVar[str] = ""  # what you have, for the other groups

    needs_X: ClassVar[bool] = False
    gives_weights: ClassVar[frozenset[str]] = frozenset()
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    @final
    def weigh(self, ensemble: Any, *, X: Any = None, seed: Seed = None) -> Weights:
        """Return weights for the ensemble.

        Parameters
        ----------
        ensemble : Ensemble, or anything that makes one
        X : array, default=None
            The data, for weighters that need them.
        seed : int, SeedSequence, Generator, RandomState or None, default=None
            For weighters that use random numbers.
        """
        check_parameters(self)
        if self.needs_X and X is None:
            raise ValueError(
                f"{type(self).__name__} needs the data X, but got only the ensemble. "
                "Pass X=, or use no weights."
            )
        ensemble = as_ensemble(ensemble)
        weights = self._weigh(Task(ensemble, X, seed_sequence(seed)))
        weights.check_for(ensemble)
        return weights

    def _weigh(self, task: Task) -> Weights:
        raise NotImplementedError(f"{type(self).__name__} must implement _weigh.")
