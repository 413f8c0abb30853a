"""What all weighters share."""

from __future__ import annotations

from typing import Any, ClassVar, final

from sklearn.base import BaseEstimator

from coterie._validation import check_parameters
from coterie.ensemble import Ensemble, Weights


class BaseWeighter(BaseEstimator):
    """Says how much parts of an ensemble count.

    A subclass implements ``_weigh(ensemble, X)`` and says by ``needs_X`` whether it
    looks at the data, by ``gives_weights`` of what its weights are.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Weights
    >>> from coterie.weighting import BaseWeighter
    >>> class Alike(BaseWeighter):
    ...     gives_weights = frozenset({"members"})
    ...     def _weigh(self, ensemble, X):
    ...         return Weights(members=np.ones(ensemble.n_members))
    ...
    >>> Alike().weigh([[0, 0, 1], [0, 1, 1]]).members
    array([1., 1.])
    """

    kind: ClassVar[str] = "weighter"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None

    needs_X: ClassVar[bool] = False
    gives_weights: ClassVar[frozenset[str]] = frozenset()
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    @final
    def weigh(self, ensemble: Any, *, X: Any = None) -> Weights:
        """Return weights for the ensemble.

        Parameters
        ----------
        ensemble : Ensemble, or whatever makes one
        X : array, default=None
            The data, for weighters that look at them.
        """
        check_parameters(self)
        if self.needs_X and X is None:
            raise ValueError(
                f"{type(self).__name__} needs the data X, but got only the ensemble. "
                "Pass X=, or use no weights."
            )
        ensemble = Ensemble(ensemble)
        weights = self._weigh(ensemble, X)
        weights.check_for(ensemble)
        return weights

    def _weigh(self, ensemble: Ensemble, X: Any) -> Weights:
        raise NotImplementedError(f"{type(self).__name__} must implement _weigh.")
