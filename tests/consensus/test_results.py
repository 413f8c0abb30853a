"""What a consensus result prints, and its frame."""

import numpy as np

from coterie.consensus import EAC, ConsensusResult
from coterie.datasets import make_planted_ensemble


def test_a_result_prints_a_row_for_each_cluster():
    result = ConsensusResult(
        np.array([0, 0, 0, 1], dtype=np.int32), np.array([1.0, 0.5, 0.9, 0.25])
    )
    assert repr(result).splitlines() == [
        "ConsensusResult: 2 clusters of 4 samples, mean confidence 0.66",
        " cluster  size  confidence",
        "       0     3       0.800",
        "       1     1       0.250",
    ]


def test_many_clusters_are_cut_after_twelve():
    result = ConsensusResult(np.arange(1500, dtype=np.int32) % 1300)
    lines = repr(result).splitlines()
    assert lines[0] == "ConsensusResult: 1,300 clusters of 1,500 samples"
    assert lines[1].split() == ["cluster", "size"]
    assert [line.split()[0] for line in lines[2:-1]] == [str(c) for c in range(12)]
    assert lines[-1] == "  ... and 1,288 more"


def test_what_did_not_converge_says_so():
    labels = np.zeros(2, dtype=np.int32)
    lines = repr(ConsensusResult(labels, n_iter=1, converged=False)).splitlines()
    assert lines[0] == "ConsensusResult: 1 cluster of 2 samples"
    assert lines[-1] == "Not converged after 1 iteration."
    assert "onverged" not in repr(ConsensusResult(labels, n_iter=1, converged=True))


def test_details_are_named():
    result = ConsensusResult(np.zeros(2, np.int32), details={"tree": np.zeros(9)})
    assert repr(result).splitlines()[-1] == "Details: tree"


def test_the_frame_has_a_row_for_each_sample():
    ensemble = make_planted_ensemble(40, 3, 6, noise=0.4, random_state=0).ensemble
    result = EAC().combine(ensemble, 3)
    frame = result.to_frame()
    assert list(frame) == ["label", "confidence", "second", "margin"]
    np.testing.assert_array_equal(frame["label"], result.labels)
    for name in ("confidence", "second", "margin"):
        np.testing.assert_array_equal(frame[name], getattr(result, name))
    assert list(ConsensusResult(result.labels).to_frame()) == ["label"]
