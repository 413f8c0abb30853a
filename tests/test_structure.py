"""Broken arrays are refused by a sentence before any kernel sees them."""

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import MDEC, Ensemble
from coterie._structure import (
    check_claim,
    check_labels,
    check_offsets,
    check_sparse,
    sparse_from_parts,
)
from coterie._validation import check_data
from coterie.applications import communities
from coterie.exceptions import MemoryLimitError
from coterie.generation import RandomKMeans

CASES = {
    "index too high": ({"indices": [1, 2, 0, 2, 0, 7]}, "index 7 is out of range"),
    "index negative": ({"indices": [1, 2, 0, 2, 0, -1]}, "index -1 is out of range"),
    "indptr falls": ({"indptr": [0, 9, 4, 6]}, "indptr must be 4 whole numbers"),
    "indptr starts late": ({"indptr": [1, 2, 4, 6]}, "that rise from 0"),
    "indptr short": ({"indptr": [0, 6]}, "indptr must be 4 whole numbers"),
    "indptr ends late": ({"indptr": [0, 2, 4, 99]}, "ends at 99, but it has 6 indices"),
    "values missing": ({"data": [1.0, 1.0]}, r"shape \(6,\) for 2 values"),
}


def broken(kind, parts):
    matrix = kind(np.ones((3, 3)) - np.eye(3))
    for name, values in parts.items():
        setattr(matrix, name, np.array(values, dtype=getattr(matrix, name).dtype))
    return matrix


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_broken_sparse_matrices(kind, case):
    parts, text = CASES[case]
    with pytest.raises(ValueError, match=text):
        check_sparse(broken(kind, parts))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(
    "use",
    [
        lambda X: check_data(X, "me", accept_sparse=True),
        lambda X: MDEC(2).fit(X),
        lambda X: RandomKMeans(2).generate(X, seed=0),
        communities,
    ],
    ids=["check_data", "system", "generator", "communities"],
)
def test_every_door_is_guarded(use, case):
    parts, text = CASES[case]
    with pytest.raises(ValueError, match=text):
        use(broken(sp.csr_matrix, parts))


def test_broken_coordinates_and_lists():
    matrix = sp.coo_array(np.ones((3, 3)))
    matrix.coords = (matrix.row, np.full(9, 7, dtype=np.int32))
    with pytest.raises(ValueError, match="index 7 is out of range"):
        check_sparse(matrix)
    lists = sp.lil_array(np.eye(3))
    lists.rows[0] = [9]
    with pytest.raises(ValueError, match="index 9 exceeds"):
        check_sparse(lists)
    blocks = sp.bsr_array(np.ones((4, 4)), blocksize=(2, 2))
    check_sparse(blocks)
    blocks.indices[1] = 2
    with pytest.raises(ValueError, match="index 2 is out of range"):
        check_sparse(blocks)


def test_indices_of_floats_are_refused():
    matrix = sp.csr_array(np.eye(3))
    matrix.indices = np.array([0.0, 1.0, np.nan])
    with pytest.raises(ValueError, match="Indices must be whole numbers, got float64"):
        check_sparse(matrix)


def test_sound_matrices_of_all_formats_pass():
    for kind in ("csr", "csc", "bsr", "coo", "lil", "dok", "dia"):
        check_sparse(sp.random_array((6, 4), density=0.5, rng=0).asformat(kind))
    check_sparse(sp.csr_array((3, 4)))


def test_a_shape_beyond_the_memory_is_refused_at_once():
    huge = sp.csr_array(([1.0], [5], [0, 1]), shape=(1, 2**40))
    with pytest.raises(MemoryLimitError, match=r"1 x 1,099,511,627,776: a single num"):
        check_data(huge, "me", accept_sparse=True)


@pytest.mark.parametrize(
    "offsets", [[0, 2], [1, 2, 3], [0, 3, 2], [0.0, 1.0, 2.0], [[0, 1, 2]], [0, -1, 2]]
)
def test_offsets_must_rise_from_zero(offsets):
    with pytest.raises(ValueError, match="It must be 3 whole numbers that rise from 0"):
        check_offsets(np.array(offsets), 2, "It")


@pytest.mark.parametrize(
    ("labels", "offsets", "text"),
    [
        ([[0, 5]], [0, 1, 3], "member 1 has the label 5, but 2 clusters"),
        ([[0, -2]], [0, 1, 3], "member 1 has the label -2"),
        ([[0, 0], [0, -2]], [0, 1, 3], "it has the label -2"),
        ([[0.0, 1.0]], [0, 1, 3], "labels must be whole numbers"),
        ([0, 1], [0, 1, 3], "labels must be whole numbers"),
        ([[0, 1]], [4, 5, 7], "offsets must be 3 whole numbers that rise from 0"),
        ([[0, 1]], [0, 1, 2**40], "it claims 1,099,511,627,776 clusters"),
        ([[2**32, 0]], [0, 1, 3], "member 0 has the label 4294967296, but 1 clusters"),
    ],
)
def test_labels_that_do_not_fit(labels, offsets, text):
    with pytest.raises(ValueError, match=text):
        check_labels(np.array(labels), np.array(offsets), "It")


def test_labels_that_fit_pass():
    ensemble = Ensemble([[0, 1, None], [0, 0, 1]])
    check_labels(ensemble.labels, ensemble.offsets, "It")
    check_labels(ensemble.labels.clip(0).astype(np.uint8), ensemble.offsets, "It")


def test_claims_are_compared_with_what_is_there():
    assert check_claim((3, 2), 8, 48, "a") == 48
    with pytest.raises(ValueError, match=r"a is damaged: it claims 48 bytes, but hold"):
        check_claim((3, 2), 8, 47, "a")
    with pytest.raises(ValueError, match=r"it claims the shape \(-1, 2\)"):
        check_claim((-1, 2), 8, 48, "a")
    with pytest.raises(MemoryLimitError, match="a would need"):
        check_claim((2**32, 2**31), 8, None, "a")  # 2**66 bytes overflow int64


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
def test_parts_of_every_format_make_the_matrix(kind, tmp_path):
    dense = np.arange(16.0).reshape(4, 4)  # square: a transpose would go unnoticed
    sp.save_npz(tmp_path / "m.npz", sp.csr_array(dense).asformat(kind))
    with np.load(tmp_path / "m.npz") as file:
        found = sparse_from_parts(dict(file), "It")
    np.testing.assert_array_equal(found.toarray(), dense)


@pytest.mark.parametrize(
    ("part", "values", "text"),
    [
        ("format", b"dia", "in one of the formats csr, csc, bsr, coo"),
        ("shape", [3, -3], "shape and indices must be whole numbers"),
        ("shape", [3.0, 3.0], "shape and indices must be whole numbers"),
        ("shape", [9, 9], "is broken"),
        ("indices", [0.0, 1.0, 2.0], "shape and indices must be whole numbers"),
        ("indices", [0, 1, 9], "index 9 is out of range"),
        ("data", ["a", "b", "c"], "must hold numbers"),
    ],
)
def test_parts_that_do_not_fit(part, values, text):
    matrix = sp.csr_array(np.eye(3))
    arrays = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    arrays |= {"shape": np.array([3, 3]), part: np.array(values)}
    with pytest.raises(ValueError, match=text):
        sparse_from_parts(arrays, "It")
