"""Ensemble clustering of AnnData objects, called as scanpy's own tools are.

Neither anndata nor scanpy is imported: all that is needed of the object are ``X``,
``obs``, ``obsm`` and ``uns``.

>>> import coterie.integrations.scanpy as ct
>>> sorted(ct.tl.__all__)
['combine', 'consensus']
"""

from coterie.integrations.scanpy import tl

__all__ = ["tl"]
