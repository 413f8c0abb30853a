"""Labels of every kind are read right, or refused by a sentence."""

import numpy as np
import pytest
from attacking import attack, examples
from generated import LABELS, ensembles
from hypothesis import given
from hypothesis import strategies as st

import coterie.metrics
from coterie import Ensemble

CODES = st.lists(st.integers(-1, 4), min_size=1, max_size=12)
every = pytest.mark.parametrize("kind", LABELS)
PAIRWISE = [
    getattr(coterie.metrics, name)
    for name in ("accuracy", "ami", "ari", "nmi", "pairwise_f", "purity", "rand_index")
]


def by_appearance(codes):
    seen = {}
    return [-1 if c < 0 else seen.setdefault(c, len(seen)) for c in codes]


@every
@examples(15)
@given(codes=CODES)
def test_a_member_is_read_as_it_is(kind, codes):
    with attack("labels"):
        found = Ensemble([LABELS[kind](codes)]).labels[:, 0].tolist()
        assert found == by_appearance(codes)


@every
@examples(8)
@given(codes=CODES)
def test_measures_read_the_same(kind, codes):
    y = np.arange(len(codes)) % 3
    with attack("measures"):
        expected = [measure(y, np.array(codes)) for measure in PAIRWISE]
        found = [measure(y, LABELS[kind](codes)) for measure in PAIRWISE]
        assert found == pytest.approx(expected, nan_ok=True)  # sums in another order
    if min(codes) >= 0:
        with attack("measures"):
            expected = [measure(np.array(codes), y) for measure in PAIRWISE]
            found = [measure(LABELS[kind](codes), y) for measure in PAIRWISE]
            assert found == pytest.approx(expected, nan_ok=True)


@examples(40)
@given(drawn=ensembles())
def test_measures_of_ensembles(drawn):
    labels, _ = drawn
    with attack("measures"):
        ensemble = Ensemble(list(labels.T))
        n_samples, n_members = labels.shape
        agreement = coterie.metrics.member_agreement(ensemble)
        assert agreement.shape == (n_members, n_members)
        assert np.isfinite(agreement).all()
        quality = coterie.metrics.member_quality(labels[:, 0], ensemble)
        assert quality.shape == (n_members,)
        assert not np.isinf(quality).any()
        final = np.arange(n_samples) % 2
        together = coterie.metrics.item_consensus(ensemble, final)
        assert together.shape == (n_samples, final.max() + 1)
        known = together[~np.isnan(together)]
        assert ((known >= 0) & (known <= 1)).all()
