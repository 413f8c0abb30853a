"""
Cell types by consensus
=======================

Leiden's clusters depend on a resolution that you have to choose. Here we cluster 700
blood cells at five resolutions and combine the five answers into one that says how
firmly each cell is placed. Install with ``pip install ".[scanpy,graphs]"``.
"""

import matplotlib.pyplot as plt
import scanpy as sc

import coterie.integrations.scanpy as ct
from coterie.metrics import ari, nmi

adata = sc.datasets.pbmc68k_reduced()
types = adata.obs["bulk_labels"].astype(str)

# %%
# Five resolutions, one consensus
# -------------------------------
#
# ``tl.combine`` takes columns of ``adata.obs``. It chooses the number of clusters whose
# consensus agrees best with the five columns, without looking at the known types.

keys = []
for resolution in (0.25, 0.5, 1.0, 1.5, 2.0):
    keys.append(f"leiden_{resolution}")
    sc.tl.leiden(
        adata,
        resolution=resolution,
        key_added=keys[-1],
        flavor="igraph",
        n_iterations=2,
        directed=False,
    )
ct.tl.combine(adata, keys)

# %%
# Beside the known types
# ----------------------
#
# Only someone who knows the types knows which resolution is best; here it is a small
# one. The consensus scores within the range of the five, not above the best of them.
# Given the number of types (``n_clusters=10``), it matches the best.

ct.tl.combine(adata, keys, n_clusters=10, key_added="ten")
print(f"{'':12} clusters   ARI   NMI")
for key in [*keys, "coterie", "ten"]:
    found = adata.obs[key].astype(str)
    agreement = f"{ari(types, found):.2f}  {nmi(types, found):.2f}"
    print(f"{key:12} {found.nunique():8d}  {agreement}")

# %%
# What a single run does not show: cells between clusters
# -------------------------------------------------------
#
# ``coterie_confidence`` is low where the resolutions split cells differently;
# ``coterie_second`` names the cluster that such a cell might belong to instead.

fig, axes = plt.subplots(1, 3, figsize=(16, 4.2), layout="constrained")
sc.pl.umap(adata, color="bulk_labels", ax=axes[0], show=False, title="known types")
sc.pl.umap(
    adata,
    color="coterie",
    ax=axes[1],
    show=False,
    title="consensus of five",
    legend_loc="on data",
)
sc.pl.umap(
    adata,
    color="coterie_confidence",
    ax=axes[2],
    show=False,
    title="confidence",
    vmin=0.5,
    vmax=1,
)

doubtful = adata.obs.nsmallest(3, "coterie_margin")
for name, cell in doubtful.iterrows():
    print(
        f"{name}: cluster {cell['coterie']} or {cell['coterie_second']}, "
        f"margin {cell['coterie_margin']:.2f}"
    )

# %%
# Without Leiden
# --------------
#
# ``tl.consensus`` makes its own members from the principal components.

ct.tl.consensus(adata, "ensemble", n_clusters=10, key_added="ensemble")
found = adata.obs["ensemble"].astype(str)
print(f"ensemble of k-means: ARI {ari(types, found):.2f}, NMI {nmi(types, found):.2f}")
