"""Outputs of the SPCE authors' program on Lung: 10 runs of 20 members, 10 thetas."""

import numpy as np
import pytest

from coterie.consensus import SelfPaced
from coterie.metrics import ari

N_MEMBERS, N_CLASSES = 20, 5


@pytest.fixture(scope="module")
def reference(refs):
    return dict(np.load(refs / "spce_lung.npz"))


@pytest.mark.parametrize("run", range(10))
def test_labels_and_component_counts_are_identical(reference, run):
    labels = reference["base_labels"][:, N_MEMBERS * run : N_MEMBERS * (run + 1)]
    for t, theta in enumerate(reference["gammas"]):
        part = SelfPaced(float(theta), components="found")
        result = part.combine(labels, N_CLASSES, seed=0)
        assert result.labels.max() + 1 == reference["n_components"][run, t]
        assert ari(reference["labels"][run, t], result.labels) == 1.0
        converged = reference["n_components"][run, t] == N_CLASSES
        assert result.converged == converged


def test_similarity_is_identical(reference):
    from coterie import Ensemble
    from coterie.consensus._self_paced_core import Problem, descend

    core = Ensemble(reference["base_labels"][:, :N_MEMBERS]).core
    problem = Problem.of(core.rows, core.counts, np.ones(N_MEMBERS))
    at = np.repeat(np.arange(len(core)), np.diff(problem.indptr))
    for s, t in enumerate(reference["S_run0_gamma_index"].astype(int)):
        outcome = descend(problem, N_CLASSES, float(reference["gammas"][t]))
        S = np.eye(len(core))
        S[at, problem.indices] = outcome.S
        difference = S[np.ix_(core.index, core.index)] - reference["S_run0"][:, :, s]
        assert np.abs(difference).max() < 1e-12
