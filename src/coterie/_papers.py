"""The papers behind the methods, cited here and nowhere else.

A class names its paper by a key (``paper = "huang2018lwe"``); its docstring, the
catalog, the report and the command line use the text from here.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

_WIDTH = 84  # of a docstring line, without indentation


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes
    ----------
    short : str
        Names, year and title, for tables.
    reference : str
        The full reference.
    doi : str
    """

    short: str
    reference: str
    doi: str = ""

    def cited(self, number: int = 1) -> str:
        """Return the numbered reference for a docstring.

        Parameters
        ----------
        number : int, default=1
        """
        doi = f" :doi:`{self.doi}`" if self.doi else ""
        return textwrap.fill(
            f".. [{number}] {self.reference}{doi}",
            _WIDTH,
            subsequent_indent="   ",
            break_long_words=False,
            break_on_hyphens=False,
        )


PAPERS = {
    "azimi2009aces": Paper(
        "Azimi, Fern 2009, Adaptive cluster ensemble selection",
        'J. Azimi, X. Fern, "Adaptive cluster ensemble selection", Proceedings of the '
        "21st International Joint Conference on Artificial Intelligence, 992-997, "
        "2009.",
    ),
    "cai2011gnmf": Paper(
        "Cai, He, Han, Huang 2011, Graph regularized nonnegative matrix factorization",
        'D. Cai, X. He, J. Han, T. S. Huang, "Graph regularized nonnegative matrix '
        'factorization for data representation", IEEE TPAMI 33(8), 1548-1560, 2011.',
        "10.1109/TPAMI.2010.231",
    ),
    "cai2020scsrgf": Paper(
        "Cai, Huang, Wang, Kwoh 2020, Spectral clustering by subspace randomization",
        'X. Cai, D. Huang, C.-D. Wang, C.-K. Kwoh, "Spectral clustering by subspace '
        'randomization and graph fusion for high-dimensional data", PAKDD 2020, '
        "330-342.",
        "10.1007/978-3-030-47426-3_26",
    ),
    "chen2011lsc": Paper(
        "Chen, Cai 2011, Large scale spectral clustering with landmarks",
        'X. Chen, D. Cai, "Large scale spectral clustering with landmark-based '
        'representation", AAAI 2011, 313-318.',
        "10.1609/aaai.v25i1.7900",
    ),
    "chen2023gtlec": Paper(
        "Chen, Lin, Wang, Xi, Huang 2023, Ensemble clustering by graph tensor learning",
        'M.-S. Chen, J.-Q. Lin, C.-D. Wang, W.-D. Xi, D. Huang, "On regularizing '
        'multiple clusterings for ensemble clustering by graph tensor learning", ACM '
        "Multimedia 2023.",
        "10.1145/3581783.3612313",
    ),
    "dempster1977em": Paper(
        "Dempster, Laird, Rubin 1977, Maximum likelihood from incomplete data",
        'A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete '
        'data via the EM algorithm", Journal of the Royal Statistical Society B 39(1), '
        "1-38, 1977.",
        "10.1111/j.2517-6161.1977.tb01600.x",
    ),
    "domeniconi2007lac": Paper(
        "Domeniconi et al. 2007, Locally adaptive metrics for clustering",
        "C. Domeniconi, D. Gunopulos, S. Ma, B. Yan, M. Al-Razgan, D. Papadopoulos, "
        '"Locally adaptive metrics for clustering high dimensional data", Data Mining '
        "and Knowledge Discovery 14(1), 63-97, 2007.",
        "10.1007/s10618-006-0060-8",
    ),
    "domeniconi2009wce": Paper(
        "Domeniconi, Al-Razgan 2009, Weighted cluster ensembles",
        'C. Domeniconi, M. Al-Razgan, "Weighted cluster ensembles: methods and '
        'analysis", ACM TKDD 2(4), 17, 2009.',
        "10.1145/1460797.1460800",
    ),
    "dudoit2003bagging": Paper(
        "Dudoit, Fridlyand 2003, Bagging to improve a clustering procedure",
        'S. Dudoit, J. Fridlyand, "Bagging to improve the accuracy of a clustering '
        'procedure", Bioinformatics 19(9), 1090-1099, 2003.',
        "10.1093/bioinformatics/btg038",
    ),
    "elhamifar2013ssc": Paper(
        "Elhamifar, Vidal 2013, Sparse subspace clustering",
        'E. Elhamifar, R. Vidal, "Sparse subspace clustering: algorithm, theory, and '
        'applications", IEEE TPAMI 35(11), 2765-2781, 2013.',
        "10.1109/TPAMI.2013.57",
    ),
    "fern2003projection": Paper(
        "Fern, Brodley 2003, Random projection for high dimensional data clustering",
        'X. Z. Fern, C. E. Brodley, "Random projection for high dimensional data '
        'clustering: a cluster ensemble approach", ICML 2003, 186-193.',
    ),
    "fern2004hbgf": Paper(
        "Fern, Brodley 2004, Solving cluster ensemble problems",
        'X. Z. Fern, C. E. Brodley, "Solving cluster ensemble problems by bipartite '
        'graph partitioning", ICML 2004.',
        "10.1145/1015330.1015414",
    ),
    "fern2008ces": Paper(
        "Fern, Lin 2008, Cluster ensemble selection",
        'X. Z. Fern, W. Lin, "Cluster ensemble selection", Statistical Analysis and '
        "Data Mining 1(3), 128-141, 2008.",
        "10.1002/sam.10008",
    ),
    "fred2005eac": Paper(
        "Fred, Jain 2005, Combining multiple clusterings using evidence accumulation",
        'A. L. N. Fred, A. K. Jain, "Combining multiple clusterings using evidence '
        'accumulation", IEEE TPAMI 27(6), 835-850, 2005.',
        "10.1109/TPAMI.2005.113",
    ),
    "gagolewski2016genie": Paper(
        "Gagolewski, Bartoszuk, Cena 2016, Genie",
        'M. Gagolewski, M. Bartoszuk, A. Cena, "Genie: A new, fast, and '
        'outlier-resistant hierarchical clustering algorithm", Information Sciences '
        "363, 8-23, 2016.",
        "10.1016/j.ins.2016.05.003",
    ),
    "huang2015crowd": Paper(
        "Huang, Lai, Wang 2015, Combining multiple clusterings via crowd agreement "
        "estimation and multi-granularity link analysis",
        'D. Huang, J.-H. Lai, C.-D. Wang, "Combining multiple clusterings via crowd '
        'agreement estimation and multi-granularity link analysis", Neurocomputing '
        "170, 240-250, 2015.",
        "10.1016/j.neucom.2014.05.094",
    ),
    "huang2016pt": Paper(
        "Huang, Lai, Wang 2016, Robust ensemble clustering using probability "
        "trajectories",
        'D. Huang, J.-H. Lai, C.-D. Wang, "Robust ensemble clustering using '
        'probability trajectories", IEEE Transactions on Knowledge and Data '
        "Engineering 28(5), 1312-1326, 2016.",
        "10.1109/TKDE.2015.2503753",
    ),
    "huang2018lwe": Paper(
        "Huang, Wang, Lai 2018, Locally weighted ensemble clustering",
        'D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", '
        "IEEE Transactions on Cybernetics 48(5), 1460-1473, 2018.",
        "10.1109/TCYB.2017.2702343",
    ),
    "huang2020usenc": Paper(
        "Huang, Wang, Wu, Lai, Kwoh 2020, Ultra-scalable spectral clustering and "
        "ensemble clustering",
        'D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, "Ultra-scalable '
        'spectral clustering and ensemble clustering", IEEE Transactions on Knowledge '
        "and Data Engineering 32(6), 1212-1226, 2020.",
        "10.1109/TKDE.2019.2903410",
    ),
    "huang2021ecpcs": Paper(
        "Huang, Wang, Peng, Lai, Kwoh 2021, Enhanced ensemble clustering via fast "
        "propagation of cluster-wise similarities",
        'D. Huang, C.-D. Wang, H. Peng, J. Lai, C.-K. Kwoh, "Enhanced ensemble '
        'clustering via fast propagation of cluster-wise similarities", IEEE '
        "Transactions on Systems, Man, and Cybernetics: Systems 51(1), 508-520, 2021.",
        "10.1109/TSMC.2018.2876202",
    ),
    "huang2022c2swce": Paper(
        "Huang, Qin, Lin 2022, The core cluster-based subspace weighted ensemble",
        'X. Huang, F. Qin, L. Lin, "The core cluster-based subspace weighted '
        'clustering ensemble", Wireless Communications and Mobile Computing 2022, '
        "7990969.",
        "10.1155/2022/7990969",
    ),
    "huang2022mdec": Paper(
        "Huang, Wang, Lai, Kwoh 2022, Toward multidiversified ensemble clustering",
        'D. Huang, C.-D. Wang, J.-H. Lai, C.-K. Kwoh, "Toward multidiversified '
        "ensemble clustering of high-dimensional data: from subspaces to metrics and "
        'beyond", IEEE Transactions on Cybernetics 52(11), 12231-12244, 2022.',
        "10.1109/TCYB.2021.3049633",
    ),
    "iamon2010linkclue": Paper(
        "Iam-On, Garrett 2010, LinkCluE: link-based cluster ensembles",
        'N. Iam-On, S. Garrett, "LinkCluE: a MATLAB package for link-based cluster '
        'ensembles", Journal of Statistical Software 36(9), 1-36, 2010.',
        "10.18637/jss.v036.i09",
    ),
    "jia2021celta": Paper(
        "Jia, Liu, Hou, Zhang 2021, Clustering ensemble by low-rank tensors",
        'Y. Jia, H. Liu, J. Hou, Q. Zhang, "Clustering ensemble meets low-rank tensor '
        'approximation", AAAI 35(9), 7970-7978, 2021.',
        "10.1609/aaai.v35i9.16972",
    ),
    "jia2024eccms": Paper(
        "Jia, Tao, Wang, Wang 2024, Co-association matrix self-enhancement",
        'Y. Jia, S. Tao, R. Wang, Y. Wang, "Ensemble clustering via co-association '
        'matrix self-enhancement", IEEE Transactions on Neural Networks and Learning '
        "Systems 35(8), 11168-11179, 2024.",
        "10.1109/TNNLS.2023.3249207",
    ),
    "jing2015stratified": Paper(
        "Jing, Tian, Huang 2015, Stratified feature sampling",
        'L. Jing, K. Tian, J. Z. Huang, "Stratified feature sampling method for '
        'ensemble clustering of high dimensional data", Pattern Recognition 48(11), '
        "3688-3702, 2015.",
        "10.1016/j.patcog.2015.05.006",
    ),
    "li2007nmfc": Paper(
        "Li, Ding, Jordan 2007, Solving consensus problems using NMF",
        'T. Li, C. Ding, M. I. Jordan, "Solving consensus and semi-supervised '
        'clustering problems using nonnegative matrix factorization", IEEE ICDM 2007, '
        "577-582.",
        "10.1109/ICDM.2007.98",
    ),
    "li2008wcc": Paper(
        "Li, Ding 2008, Weighted consensus clustering",
        'T. Li, C. Ding, "Weighted consensus clustering", SIAM International '
        "Conference on Data Mining 2008, 798-809.",
        "10.1137/1.9781611972788.72",
    ),
    "liu2015sec": Paper(
        "Liu, Liu, Wu, Tao, Fu 2015, Spectral ensemble clustering",
        'H. Liu, T. Liu, J. Wu, D. Tao, Y. Fu, "Spectral ensemble clustering", KDD '
        "2015, 715-724.",
        "10.1145/2783258.2783287",
    ),
    "liu2017ecc": Paper(
        "Liu, Zhao, Fang, Cheng, Fu, Liu 2017, Entropy-based consensus clustering",
        'H. Liu, R. Zhao, H. Fang, F. Cheng, Y. Fu, Y.-Y. Liu, "Entropy-based '
        'consensus clustering for patient stratification", Bioinformatics 33(17), '
        "2691-2698, 2017.",
        "10.1093/bioinformatics/btx167",
    ),
    "nie2022cdkm": Paper(
        "Nie, Xue, Wu, Wang, Li, Li 2022, Coordinate descent method for k-means",
        'F. Nie, J. Xue, D. Wu, R. Wang, H. Li, X. Li, "Coordinate descent method for '
        'k-means", IEEE TPAMI 44(5), 2371-2385, 2022.',
        "10.1109/TPAMI.2021.3085739",
    ),
    "ren2017woec": Paper(
        "Ren, Domeniconi, Zhang, Yu 2017, Weighted-object ensemble clustering",
        'Y. Ren, C. Domeniconi, G. Zhang, G. Yu, "Weighted-object ensemble '
        'clustering: methods and analysis", Knowledge and Information Systems 51(2), '
        "661-689, 2017.",
        "10.1007/s10115-016-0988-y",
    ),
    "sevillano2007borda": Paper(
        "Sevillano, Alias, Socoro 2007, BordaConsensus",
        'X. Sevillano, F. Alias, J. C. Socoro, "BordaConsensus: a new consensus '
        'function for soft cluster ensembles", ACM SIGIR 2007, 743-744.',
    ),
    "strehl2002": Paper(
        "Strehl, Ghosh 2002, Cluster ensembles",
        'A. Strehl, J. Ghosh, "Cluster ensembles - a knowledge reuse framework for '
        'combining multiple partitions", Journal of Machine Learning Research 3, '
        "583-617, 2002.",
        "10.1162/153244303321897735",
    ),
    "tao2019rsec": Paper(
        "Tao, Liu, Li, Ding, Fu 2019, Robust spectral ensemble clustering",
        'Z. Tao, H. Liu, S. Li, Z. Ding, Y. Fu, "Robust spectral ensemble clustering '
        'via rank minimization", ACM TKDD 13(1), 4, 2019.',
        "10.1145/3278606",
    ),
    "topchy2005": Paper(
        "Topchy, Jain, Punch 2005, Clustering ensembles",
        'A. Topchy, A. K. Jain, W. Punch, "Clustering ensembles: models of consensus '
        'and weak partitions", IEEE TPAMI 27(12), 1866-1881, 2005.',
        "10.1109/TPAMI.2005.237",
    ),
    "traag2019leiden": Paper(
        "Traag, Waltman, van Eck 2019, From Louvain to Leiden",
        'V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing '
        'well-connected communities", Scientific Reports 9, 5233, 2019.',
        "10.1038/s41598-019-41695-z",
    ),
    "wang2011bce": Paper(
        "Wang, Shan, Banerjee 2011, Bayesian cluster ensembles",
        'H. Wang, H. Shan, A. Banerjee, "Bayesian cluster ensembles", Statistical '
        "Analysis and Data Mining 4(1), 54-70, 2011.",
        "10.1002/sam.10098",
    ),
    "wu2015kcc": Paper(
        "Wu, Liu, Xiong, Cao, Chen 2015, K-means-based consensus clustering",
        'J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen, "K-means-based consensus '
        'clustering: a unified view", IEEE TKDE 27(1), 155-169, 2015.',
        "10.1109/TKDE.2014.2316512",
    ),
    "yi2012ecmc": Paper(
        "Yi, Yang, Jin, Jain, Mahdavi 2012, Robust ensemble clustering by completion",
        'J. Yi, T. Yang, R. Jin, A. K. Jain, M. Mahdavi, "Robust ensemble clustering '
        'by matrix completion", IEEE ICDM 2012, 1176-1181.',
        "10.1109/ICDM.2012.123",
    ),
    "zhang2018mbn": Paper(
        "Zhang 2018, Multilayer bootstrap networks",
        'X.-L. Zhang, "Multilayer bootstrap networks", Neural Networks 103, 29-43, '
        "2018.",
        "10.1016/j.neunet.2018.03.003",
    ),
    "zhang2021fmbne": Paper(
        "Zhang 2021, fMBN-E: unsupervised network structure ensemble and selection",
        'X.-L. Zhang, "fMBN-E: efficient unsupervised network structure ensemble and '
        'selection for clustering", 2021. arXiv:2107.02071',
    ),
    "zhou2019drec": Paper(
        "Zhou, Zheng, Pan 2019, Ensemble clustering based on dense representation",
        'J. Zhou, H. Zheng, L. Pan, "Ensemble clustering based on dense '
        'representation", Neurocomputing 357, 66-76, 2019.',
        "10.1016/j.neucom.2019.04.078",
    ),
    "zhou2021spce": Paper(
        "Zhou, Du, Liu, Shen, Fan, Li 2021, Self-paced clustering ensemble",
        'P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan, X. Li, "Self-paced clustering '
        'ensemble", IEEE Transactions on Neural Networks and Learning Systems 32(4), '
        "1497-1511, 2021.",
        "10.1109/TNNLS.2020.2984814",
    ),
    "zhou2023ceam": Paper(
        "Zhou, Hu, Yan, Du 2023, Clustering ensemble via diffusion on a multiplex",
        'P. Zhou, B. Hu, D. Yan, L. Du, "Clustering ensemble via diffusion on adaptive '
        'multiplex", IEEE TKDE, 2023.',
        "10.1109/TKDE.2023.3311409",
    ),
}
