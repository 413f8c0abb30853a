"""Agreement of clusterings with known classes and with each other."""

from coterie.metrics._consensus import cluster_consensus, item_consensus
from coterie.metrics._ensemble import diversity, member_agreement, member_quality
from coterie.metrics._modularity import modularity
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
from coterie.metrics._validity import validity

__all__ = [
    "accuracy",
    "ami",
    "ari",
    "cluster_consensus",
    "diversity",
    "item_consensus",
    "member_agreement",
    "member_quality",
    "modularity",
    "nmi",
    "pairwise_f",
    "purity",
    "rand_index",
    "score",
    "validity",
]
