"""One flat table of parts and systems, for the command line, the docs and the tests."""

from __future__ import annotations

import difflib
from types import MappingProxyType

from coterie._catalog_entry import Entry
from coterie._catalog_graphs import GRAPHS, LANDMARKS
from coterie._catalog_means import MEANS

_LWE = "Huang, Wang, Lai 2018, Locally weighted ensemble clustering"
_LWE_DOI = "10.1109/TCYB.2017.2702343"
_MDEC = "Huang, Wang, Lai, Kwoh 2022, Toward multidiversified ensemble clustering"
_MDEC_DOI = "10.1109/TCYB.2021.3049633"
_EAC = "Fred, Jain 2005, Combining multiple clusterings using evidence accumulation"
_EAC_DOI = "10.1109/TPAMI.2005.113"
_SPCE = "Zhou, Du, Liu, Shen, Fan, Li 2021, Self-paced clustering ensemble"
_SPCE_DOI = "10.1109/TNNLS.2020.2984814"
_C2SWCE = "Huang, Qin, Lin 2022, The core cluster-based subspace weighted ensemble"
_C2SWCE_DOI = "10.1155/2022/7990969"
_OF_MEMBERS = MappingProxyType({"levels": "members"})
_WOEC = "Ren, Domeniconi, Zhang, Yu 2017, Weighted-object ensemble clustering"
_WOEC_DOI = "10.1007/s10115-016-0988-y"
_SG = "Strehl, Ghosh 2002, Cluster ensembles"
_SG_DOI = "10.1162/153244303321897735"
_CES = "Fern, Lin 2008, Cluster ensemble selection"
_CES_DOI = "10.1002/sam.10008"

