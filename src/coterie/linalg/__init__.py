"""Linear algebra and graphs: arrays in, arrays out."""

from coterie.linalg._davidson import smallest_eigenpairs
from coterie.linalg._eigen import Eigenpairs, largest_eigenpairs
from coterie.linalg._kmeans import KMeansResult, assign_to_centers, kmeans
from coterie.linalg._laplacian_score import gaussian_graph, laplacian_score
from coterie.linalg._linkage import cut_tree, expand_linkage, linkage
from coterie.linalg._neighbors import Neighbors, nearest_neighbors
from coterie.linalg._partition import (
    Partition,
    available_backend,
    partition_graph,
    partition_hypergraph,
)
from coterie.linalg._similarity import (
    SimilarityGraph,
    density_graph,
    direction_graph,
    directions,
    exponential_graph,
)
from coterie.linalg._spectral import spectral_embedding, unit_rows
from coterie.linalg._transfer_cut import BipartiteGraph, transfer_cut

__all__ = [
    "BipartiteGraph",
    "Eigenpairs",
    "KMeansResult",
    "Neighbors",
    "Partition",
    "SimilarityGraph",
    "assign_to_centers",
    "available_backend",
    "cut_tree",
    "density_graph",
    "direction_graph",
    "directions",
    "expand_linkage",
    "exponential_graph",
    "gaussian_graph",
    "kmeans",
    "laplacian_score",
    "largest_eigenpairs",
    "linkage",
    "nearest_neighbors",
    "partition_graph",
    "partition_hypergraph",
    "smallest_eigenpairs",
    "spectral_embedding",
    "transfer_cut",
    "unit_rows",
]
