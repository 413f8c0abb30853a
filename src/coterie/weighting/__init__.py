"""Weighters: how much members, clusters and samples of an ensemble count."""

from coterie.weighting._agreement import AgreementWeighter
from coterie.weighting._base import BaseWeighter
from coterie.weighting._core_stability import CoreStabilityWeighter
from coterie.weighting._difficulty import DifficultyWeighter
from coterie.weighting._entropy import EntropyWeighter
from coterie.weighting._kinds import KindWeighter
from coterie.weighting._networks import NetworkSelection
from coterie.weighting._selection import (
    ClusterSelection,
    HullSelection,
    JointSelection,
)

__all__ = [
    "AgreementWeighter",
    "BaseWeighter",
    "ClusterSelection",
    "CoreStabilityWeighter",
    "DifficultyWeighter",
    "EntropyWeighter",
    "HullSelection",
    "JointSelection",
    "KindWeighter",
    "NetworkSelection",
]