_PAPERS: tuple[Entry, ...] = (
    Entry(
        "kmeans",
        "generator",
        "coterie.generation:RandomKMeans",
        "k-means from random starts with random numbers of clusters",
        "time M N D k, memory N M",
        _EAC,
        _EAC_DOI,
    ),
    Entry(
        "subsample",
        "generator",
        "coterie.generation:SubsampledKMeans",
        "k-means on a share of the samples, the rest to the nearest centre",
        "time M N D k, memory N M",
    ),
    Entry(
        "subspace",
        "generator",
        "coterie.generation:RandomSubspace",
        "any clusterer on a random share of the features",
        "M times the clusterer's",
        "Topchy, Jain, Punch 2005, Clustering ensembles",
        "10.1109/TPAMI.2005.237",
    ),
    Entry(
        "projection",
        "generator",
        "coterie.generation:RandomProjection",
        "any clusterer on a random projection of the data",
        "M times the clusterer's",
        "Fern, Brodley 2003, Random projection for high dimensional data clustering",
    ),
    Entry(
        "bootstrap",
        "generator",
        "coterie.generation:Bootstrap",
        "any clusterer on samples drawn with repetition",
        "M times the clusterer's",
        "Dudoit, Fridlyand 2003, Bagging to improve a clustering procedure",
        "10.1093/bioinformatics/btg038",
    ),
    Entry(
        "metric-subspace",
        "generator",
        "coterie.generation:MetricSubspaceSpectral",
        "spectral clustering with a random kernel on random features",
        "time M N (N D + k K^2), memory N (D + M); D falls away beyond N = 4,000",
        _MDEC,
        _MDEC_DOI,
    ),
    Entry(
        "laplacian-subspace",
        "generator",
        "coterie.generation:LaplacianSubspaceSpectral",
        "spectral clustering on random features, the telling ones kept",
        "time M N (N D + k K^2), memory N (D + M)",
        _C2SWCE,
        _C2SWCE_DOI,
    ),
    Entry(
        "sigma-grid",
        "generator",
        "coterie.generation:SigmaGridSpectral",
        "spectral clustering with Gaussian kernels from narrow to wide",
        "time N^2 (D + 9 N), memory N^2",
        _SPCE,
        _SPCE_DOI,
    ),
    Entry(
        "mixed",
        "generator",
        "coterie.generation:MixedKMeans",
        "k-means on a share of the samples or of the features, by turns",
        "time M N D k, memory N M",
        _WOEC,
        _WOEC_DOI,
    ),
    Entry(
        "clusterers",
        "generator",
        "coterie.generation:FromClusterers",
        "one member from each of a list of scikit-learn clusterers",
        "the clusterers'",
    ),
    Entry(
        "entropy",
        "weighter",
        "coterie.weighting:EntropyWeighter",
        "clusters count by how little other members scatter them (ECI)",
        "time N M^2, memory C M",
        _LWE,
        _LWE_DOI,
    ),
    Entry(
        "agreement",
        "weighter",
        "coterie.weighting:AgreementWeighter",
        "members count by their mean agreement with the rest",
        "time N M^2, memory M^2",
    ),
    Entry(
        "core-stability",
        "weighter",
        "coterie.weighting:CoreStabilityWeighter",
        "clusters count by how close their core clusters lie together (CSI)",
        "time M N^2 D / K, memory N D + (u / K)^2",
        _C2SWCE,
        _C2SWCE_DOI,
    ),
    Entry(
        "difficulty",
        "weighter",
        "coterie.weighting:DifficultyWeighter",
        "samples count by how much the members disagree about them",
        "time N M^2, memory C^2",
        _WOEC,
        _WOEC_DOI,
    ),
    Entry(
        "joint-selection",
        "weighter",
        "coterie.weighting:JointSelection",
        "keeps members that are good and differ, by one joint criterion",
        "time N M^2, memory M^2",
        _CES,
        _CES_DOI,
    ),
    Entry(
        "cluster-selection",
        "weighter",
        "coterie.weighting:ClusterSelection",
        "groups like members and keeps the best of each group",
        "time N M^2 + M^3, memory M^2",
        _CES,
        _CES_DOI,
    ),
    Entry(
        "hull-selection",
        "weighter",
        "coterie.weighting:HullSelection",
        "keeps members of pairs that no other pair outdoes",
        "time N M^2, memory M^2",
        _CES,
        _CES_DOI,
    ),
    Entry(
        "adaptive-selection",
        "weighter",
        "coterie.weighting:AdaptiveSelection",
        "keeps all members if they agree, else the half that differs most",
        "time N^2 M + N M^2, memory N^2",
        "Azimi, Fern 2009, Adaptive cluster ensemble selection",
    ),
    Entry(
        "eac",
        "consensus",
        "coterie.consensus:EAC",
        "hierarchical tree on how often samples go together",
        "time u^2 M / k, memory u^2",
        _EAC,
        _EAC_DOI,
    ),
    Entry(
        "lwea",
        "consensus",
        "coterie.consensus:LWEA",
        "average linkage, each cluster counting by its entropy weight",
        "time u^2 M / k, memory u^2",
        _LWE,
        _LWE_DOI,
        weighter="entropy",
    ),
    Entry(
        "hbgf",
        "consensus",
        "coterie.consensus:HBGF",
        "normalised cut of the graph of samples and clusters",
        "time N M^2 or N M k, memory N M",
        "Fern, Brodley 2004, Solving cluster ensemble problems",
        "10.1145/1015330.1015414",
    ),
    Entry(
        "lwgp",
        "consensus",
        "coterie.consensus:LWGP",
        "normalised cut of that graph, clusters counting by entropy",
        "time N M^2 or N M k, memory N M",
        _LWE,
        _LWE_DOI,
        weighter="entropy",
    ),
    Entry(
        "sc",
        "consensus",
        "coterie.consensus:CoassociationSpectral",
        "spectral clustering of how often samples go together",
        "time N M k, memory N M",
        _MDEC,
        _MDEC_DOI,
        weighter="entropy",
        weighter_params=MappingProxyType({"theta": 1.0}),
    ),
    Entry(
        "kcc",
        "consensus",
        "coterie.consensus:KCC",
        "k-means on the label rows, with any of eight utilities",
        "time N M k, memory N M",
        "Wu, Liu, Xiong, Cao, Chen 2015, K-means-based consensus clustering",
        "10.1109/TKDE.2014.2316512",
    ),
    Entry(
        "spce",
        "consensus",
        "coterie.consensus:SelfPaced",
        "a similarity learned from pairs of samples, the easy ones first",
        "time t u^2 (M + k), memory u^2",
        _SPCE,
        _SPCE_DOI,
        most_rows=5000,
    ),
    Entry(
        "vote",
        "consensus",
        "coterie.consensus:Vote",
        "plurality vote after matching the members' clusters",
        "time N M + C k^2, memory N M",
        "Dudoit, Fridlyand 2003, Bagging to improve a clustering procedure",
        "10.1093/bioinformatics/btg038",
    ),
    Entry(
        "core-hc",
        "consensus",
        "coterie.consensus:CoreLinkage",
        "average linkage of core clusters, near ones the more alike",
        "time M N^2 D / K + u^2, memory u^2",
        _C2SWCE,
        _C2SWCE_DOI,
        weighter="core-stability",
        weighter_params=_OF_MEMBERS,
    ),
    Entry(
        "core-sc",
        "consensus",
        "coterie.consensus:CoreSpectral",
        "spectral clustering of core clusters, near ones the more alike",
        "time M N^2 D / K + u^2 k, memory u^2",
        _C2SWCE,
        _C2SWCE_DOI,
        weighter="core-stability",
        weighter_params=_OF_MEMBERS,
    ),
    Entry(
        "core-bg",
        "consensus",
        "coterie.consensus:CoreBipartite",
        "normalised cut of core clusters and clusters that overlap",
        "time u M^2 + C^3, memory C^2",
        _C2SWCE,
        _C2SWCE_DOI,
        weighter="core-stability",
    ),
    Entry(
        "core-mc",
        "consensus",
        "coterie.consensus:CoreMetaClusters",
        "vote of core clusters among groups of clusters that overlap",
        "time u M^2 + C^2 k, memory C^2",
        _C2SWCE,
        _C2SWCE_DOI,
    ),
    Entry(
        "cspa",
        "consensus",
        "coterie.consensus:CSPA",
        "graph of how often samples go together, cut into equal parts",
        "time N^2, memory N^2; memory linear beyond N = 5,000",
        _SG,
        _SG_DOI,
    ),
    Entry(
        "mcla",
        "consensus",
        "coterie.consensus:MCLA",
        "clusters of clusters of equal size, then samples choose",
        "time N M^2, memory C^2",
        _SG,
        _SG_DOI,
    ),
    Entry(
        "hgpa",
        "consensus",
        "coterie.consensus:HGPA",
        "hypergraph of clusters, cut into equal parts",
        "time N M, memory N M",
        _SG,
        _SG_DOI,
    ),
    Entry(
        "womc",
        "consensus",
        "coterie.consensus:WOMC",
        "MCLA in which hard samples count more",
        "time N M^2, memory C^2",
        _WOEC,
        _WOEC_DOI,
        weighter="difficulty",
    ),
    Entry(
        "wosp",
        "consensus",
        "coterie.consensus:WOSP",
        "graph of nearness to shifted centres, cut into equal parts",
        "time N^2 C, memory N^2; memory linear beyond N = 5,000",
        _WOEC,
        _WOEC_DOI,
        weighter="difficulty",
    ),
    Entry(
        "wohb",
        "consensus",
        "coterie.consensus:WOHB",
        "graph of samples and shifted centres, cut into equal parts",
        "time N C D, memory N C",
        _WOEC,
        _WOEC_DOI,
        weighter="difficulty",
    ),
    Entry(
        "wokm",
        "consensus",
        "coterie.consensus:WOKM",
        "k-means of the data in which hard samples count more",
        "time N D k, memory N D",
        _WOEC,
        _WOEC_DOI,
        weighter="difficulty",
    ),
    Entry(
        "onehot-linkage",
        "baseline",
        "coterie.consensus:OneHotLinkage",
        "ten lines: one-hot, co-association, scipy's average linkage",
        "time N^2 M, memory N^2",
    ),
    Entry(
        "onehot-kmeans",
        "baseline",
        "coterie.consensus:OneHotKMeans",
        "ten lines: one-hot, scikit-learn's KMeans",
        "time N M k, memory N M + C k",
    ),
    Entry(
        "bipartite-svd",
        "baseline",
        "coterie.consensus:BipartiteSVD",
        "ten lines: SVD of the normalised one-hot, scikit-learn's KMeans",
        "time N M k, memory N M",
    ),
    Entry(
        "ensemble",
        "system",
        "coterie.systems:EnsembleClustering",
        "any generator, weighter and consensus function put together",
        "those of its parts",
    ),
    Entry(
        "large",
        "system",
        "coterie.systems:LargeEnsembleClustering",
        "members learned from samples, label and combine all rows block by block",
        "time M N (D K + M), memory a block, C^2 and N M bytes or a disk",
    ),
    Entry(
        "mdec",
        "system",
        "coterie.systems:MDEC",
        "random features, random kernels, spectral members, entropy weights",
        "time M (N^2 D + N k K), or M N D K with shared neighbours",
        _MDEC,
        _MDEC_DOI,
    ),
    Entry(
        "c2swce",
        "system",
        "coterie.systems:C2SWCE",
        "random features, the telling ones kept, few members, core clusters",
        "time M N^2 D, memory N (D + M) + u^2",
        _C2SWCE,
        _C2SWCE_DOI,
    ),
    Entry(
        "spce",
        "system",
        "coterie.systems:SPCE",
        "k-means members, a similarity learned from easy pairs first",
        "time M N D k + t u^2 (M + k), memory u^2",
        _SPCE,
        _SPCE_DOI,
    ),
    Entry(
        "woec",
        "system",
        "coterie.systems:WOEC",
        "k-means members, hard samples count more, clusters of equal size",
        "time N^2 C, memory N^2; memory linear beyond N = 5,000",
        _WOEC,
        _WOEC_DOI,
    ),
    Entry(
        "wokmeans",
        "system",
        "coterie.systems:WOKMeans",
        "k-means whose centres move towards hard samples",
        "time M N D k, memory N (M + D)",
        _WOEC,
        _WOEC_DOI,
    ),
    Entry(
        "mbn",
        "system",
        "coterie.systems:MBN",
        "a deep network of nearest-neighbour clusterings, no training",
        "time V N k (D + V), memory N (D + V)",
        "Zhang 2018, Multilayer bootstrap networks",
        "10.1016/j.neunet.2018.03.003",
    ),
    Entry(
        "mbn-e",
        "system",
        "coterie.systems:MBNEnsemble",
        "many such networks of random depth, side by side; no tuning",
        "time V N (N D + Z N), memory N (D + V Z)",
        "Zhang 2021, fMBN-E: unsupervised network structure ensemble and selection",
    ),
)

