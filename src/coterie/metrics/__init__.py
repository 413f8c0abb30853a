"""How well a clustering fits known classes, and how far the members of one agree."""

from coterie.metrics._contingency import Contingency, contingency
from coterie.metrics._ensemble import (
    agreement_with_ensemble,
    diversity,
    member_agreement,
    member_diversity,
)
from coterie.metrics._supervised import (
    accuracy,
    ami,
    ari,
    nmi,
    pairwise_f,
    purity,
    rand_index,
    score,
)

__all__ = [
    "Contingency",
    "accuracy",
    "agreement_with_ensemble",
    "ami",
    "ari",
    "contingency",
    "diversity",
    "member_agreement",
    "member_diversity",
    "nmi",
    "pairwise_f",
    "purity",
    "rand_index",
    "score",
]
