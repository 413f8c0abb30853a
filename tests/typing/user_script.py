"""Every public name, used the way a user would: pyright must find no error here.

``tests/contract/test_types.py`` checks that no public name is missing and runs it all.
"""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import coterie
from coterie import (
    C2SWCE,
    MBN,
    MDEC,
    SPCE,
    USENC,
    WOEC,
    Ensemble,
    EnsembleClustering,
    LargeEnsembleClustering,
    MBNEnsemble,
    Weights,
    WOKMeans,
    answers,
    choose_k,
    combine,
    compare,
    explain,
    report,
    use_engine,
)

blobs = make_blobs(60, n_features=4, centers=3, random_state=0)
X, y = np.asarray(blobs[0]), np.asarray(blobs[1])


def members() -> Ensemble:
    return coterie.generation.RandomKMeans(6, n_clusters=(2, 5)).generate(X, seed=0)


def use_systems() -> None:
    model = MDEC(3, n_members=4, random_state=0).fit(X)
    largest: int = int(model.labels_.max()) + 1
    firm: np.ndarray = model.labels_[model.confidence_ > 0.5]
    found: coterie.consensus.ConsensusResult = model.consensus_
    n_members: int = model.ensemble_.n_members
    counts: np.ndarray = model.weights_.clusters.round(2)
    other: MDEC = model.recut(2)
    again: np.ndarray = other.predict(X[:5])
    sure: float = model.predict_confidence(X[:5]).mean()
    assert (largest, n_members) == (3, 4), (firm, found, counts, again, sure)

    labels: np.ndarray = C2SWCE(3, random_state=0).fit_predict(X)
    assert labels.shape == y.shape
    codes = MBN(3, n_clusterings=20, random_state=0).fit(X).transform(X)
    assert codes.shape[0] == len(X)
    networks = MBNEnsemble(3, n_members=2, n_clusterings=20, random_state=0).fit(X)
    assert networks.labels_.shape == SPCE(3, random_state=0).fit(X).labels_.shape
    assert USENC(3, n_landmarks=20, random_state=0).fit(X).labels_.size == 60
    assert WOEC(3, n_members=4, random_state=0).fit(X).weights_.samples.size == 60
    centers = WOKMeans(3, n_members=4, random_state=0).fit(X).cluster_centers_
    assert centers.shape == (3, 4)
    composed = EnsembleClustering(
        3,
        generator=coterie.generation.SubsampledKMeans(5),
        weighter="entropy",
        consensus=coterie.consensus.LWEA(),
        random_state=0,
    ).set_params(n_jobs=1)
    assert composed.fit(X).labels_.max() == 2
    panel = EnsembleClustering(3, n_members=8, random_state=0).fit(X)
    notes: tuple[str, ...] = panel.notes_ + panel.ensemble_.notes
    seats = coterie.generation.Panel(8, effort="quick").plan(X)
    first: coterie.generation.BaseGenerator = seats[0].generator
    assert notes, (seats[0].kind, seats[0].view, first)
    large = LargeEnsembleClustering(3, n_members=4, sample_size=50, random_state=0)
    assert isinstance(large.fit(X), coterie.systems.BaseSystem)


def use_the_same_names_of_the_subpackage() -> None:
    kinds: list[type[coterie.systems.BaseSystem]] = [
        coterie.systems.C2SWCE,
        coterie.systems.EnsembleClustering,
        coterie.systems.LargeEnsembleClustering,
        coterie.systems.MBN,
        coterie.systems.MBNEnsemble,
        coterie.systems.MDEC,
        coterie.systems.SPCE,
        coterie.systems.USENC,
        coterie.systems.WOEC,
        coterie.systems.WOKMeans,
    ]
    assert [kind.name for kind in kinds]
    labels: np.ndarray = coterie.systems.combine(members(), 3)
    table = coterie.systems.compare(members(), 3, ["lwea"])
    choice = coterie.choice.choose_k(X, (2, 3), n_null=2, random_state=0)
    assert isinstance(table, coterie.systems.Comparison), (labels, choice.sentence)