METHODS = frozenset({"consensus", "baseline"})
KINDS = ("generator", "weighter", "consensus", "baseline", "clusterer", "system")
ENTRIES = tuple(
    sorted(
        (*_PAPERS, *GRAPHS, *LANDMARKS, *MEANS),
        key=lambda entry: KINDS.index(entry.kind),
    )
)


def entries(*kinds: str) -> list[Entry]:
    """Return the entries of some kinds, in the order of the table."""
    return [entry for entry in ENTRIES if not kinds or entry.kind in kinds]


def find(name: str, kinds: frozenset[str] | set[str] | None = None) -> Entry:
    """Return the entry of a name, or raise with the names that are near."""
    known: dict[str, Entry] = {}
    for entry in ENTRIES:
        if kinds is None or entry.kind in kinds:
            known.setdefault(entry.name, entry)  # a method before a system of its name
    key = str(name).lower()
    if key in known:
        return known[key]
    near = difflib.get_close_matches(key, known, n=3, cutoff=0.6)
    kind = "name" if kinds is None else " or ".join(sorted(kinds)) + " name"
    hint = f"Did you mean {' or '.join(near)}? " if near else ""
    raise ValueError(
        f"{name!r} is not a known {kind}. {hint}Known are: {', '.join(known)}."
    )
