"""Tables that a system takes as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._magnitudes import in_range, reject_tiny
from coterie._tables import TableEncoder
from coterie._validation import check_array, reject_repeated_names, validate_data


def encoded(system: Any, encoder: TableEncoder, X: Any, *, reset: bool) -> np.ndarray:
    """Return a table as numbers, NaN where a value is missing.

    Parameters
    ----------
    system : system
        Remembers number and names of the columns of the table.
    encoder : TableEncoder
        Fitted.
    X : frame or array of objects
    reset : bool
        Whether the system is fitted.
    """
    who = type(system).__name__
    reject_repeated_names(X, who)
    validate_data(system, X, reset=reset, skip_check_array=True)
    X = check_array(
        encoder.transform(X),
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        input_name="X",
        estimator=who,
    )
    if reset:
        reject_tiny(X, who)
    return in_range(X, who, encoder.names)