def use_functions(folder: Path) -> None:
    version: str = coterie.__version__
    labels: np.ndarray = combine([y, y, y], 3)
    result = combine([y, y, y], "auto", return_result=True)
    first: float = float(result.confidence[0])
    tried: np.ndarray = result.details["k_tried"]
    table = compare(members(), 3, ["lwea", "vote"], y=y, random_state=0)
    rows = [row["method"] for row in table.records()]
    assert table.labels.shape == (60, 2), (version, labels, first, tried, rows)

    with use_engine("serial", checkpoint=folder / "kept", memory_limit=10**9):
        model = MDEC(3, n_members=4, random_state=0).fit(X)
    told = explain(model)
    names = {key: len(column) for key, column in told.samples.items()}
    assert isinstance(told, answers.Explanation), names
    page: Path = report(model, X, folder / "report.html", y=y, title="Blobs")
    assert page.exists()
    assert answers.explain(model.ensemble_, model.labels_).clusters
    assert answers.report(told, X, folder / "again.html").exists()


def use_choice() -> None:
    choice = choose_k(X, range(2, 4), n_null=2, n_splits=2, random_state=0)
    assert isinstance(choice, coterie.choice.KChoice)
    k: int = choice.n_clusters
    assert choice.votes, (k, choice.to_frame().shape, choice.sentence.upper())


def use_ensembles(folder: Path) -> None:
    ensemble = Ensemble([y, y, np.roll(y, 1)])
    ensemble.save(folder / "members.npz")
    loaded: Ensemble = coterie.ensemble.Ensemble.load(folder / "members.npz")
    core: coterie.ensemble.CoreClusters = loaded.core
    member: coterie.ensemble.Member = loaded.members[0]
    assert member.name is None
    assert core.counts.sum() == 60
    weights = coterie.ensemble.Weights(members=[1.0, 2.0, 1.0])
    assert Weights(members=[1.0, 2.0, 1.0]).members.sum() == weights.members.sum()
    large = LargeEnsembleClustering(3, n_members=4, random_state=0).fit(X)
    if isinstance(large.ensemble_, coterie.ensemble.BlockEnsemble):
        assert large.ensemble_.overlap().ndim == 2


class MyGenerator(coterie.generation.BaseGenerator):
    def __init__(self, n_members: int = 3) -> None:
        self.n_members = n_members

    def _member(
        self, X: np.ndarray, number: int, rng: np.random.Generator
    ) -> coterie.generation.Draft:
        return coterie.generation.Draft(rng.integers(3, size=len(X)), name="mine")


def use_generators() -> None:
    kmeans = KMeans(3)
    generators: list[coterie.generation.BaseGenerator] = [
        MyGenerator(),
        coterie.experimental.StratifiedSubspace(3, n_strata=2),
        coterie.generation.Bootstrap(3, clusterer=kmeans),
        coterie.generation.GaussianMixtures(3, n_components=2),
        coterie.generation.GenieTree(3, gini_range=(0.2, 0.4)),
        coterie.generation.LeidenCommunities(3, neighbors_range=(5, 10)),
        coterie.generation.NetworkKMeans(3, n_networks=2, n_clusterings=20),
        coterie.generation.Panel(8, effort="quick"),
        coterie.generation.FromClusterers([kmeans, coterie.clusterers.USPEC(2)]),
        coterie.generation.IncompleteMembers(coterie.generation.RandomKMeans(3)),
        coterie.generation.LandmarkSpectral(3, n_landmarks=20),
        coterie.generation.LaplacianSubspaceSpectral(3),
        coterie.generation.LocallyAdaptiveKMeans(3, n_clusters=3),
        coterie.generation.MetricSubspaceSpectral(3),
        coterie.generation.MixedKMeans(3),
        coterie.generation.RandomProjection(3),
        coterie.generation.RandomSubspace(3, feature_ratio=0.8),
        coterie.generation.SigmaGridSpectral(3, sigmas=(1.0, 5.0, 10.0)),
    ]
    for generator in generators:
        ensemble: Ensemble = generator.generate(X, seed=0, n_jobs=1)
        assert ensemble.n_samples == 60
    networks = coterie.generation.BootstrapNetworks(2, n_clusterings=20)
    assert networks.generate(X, seed=0).n_samples == 60
    sampled = coterie.generation.SampledMembers(3, sample_size=50, n_clusters=3)
    assert sampled.generate(X, seed=0).n_members == 3


class MyWeighter(coterie.weighting.BaseWeighter):
    gives_weights = frozenset({"members"})

    def _weigh(self, task) -> Weights:
        return Weights(members=np.ones(task.ensemble.n_members))


