"""Complete parts of tables with missing values, and nearest samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie._linalg import complete_parts, largest_complete_part, nearest_incomplete


@st.composite
def patterns(draw):
    shape = draw(st.tuples(st.integers(1, 25), st.integers(1, 8)))
    missing = draw(arrays(bool, shape))
    missing[missing.all(axis=1), 0] = False
    return missing


@given(patterns(), st.integers(1, 4))
def test_parts_are_complete_and_cover_all_rows(missing, n_parts):
    parts = complete_parts(missing, n_parts)
    seen = np.zeros(len(missing), dtype=bool)
    for part in parts:
        assert part.columns.size
        whole = ~missing[:, part.columns].any(axis=1)
        np.testing.assert_array_equal(part.rows, np.flatnonzero(whole))
        seen[part.rows] = True
    assert seen.all()
    never = np.flatnonzero(~missing.any(axis=0))
    if never.size:
        np.testing.assert_array_equal(parts[0].columns, never)
    sets = [tuple(part.columns) for part in parts]
    assert len(set(sets)) == len(sets)


@given(patterns())
def test_the_largest_part_is_complete(missing):
    part = largest_complete_part(missing)
    assert part.rows.size
    assert not missing[np.ix_(part.rows, part.columns)].any()
    never = (~missing.any(axis=0)).sum()
    assert part.rows.size * part.columns.size >= len(missing) * never


def test_every_column_that_enough_rows_have_is_used():
    rng = np.random.default_rng(0)
    missing = np.zeros((200, 9), dtype=bool)
    for j in range(1, 8):
        missing[rng.choice(200, 20 * j, replace=False), j] = True
    missing[:195, 8] = True
    parts = complete_parts(missing, 2)
    assert set(np.concatenate([part.columns for part in parts])) == set(range(8))


def test_an_empty_column_is_in_no_part():
    missing = np.zeros((20, 3), dtype=bool)
    missing[:, 1] = True
    assert [part.columns.tolist() for part in complete_parts(missing, 5)] == [[0, 2]]


def test_scattered_gaps_need_few_parts():
    missing = np.random.default_rng(0).random((1000, 20)) < 0.05
    missing[missing.all(axis=1), 0] = False
    assert len(complete_parts(missing, 5)) < 15


def test_nearest_by_common_values():
    known = np.array([[0.0, 0, np.nan], [3, 3, 3], [np.nan, np.nan, 9]])
    new = np.array([[1.0, np.nan, np.nan], [np.nan, np.nan, 8], [3, 3, 3]])
    near = nearest_incomplete(known, 2, new)
    np.testing.assert_array_equal(near[:, 0], [0, 2, 1])
    assert near.shape == (3, 2)


@pytest.mark.parametrize("n", [1, 7])
def test_nearest_without_gaps(n):
    rng = np.random.default_rng(1)
    known, new = rng.normal(size=(30, 4)), rng.normal(size=(11, 4))
    far = np.linalg.norm(new[:, None] - known[None], axis=2)
    order = np.argsort(far, axis=1)[:, :n]
    np.testing.assert_array_equal(nearest_incomplete(known, n, new), order)
