"""Linear algebra and graphs: arrays in, arrays out."""

# ruff: noqa: F401

from coterie._linalg._adaptive import AdaptiveResult, lac, weighted_sqdist
from coterie._linalg._centroids import (
    draw_centroids,
    nearest_drawn,
    nearest_drawn_sparse,
    strongest_drawn,
)
from coterie._linalg._code_layers import code_layer, sampled_code_layer
from coterie._linalg._codes import (
    CodePCA,
    CodeProjection,
    code_gram,
    code_pca,
    one_hot_pca,
    project_codes,
)
from coterie._linalg._communities import leiden, shared_neighbor_graph
from coterie._linalg._eigen import Eigenpairs, largest_eigenpairs
from coterie._linalg._genie import genie
from coterie._linalg._incomplete import (
    CompletePart,
    complete_parts,
    largest_complete_part,
    nearest_incomplete,
)
from coterie._linalg._kmeans import (
    KMeansResult,
    assign_to_centers,
    kmeans,
    kmeans_from_sample,
    kmeans_labels,
)
from coterie._linalg._landmarks import (
    LandmarkIndex,
    cluster_unit_rows,
    draw_landmarks,
    landmark_affinity,
    landmark_index,
    landmark_spectral,
    limit_landmarks,
    mean_distance,
    nearest_landmarks,
)
from coterie._linalg._laplacian_score import gaussian_graph, laplacian_score
from coterie._linalg._linkage import cut_tree, expand_linkage, linkage
from coterie._linalg._local_order import local_order
from coterie._linalg._mixture import Mixture, gaussian_mixture
from coterie._linalg._modularity import (
    climb,
    contracted,
    merged,
    rewired,
    settled,
    split_by_links,
)
from coterie._linalg._neighbors import (
    Neighbors,
    nearest_neighbors,
    shared_searches,
)
from coterie._linalg._partition import (
    Partition,
    available_backend,
    partition_graph,
    partition_hypergraph,
)
from coterie._linalg._points import linkage_points
from coterie._linalg._principal import principal_components
from coterie._linalg._similarity import (
    Distances,
    SimilarityGraph,
    candidate_distances,
    density_graph,
    direction_graph,
    directions,
    exponential_graph,
    mirrored,
)
from coterie._linalg._spanning_tree import SpanningTree, spanning_tree
from coterie._linalg._spectral import spectral_embedding, unit_rows
from coterie._linalg._transfer_cut import (
    BipartiteGraph,
    MatrixCut,
    matrix_transfer_cut,
    scaled_eigenpairs,
    transfer_cut,
)
from coterie._linalg._walks import trajectory_similarity