def use_weighters() -> None:
    weighters: list[coterie.weighting.BaseWeighter] = [
        MyWeighter(),
        coterie.experimental.AdaptiveSelection(),
        coterie.weighting.AgreementWeighter("ari", power=2),
        coterie.weighting.ClusterSelection(3),
        coterie.weighting.CoreStabilityWeighter(levels="members"),
        coterie.weighting.DifficultyWeighter(),
        coterie.weighting.EntropyWeighter(theta=0.5),
        coterie.weighting.HullSelection(),
        coterie.weighting.JointSelection(3, alpha=0.5),
        coterie.weighting.KindWeighter(power=1.5),
    ]
    ensemble = members()
    for weighter in weighters:
        weights: Weights = weighter.weigh(ensemble, X=X, seed=0)
        assert weights.used
    networks = coterie.generation.BootstrapNetworks(2, n_clusterings=20)
    code_pca = coterie.consensus.CodePCA()
    selection = coterie.weighting.NetworkSelection(code_pca, n_clusters=3, n_selected=1)
    assert selection.weigh(networks.generate(X, seed=0), X=X).used


class MyConsensus(coterie.consensus.BaseConsensus):
    def _combine(self, task) -> np.ndarray:
        return task.ensemble.labels[:, 0]


def use_consensus() -> None:
    from_labels: list[coterie.consensus.BaseConsensus] = [
        MyConsensus(),
        coterie.consensus.ASRS(),
        coterie.consensus.BCE(),
        coterie.consensus.BipartiteSVD(),
        coterie.consensus.Borda(),
        coterie.consensus.CDKM(),
        coterie.consensus.CSPA(),
        coterie.consensus.CTS(),
        coterie.consensus.CoassociationSpectral(),
        coterie.consensus.Council(coterie.consensus.EAC(), weighter=None),
        coterie.consensus.DREC(),
        coterie.consensus.EAC("complete"),
        coterie.consensus.ECC(),
        coterie.consensus.ECCMS(),
        coterie.consensus.ECMC(0.5),
        coterie.consensus.CEAM(),
        coterie.consensus.CELTA(),
        coterie.consensus.ECPCSHC(),
        coterie.consensus.ECPCSMC(),
        coterie.consensus.GPMGLA(),
        coterie.consensus.GTLEC(),
        coterie.consensus.HBGF(partition="spectral"),
        coterie.consensus.HGPA(),
        coterie.consensus.KC(),
        coterie.consensus.KCC(utility="uh"),
        coterie.consensus.LWEA(),
        coterie.consensus.LWGP(),
        coterie.consensus.MCLA(),
        coterie.consensus.NMFC(),
        coterie.consensus.OneHotKMeans(),
        coterie.consensus.OneHotLinkage(),
        coterie.consensus.PTA(),
        coterie.consensus.PTGP(),
        coterie.consensus.RSEC(max_iter=5),
        coterie.consensus.SEC(),
        coterie.consensus.SRS(),
        coterie.consensus.SelfPaced(theta=0.4),
        coterie.consensus.Vote(),
        coterie.consensus.WCC(),
        coterie.consensus.WEAC(),
        coterie.consensus.WOMC(),
    ]
    from_data: list[coterie.consensus.BaseConsensus] = [
        coterie.consensus.CoreBipartite(),
        coterie.consensus.CoreLinkage(),
        coterie.consensus.CoreMetaClusters(),
        coterie.consensus.CoreSpectral(),
        coterie.consensus.WOHB(),
        coterie.consensus.WOKM(),
        coterie.consensus.WOSP(),
    ]
    for one in from_labels:
        result = one.combine([y, y, np.roll(y, 1)], 3, seed=0)
        assert isinstance(result, coterie.consensus.ConsensusResult)
        assert result.margin.shape == result.labels.shape
    for one in from_data:
        assert combine(members(), 3, one, X=X, random_state=0).shape == (60,)
    subspaces = coterie.generation.LocallyAdaptiveKMeans(4, n_clusters=3)
    ensemble = subspaces.generate(X, seed=0)
    for one in (coterie.consensus.WBPA(), coterie.consensus.WSPA()):
        assert one.combine(ensemble, 3, X=X, seed=0).labels.size == 60


