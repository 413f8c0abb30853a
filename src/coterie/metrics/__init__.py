"""How well a clustering fits known classes, and how far the members of one agree."""

from coterie.metrics._consensus import cluster_consensus, item_consensus
from coterie.metrics._contingency import Contingency, contingency
from coterie.metrics._ensemble import (
    agreement_with_ensemble,
    diversity,
    member_agreement,
    member_diversity,
    member_quality,
)
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
from coterie.metrics._validity import (
    DistanceSums,
    distance_sums,
    pbm,
    point_biserial,
    silhouette_samples,
    silhouette_width,
    validity,
    variance_ratio,
)

__all__ = [
    "Contingency",
    "DistanceSums",
    "accuracy",
    "agreement_with_ensemble",
    "ami",
    "ari",
    "cluster_consensus",
    "contingency",
    "distance_sums",
    "diversity",
    "item_consensus",
    "member_agreement",
    "member_diversity",
    "member_quality",
    "modularity",
    "nmi",
    "pairwise_f",
    "pbm",
    "point_biserial",
    "purity",
    "rand_index",
    "score",
    "silhouette_samples",
    "silhouette_width",
    "validity",
    "variance_ratio",
]
