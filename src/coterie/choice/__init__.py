"""How many clusters there are, if any, and how sure that is."""

from coterie.choice._choose import choose_k
from coterie.choice._result import KChoice
from coterie.choice._unimodal import UnimodalFit, fit_unimodal

__all__ = ["KChoice", "UnimodalFit", "choose_k", "fit_unimodal"]
