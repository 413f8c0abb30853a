"""Applications: segments of an image, communities of a graph."""

from coterie.applications._graphs import Communities, communities, read_graph
from coterie.applications._images import Segmentation, outlined, segment_image

__all__ = [
    "Communities",
    "Segmentation",
    "communities",
    "outlined",
    "read_graph",
    "segment_image",
]
