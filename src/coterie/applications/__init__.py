"""Applications: segments of an image, communities of a graph."""

from coterie.applications._graph_levels import Level
from coterie.applications._graph_reading import read_graph
from coterie.applications._graphs import Communities, communities
from coterie.applications._images import Segmentation, outlined, segment_image

__all__ = [
    "Communities",
    "Level",
    "Segmentation",
    "communities",
    "outlined",
    "read_graph",
    "segment_image",
]
