"""Consensus functions: from an ensemble to one clustering."""

from coterie.consensus._base import BaseConsensus, ConsensusResult
from coterie.consensus._baselines import BipartiteSVD, OneHotKMeans, OneHotLinkage
from coterie.consensus._bayesian import BCE
from coterie.consensus._bipartite import GPMGLA, HBGF, LWGP
from coterie.consensus._code_pca import CodePCA
from coterie.consensus._completion import ECMC
from coterie.consensus._coordinate import CDKM
from coterie.consensus._core_jaccard import CoreBipartite, CoreMetaClusters
from coterie.consensus._core_similarity import CoreLinkage, CoreSpectral
from coterie.consensus._council import Council
from coterie.consensus._dense_representation import DREC
from coterie.consensus._enhancement import ECCMS
from coterie.consensus._factorisation import NMFC, WCC
from coterie.consensus._kmeans import ECC, KC, KCC, SEC
from coterie.consensus._linkage import EAC, LWEA, WEAC
from coterie.consensus._links import ASRS, CTS, SRS
from coterie.consensus._low_rank import RSEC
from coterie.consensus._multiplex import CEAM
from coterie.consensus._partitioning import CSPA, HGPA, MCLA
from coterie.consensus._propagation import ECPCSHC, ECPCSMC
from coterie.consensus._self_paced import SelfPaced
from coterie.consensus._spectral import CoassociationSpectral
from coterie.consensus._tensors import CELTA, GTLEC
from coterie.consensus._trajectories import PTA, PTGP
from coterie.consensus._voting import Borda, Vote
from coterie.consensus._weighted_objects import WOHB, WOKM, WOMC, WOSP
from coterie.consensus._weighted_subspaces import WBPA, WSPA

__all__ = [
    "ASRS",
    "BCE",
    "CDKM",
    "CEAM",
    "CELTA",
    "CSPA",
    "CTS",
    "DREC",
    "EAC",
    "ECC",
    "ECCMS",
    "ECMC",
    "ECPCSHC",
    "ECPCSMC",
    "GPMGLA",
    "GTLEC",
    "HBGF",
    "HGPA",
    "KC",
    "KCC",
    "LWEA",
    "LWGP",
    "MCLA",
    "NMFC",
    "PTA",
    "PTGP",
    "RSEC",
    "SEC",
    "SRS",
    "WBPA",
    "WCC",
    "WEAC",
    "WOHB",
    "WOKM",
    "WOMC",
    "WOSP",
    "WSPA",
    "BaseConsensus",
    "BipartiteSVD",
    "Borda",
    "CoassociationSpectral",
    "CodePCA",
    "ConsensusResult",
    "CoreBipartite",
    "CoreLinkage",
    "CoreMetaClusters",
    "CoreSpectral",
    "Council",
    "OneHotKMeans",
    "OneHotLinkage",
    "SelfPaced",
    "Vote",
]