class MyClusterer(coterie.clusterers.BaseClusterer):
    def __init__(self, n_clusters: int = 2, random_state: int | None = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def _cluster(self, X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return (X[:, 0] > np.median(X[:, 0])).astype(int)


def use_clusterers() -> None:
    clusterers: list[coterie.clusterers.BaseClusterer] = [
        MyClusterer(),
        coterie.clusterers.GNMF(3, random_state=0),
        coterie.clusterers.Genie(3),
        coterie.clusterers.LSC(3, n_landmarks=20, random_state=0),
        coterie.clusterers.SCSRGF(3, n_subspaces=3, random_state=0),
        coterie.clusterers.SSC(3, random_state=0),
        coterie.clusterers.USPEC(3, n_landmarks=20, random_state=0),
    ]
    positive = X - X.min()
    for clusterer in clusterers:
        labels: np.ndarray = clusterer.fit(positive).labels_
        assert labels.shape == clusterer.fit_predict(positive).shape
    fitted: coterie.clusterers.USPEC = coterie.clusterers.USPEC(3).fit(X)
    assert fitted.labels_.max() == 2


def use_metrics() -> None:
    ensemble = members()
    scores: dict[str, float] = coterie.metrics.score(y, y)
    assert scores
    ones = [
        coterie.metrics.accuracy(y, y),
        coterie.metrics.ami(y, y),
        coterie.metrics.ari(y, y),
        coterie.metrics.nmi(y, y, average="max"),
        coterie.metrics.pairwise_f(y, y),
        coterie.metrics.purity(y, y),
        coterie.metrics.rand_index(y, y),
    ]
    assert round(sum(ones), 6) == len(ones)
    agreement = coterie.metrics.member_agreement(ensemble)
    assert agreement.shape == (6, 6)
    assert coterie.metrics.diversity(ensemble, "ari") <= 1
    assert coterie.metrics.member_quality(y, ensemble).size == 6
    assert coterie.metrics.cluster_consensus(ensemble, y).size == 3
    assert coterie.metrics.item_consensus(ensemble, y).shape == (60, 3)
    assert coterie.metrics.modularity(ensemble.coassociation(), y) > 0

    assert coterie.metrics.validity(X, y, "swc") > 0
    image = y.reshape(6, 10)
    against = coterie.metrics.segment_scores([image], image)
    assert all(isinstance(value, float) for value in against.values())
    for measure in (
        coterie.metrics.boundary_f,
        coterie.metrics.covering,
        coterie.metrics.probabilistic_rand_index,
        coterie.metrics.variation_of_information,
    ):
        assert measure([image], image) >= 0


def of_two_kinds() -> coterie.consensus.ConsensusResult:
    details = {
        "kind_labels": np.stack([y, y], axis=1),
        "kind_weights": np.array([0.5, 0.5]),
        "kind_steadiness": np.ones(2),
    }
    return coterie.consensus.ConsensusResult(y, details=details)


def use_plots() -> None:
    model = MDEC(3, n_members=4, random_state=0).fit(X)
    paced = SPCE(3, random_state=0).fit(X)
    choice = choose_k(X, range(2, 4), n_null=2, n_splits=2, random_state=0)
    kinds = explain([y, y], of_two_kinds())
    data = [
        coterie.plot.data("alluvial", model, members=[0, 1]),
        coterie.plot.data("cdf", choice),
        coterie.plot.data("cluster_consensus", model),
        coterie.plot.data("consensus_matrix", model, max_samples=50),
        coterie.plot.data("delta_area", choice),
        coterie.plot.data("item_consensus", model),
        coterie.plot.data("kinds", kinds),
        coterie.plot.data("member_agreement", model),
        coterie.plot.data("pac", choice),
        coterie.plot.data("quality_diversity", model),
        coterie.plot.data("sample_map", model, X),
        coterie.plot.data("seen_by", kinds),
        coterie.plot.data("self_paced_weights", paced),
        coterie.plot.data("silhouette", model, X),
        coterie.plot.data("tracking", choice),
    ]
    assert all(data)
    colors: list[str] = coterie.plot.cluster_colors(3)
    assert len(colors) == 3
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    coterie.plot.alluvial(model, ax=ax)
    coterie.plot.cdf(choice, ax=ax)
    coterie.plot.cluster_consensus(model, ax=ax)
    coterie.plot.consensus_matrix(model, annotations={"class": y}, ax=ax)
    coterie.plot.delta_area(choice, ax=ax)
    coterie.plot.item_consensus(model, ax=ax)
    coterie.plot.kinds(kinds, ax=ax)
    coterie.plot.member_agreement(model, ax=ax)
    coterie.plot.pac(choice, ax=ax)
    coterie.plot.quality_diversity(model, ax=ax)
    coterie.plot.sample_map(model, X, ax=ax)
    coterie.plot.seen_by(kinds, ax=ax)
    coterie.plot.self_paced_weights(paced, ax=ax)
    coterie.plot.silhouette(model, X, ax=ax)
    coterie.plot.tracking(choice, ax=ax)


def use_datasets(folder: Path) -> None:
    from scipy.io import savemat

    planted = coterie.datasets.make_planted_ensemble(30, 3, 4, random_state=0)
    assert isinstance(planted, coterie.datasets.PlantedEnsemble)
    assert planted.truth.size == planted.ensemble.n_samples
    for points, classes in (
        coterie.datasets.make_toy1(10, random_state=0),
        coterie.datasets.make_toy2(10, random_state=0),
        coterie.datasets.make_toy3(10, random_state=0),
    ):
        assert points.shape[0] == classes.size
    savemat(folder / "blobs.mat", {"X": X})
    assert coterie.datasets.load_mat(folder / "blobs.mat", "X").shape == X.shape


def use_applications() -> None:
    image = np.zeros((12, 12, 3), dtype=np.uint8)
    image[:, 6:] = 255
    parts = coterie.applications.segment_image(image, 2, n_pixels=100)
    assert parts.confidence is not None
    assert isinstance(parts, coterie.applications.Segmentation)
    assert coterie.applications.outlined(image, parts.labels).shape == image.shape
    A, names = coterie.applications.read_graph(np.kron(np.eye(4), np.ones((6, 6))))
    assert A.shape[0] == len(names)
    groups = coterie.applications.communities(
        A, (2, 5), n_members=5, n_null=3, random_state=0
    )
    assert isinstance(groups, coterie.applications.Communities)
    assert groups.n_communities == int(groups.labels.max()) + 1
    assert groups.p_value is None or 0 <= groups.p_value <= 1
    levels = [level.n_communities for level in groups.tree]
    assert all(isinstance(one, coterie.applications.Level) for one in groups.tree)
    assert levels == sorted(levels)


def use_integrations() -> None:
    import anndata
    import pandas as pd

    import coterie.integrations.scanpy as ct

    obs = pd.DataFrame({"a": y.astype(str), "b": y.astype(str)})
    adata = anndata.AnnData(X, obs=obs.set_index(obs.index.map(str)))
    ct.tl.combine(adata, ["a", "b"], n_clusters=3)
    ct.tl.consensus(adata, MDEC(n_members=4), n_clusters=3, use_rep="X")
    assert "coterie" in adata.obs


def use_advice() -> None:
    advice: coterie.advice.Advice = coterie.advise(X, 3)
    told: str = str(advice)
    assert told
    assert coterie.advice.advise is coterie.advise


def use_exceptions() -> None:
    kinds: list[type[Exception]] = [
        coterie.exceptions.DegenerateMemberWarning,
        coterie.exceptions.FewerClustersWarning,
        coterie.exceptions.MemberFailedError,
        coterie.exceptions.MemoryLimitError,
        coterie.exceptions.MemoryLimitWarning,
        coterie.exceptions.StoreError,
        coterie.exceptions.UnscaledDataWarning,
        coterie.exceptions.UnsuitableMethodWarning,
        coterie.exceptions.ClusterSizesWarning,
        coterie.exceptions.WeightsDisagreeWarning,
    ]
    try:
        with use_engine(memory_limit=1000):
            MDEC(3, random_state=0).fit(X)
    except coterie.exceptions.MemoryLimitError as error:
        kinds.append(type(error))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        use_functions(folder)
        use_ensembles(folder)
        use_datasets(folder)
    use_systems()
    use_the_same_names_of_the_subpackage()
    use_choice()
    use_generators()
    use_weighters()
    use_consensus()
    use_clusterers()
    use_metrics()
    use_plots()
    use_applications()
    use_integrations()
    use_advice()
    use_exceptions()


if __name__ == "__main__":
    main()
