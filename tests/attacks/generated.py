"""Strategies for hostile input: labels, ensembles, data, and what holds them."""

import decimal
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import scipy.sparse
from hypothesis import strategies as st

few = st.integers(1, 8) | st.integers(9, 30)


@st.composite
def ensembles(draw):
    """Draw label columns, (N, M) int with -1 for missing, and a number of clusters."""
    n = draw(few)
    kind = draw(st.sampled_from(["random", "identical", "one cluster", "singletons"]))
    n_members = draw(st.integers(1, 6))
    most = draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.integers(0, most, size=(n, n_members))
    if kind == "identical":
        labels[:] = labels[:, :1]
    elif kind == "one cluster":
        labels[:] = 0
    elif kind == "singletons":
        labels[:] = np.arange(n)[:, None]
    gone = rng.random(labels.shape) < draw(st.sampled_from([0.0, 0.0, 0.3, 0.9]))
    labels[gone] = -1
    return labels, draw(st.integers(1, n))


def _scaled(values, rng):
    return values * 10.0 ** rng.integers(-30, 31, size=values.shape[1])


def _filled(values, rng):
    gaps = rng.random(values.shape) < 0.2
    fill = rng.choice([-9999.0, 1e20, -9.969e36, -3.4028235e38])
    return np.where(gaps, fill, values)


KINDS = {
    "normal": lambda v, rng: v,
    "constant": lambda v, rng: np.full_like(v, 3.7),
    "zero": lambda v, rng: np.zeros_like(v),
    "two points": lambda v, rng: v[rng.integers(0, 2, len(v)) % len(v)],
    "rounded": lambda v, rng: np.rint(v),
    "far away": lambda v, rng: v + 1e12,
    "mixed scales": _scaled,
    "fill values": _filled,
    "one outlier": lambda v, rng: np.where(np.arange(v.size) == 0, 1e60, v.flat),
    "huge": lambda v, rng: v * 1e60,
    "too huge": lambda v, rng: v * 1e200,
    "tiny": lambda v, rng: v * 1e-60,
    "too tiny": lambda v, rng: v * 1e-200,
    "denormal": lambda v, rng: np.where(v > 0, 5e-324, v),
    "all denormal": lambda v, rng: np.where(v > 0, 5e-324, 0.0),
    "collinear": lambda v, rng: v[:, :1] * np.arange(1, v.shape[1] + 1),
}
DTYPES = (np.float64, np.float64, np.float32, np.float16, np.int64, np.int8)


@st.composite
def arrays(draw):
    """Draw numbers, (N, D): degenerate, badly scaled, or of an unusual type."""
    n, d = draw(few), draw(st.sampled_from([1, 2, 3, 5, 40]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.standard_normal((n, d)) + 4 * rng.integers(0, 3, size=(n, 1))
    kind, dtype = draw(st.sampled_from(sorted(KINDS))), draw(st.sampled_from(DTYPES))
    values = np.reshape(KINDS[kind](values, rng), (n, d))
    with np.errstate(all="ignore"):
        cast = values.astype(dtype)
    return cast if np.isfinite(cast).all() else values


def _strided(X):
    return np.repeat(X, 2, axis=1)[:, ::2]


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def _frame(columns):
    def make(X):
        return pandas.DataFrame(X, columns=columns(X.shape[1]))

    return make


def _sparse(make):
    def of(X):  # SciPy has no sparse float16
        return make(X.astype(np.float32) if X.dtype == np.float16 else X)

    return of


CONTAINERS = {
    "array": lambda X: X,
    "Fortran": np.asfortranarray,
    "strided": _strided,
    "read-only": _read_only,
    "list": lambda X: X.tolist(),
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "frame": _frame(lambda d: [f"x{j}" for j in range(d)]),
    "numbered": _frame(range),
    "repeated names": _frame(lambda d: ["x"] * d),
    "mixed names": _frame(lambda d: [("a", 1, 2.5, None)[j % 4] for j in range(d)]),
    "levels": _frame(
        lambda d: pandas.MultiIndex.from_tuples([("a", j) for j in range(d)])
    ),
    "nullable": lambda X: pandas.DataFrame(X.astype(np.float64)).astype("Float64"),
    "masked": lambda X: np.ma.array(X, mask=np.zeros(X.shape, dtype=bool)),
    "csr": _sparse(scipy.sparse.csr_matrix),
    "coo": _sparse(scipy.sparse.coo_array),
    "matrix": np.asmatrix,
}


@st.composite
def held(draw, data):
    """Draw data, half of the time in some container."""
    name = draw(st.just("array") | st.sampled_from(sorted(CONTAINERS)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # of np.matrix
        return CONTAINERS[name](draw(data))


# Ways to write the partition 0, 1, 2, ... with some samples missing (None). Each takes
# codes (-1 = missing) and returns a label vector.
def _listed(function):
    return lambda codes: [None if c < 0 else function(c) for c in codes]


def _nullable(dtype, shift=0):
    def make(codes):
        return pandas.array(_listed(lambda c: int(c) + shift)(codes), dtype=dtype)

    return make


def _masked(dtype, shift=0):
    def make(codes):
        values = np.asarray(codes).astype(dtype) + np.array(shift, dtype=dtype)
        return np.ma.array(values, mask=np.asarray(codes) < 0)

    return make


def _arrow(codes):
    return pyarrow.array(_listed(lambda c: int(c) + 2**60)(codes))


def _polars(codes):
    return polars.Series(_listed(lambda c: int(c) + 2**60)(codes))


LABELS = {
    "int8": lambda codes: np.asarray(codes, dtype=np.int8),
    "float": lambda codes: np.where(np.asarray(codes) < 0, np.nan, codes),
    "float16": lambda codes: np.asarray(codes, dtype=np.float16),
    "list": _listed(int),
    "beyond 2**53": _listed(lambda c: int(c) + 2**53),
    "beyond 2**63": _listed(lambda c: int(c) + 2**63),
    "beyond 2**63, and -1": lambda codes: [c if c < 0 else c + 2**63 for c in codes],
    "beyond 2**70": _listed(lambda c: int(c) + 2**70),
    "masked int": _masked(np.int64),
    "masked unsigned": _masked(np.uint64, 2**63 + 1),
    "masked float": _masked(np.float64),
    "Int64": _nullable("Int64", 2**60),
    "UInt64": _nullable("UInt64", 2**63),
    "Float64": _nullable("Float64"),
    "string": lambda codes: pandas.array(_listed(lambda c: f"c{c}")(codes), "string"),
    "category": lambda codes: pandas.Categorical(
        _listed(lambda c: int(c) + 2**60)(codes)
    ),
    "Decimal": _listed(lambda c: decimal.Decimal(int(c))),
    "Decimal with NaN": lambda codes: [
        decimal.Decimal("sNaN" if c < 0 else int(c)) for c in codes
    ],
    "None and NaN": lambda codes: [
        (None if i % 2 else float("nan")) if c < 0 else int(c)
        for i, c in enumerate(codes)
    ],
    "text": _listed(lambda c: "NA" if c == 0 else f"label {c}"),
    "text that ends in NUL": _listed(lambda c: "a" + "\0" * int(c)),
    "bytes": _listed(lambda c: b"%d" % c),
    "tuples": _listed(lambda c: ("a", int(c))),
    "dates": lambda codes: np.array(
        ["NaT" if c < 0 else np.datetime64("2020-01-01") + int(c) for c in codes],
        dtype="datetime64[D]",
    ),
    "matrix": lambda codes: np.asmatrix(codes),
    "arrow": _arrow,
    "polars": _polars,
}
