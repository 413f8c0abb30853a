"""Entries of the catalog: walks and links among clusters, landmarks."""

from __future__ import annotations

from types import MappingProxyType

from coterie._catalog_entry import Entry

_PT = "Huang, Lai, Wang 2016, Robust ensemble clustering using probability trajectories"
_PT_DOI = "10.1109/TKDE.2015.2503753"
_ECPCS = (
    "Huang, Wang, Peng, Lai, Kwoh 2021, Enhanced ensemble clustering via fast "
    "propagation of cluster-wise similarities"
)
_ECPCS_DOI = "10.1109/TSMC.2018.2876202"
_CROWD = (
    "Huang, Lai, Wang 2015, Combining multiple clusterings via crowd agreement "
    "estimation and multi-granularity link analysis"
)
_CROWD_DOI = "10.1016/j.neucom.2014.05.094"
_NCAI = MappingProxyType({"measure": "nmi_max", "power": 2.0})
_LINKCLUE = "Iam-On, Garrett 2010, LinkCluE: link-based cluster ensembles"
_LINKCLUE_DOI = "10.18637/jss.v036.i09"
_USPEC = (
    "Huang, Wang, Wu, Lai, Kwoh 2020, Ultra-scalable spectral clustering and ensemble "
    "clustering"
)
_USPEC_DOI = "10.1109/TKDE.2019.2903410"

GRAPHS = (
    Entry(
        "weac",
        "consensus",
        "coterie.consensus:WEAC",
        "hierarchical tree, members counting by how far the crowd agrees",
        "time u^2 M / k, memory u^2",
        _CROWD,
        _CROWD_DOI,
        weighter="agreement",
        weighter_params=_NCAI,
    ),
    Entry(
        "gp-mgla",
        "consensus",
        "coterie.consensus:GPMGLA",
        "normalised cut of samples and clusters, alike clusters joined",
        "time N M^2 + C^3, memory N M + C^2",
        _CROWD,
        _CROWD_DOI,
        weighter="agreement",
        weighter_params=_NCAI,
    ),
    Entry(
        "pta",
        "consensus",
        "coterie.consensus:PTA",
        "hierarchical tree on where random walks from core clusters go",
        "time 20 u^2 k' (k' neighbours), memory u^2",
        _PT,
        _PT_DOI,
    ),
    Entry(
        "ptgp",
        "consensus",
        "coterie.consensus:PTGP",
        "normalised cut of clusters and core clusters alike by their walks",
        "time 20 u^2 k' + u C^2, memory u^2",
        _PT,
        _PT_DOI,
    ),
    Entry(
        "ecpcs-hc",
        "consensus",
        "coterie.consensus:ECPCSHC",
        "average linkage in which clusters alike by their walks count",
        "time u^2 M + 20 C^3, memory u^2",
        _ECPCS,
        _ECPCS_DOI,
    ),
    Entry(
        "ecpcs-mc",
        "consensus",
        "coterie.consensus:ECPCSMC",
        "groups of clusters alike by their walks, then samples choose",
        "time N M^2 + 20 C^3, memory N M + C^2",
        _ECPCS,
        _ECPCS_DOI,
    ),
    Entry(
        "drec",
        "consensus",
        "coterie.consensus:DREC",
        "core clusters as mixtures of each other, spectral clustering",
        "time C^3 + u^2 C, memory u^2",
        "Zhou, Zheng, Pan 2019, Ensemble clustering based on dense representation",
        "10.1016/j.neucom.2019.04.078",
    ),
    Entry(
        "cts",
        "consensus",
        "coterie.consensus:CTS",
        "hierarchical tree, clusters alike if others overlap with both",
        "time u^2 M + C^3 / M, memory u^2",
        _LINKCLUE,
        _LINKCLUE_DOI,
    ),
    Entry(
        "srs",
        "consensus",
        "coterie.consensus:SRS",
        "hierarchical tree on SimRank of samples and clusters",
        "time u^2 M + 5 C^3, memory u^2",
        _LINKCLUE,
        _LINKCLUE_DOI,
    ),
    Entry(
        "asrs",
        "consensus",
        "coterie.consensus:ASRS",
        "hierarchical tree on an approximate SimRank",
        "time u^2 M + C^3, memory u^2",
        _LINKCLUE,
        _LINKCLUE_DOI,
    ),
)

LANDMARKS = (
    Entry(
        "landmarks",
        "generator",
        "coterie.generation:LandmarkSpectral",
        "spectral clustering through random landmarks",
        "time M N (D + k), memory N (D + k)",
        _USPEC,
        _USPEC_DOI,
    ),
    Entry(
        "uspec",
        "clusterer",
        "coterie.clusterers:USPEC",
        "normalised cut of samples and landmarks, for very many samples",
        "time N (D + k), memory N (D + k)",
        _USPEC,
        _USPEC_DOI,
    ),
    Entry(
        "lsc",
        "clusterer",
        "coterie.clusterers:LSC",
        "singular vectors of samples as means of landmarks, then k-means",
        "time N p D (p landmarks), memory N (D + k)",
        "Chen, Cai 2011, Large scale spectral clustering with landmarks",
        "10.1609/aaai.v25i1.7900",
    ),
    Entry(
        "sc-srgf",
        "clusterer",
        "coterie.clusterers:SCSRGF",
        "graphs on random features, fused into one, spectral clustering",
        "time 2,000 N^2, memory 22 N^2",
        "Cai, Huang, Wang, Kwoh 2020, Spectral clustering by subspace randomization",
        "10.1007/978-3-030-47426-3_26",
    ),
    Entry(
        "usenc",
        "system",
        "coterie.systems:USENC",
        "spectral members through landmarks, for very many samples",
        "time M N (D + k), memory N (D + M)",
        _USPEC,
        _USPEC_DOI,
    ),
)
