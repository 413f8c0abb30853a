"""How sure a clustering is: of each sample, of each cluster, of each member."""

from coterie.answers._explain import Explanation, explain

__all__ = ["Explanation", "explain"]
