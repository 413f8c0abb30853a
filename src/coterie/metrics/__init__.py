"""Agreement of clusterings with known classes and with each other."""

from coterie.metrics._consensus import cluster_consensus, item_consensus
from coterie.metrics._ensemble import diversity, member_agreement, member_quality
from coterie.metrics._modularity import modularity
from coterie.metrics._segments import (
    boundary_f,
    covering,
    probabilistic_rand_index,
    segment_scores,
    variation_of_information,
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
from coterie.metrics._validity import validity

__all__ = [
    "accuracy",
    "ami",
    "ari",
    "boundary_f",
    "cluster_consensus",
    "covering",
    "diversity",
    "item_consensus",
    "member_agreement",
    "member_quality",
    "modularity",
    "nmi",
    "pairwise_f",
    "probabilistic_rand_index",
    "purity",
    "rand_index",
    "score",
    "segment_scores",
    "validity",
    "variation_of_information",
]
