"""The order of the gallery: from the first steps to parts of one's own."""

from pathlib import Path

ORDER = (
    "a_panel",
    "why_many_clusterings",
    "what_weights_do",
    "which_consensus",
    "how_many_clusters",
    "how_sure",
    "combine_your_own_labels",
    "many_features",
    "single_cell",
    "core_clusters",
    "self_paced",
    "weighted_objects",
    "segments_of_a_photo",
    "communities_of_a_graph",
    "add_your_own_parts",
)


class Order:
    """Sort files by their place in ``ORDER``; others come last, by name."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> tuple[int, str]:
        """Return the key of a file."""
        name = Path(filename).stem
        return (ORDER.index(name) if name in ORDER else len(ORDER), name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"
