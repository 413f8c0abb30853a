"""How many clusters there are, if any, and how sure that is."""

from coterie.choice._choose import choose_k
from coterie.choice._result import KChoice

__all__ = ["KChoice", "choose_k"]
