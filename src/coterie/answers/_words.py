"""The summary in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._display import count
from coterie.answers._facts import Facts
from coterie.answers._kinds import Kinds
from coterie.ensemble._votes import DOUBTFUL

_MOST_NAMED = 3  # clusters that get a sentence each
_MOST_NUMBERED = 12  # clusters in one sentence


def summary(facts: Facts, choice: Any) -> list[str]:
    """Return sentences that state what was found and how certain it is."""
    said = [_found(facts), *getattr(facts.found.model, "notes_", ())]
    if choice is not None:
        said.append(f"The number of clusters was chosen: {choice.sentence}")
    if facts.n_clusters > 1:
        said += [_sure(facts), _weakest(facts)]
    said.append(_members(facts))
    agreement = getattr(facts.found.model, "predict_agreement_", None)
    if agreement is not None:
        by = {
            "means": "the members' cluster means",
            "neighbors": "the nearest samples",
            "scaled neighbors": "the nearest samples in standardised features",
            "rules": "the rule each member learned",
        }
        how = by[facts.found.model.predicts_by_]
        said.append(
            f"predict assigns new samples by {how}; it agrees with this result on "
            f"{agreement:.1%} of the samples it was tested on."
        )
    if facts.scores is not None:
        said.append(
            "Agreement with the known classes, which were not used for clustering: "
            f"NMI {facts.scores['nmi_geometric']:.3f}, ARI {facts.scores['ari']:.3f}, "
            f"accuracy {facts.scores['acc']:.3f}."
        )
    return said


def _found(facts: Facts) -> str:
    model = facts.found.model
    who = "The members were combined into" if model is None else type(model).__name__
    verb = "" if model is None else " found"
    k, n = facts.n_clusters, facts.n_samples
    sizes = facts.found.clusters["size"]
    text = f"{who}{verb} {count(k, 'cluster')} in {count(n, 'sample')}"
    text += f", from {count(facts.found.ensemble.n_members, 'clustering')}."
    if k == 1:
        return text
    big, small = int(sizes.argmax()), int(sizes.argmin())
    return (
        f"{text} The largest is cluster {big} with {_part(sizes[big], n)}, the "
        f"smallest cluster {small} with {_part(sizes[small], n)}."
    )


def _sure(facts: Facts) -> str:
    margin = facts.found.samples["margin"]
    n = facts.n_samples
    doubtful, against = int(facts.doubtful.sum()), int(np.sum(margin < 0))
    if doubtful == 0:
        return f"No sample is doubtful: each has a margin of {DOUBTFUL} or more."
    text = (
        f"{_part(doubtful, n)} are doubtful: the votes for another cluster come "
        f"within {DOUBTFUL} of those for their own"
    )
    if doubtful == 1:
        text = text.replace(" are ", " is ").replace("their own", "its own")
    if against:
        text += f"; for {against:,} of them the members favour the other one"
    return f"{text}. Check these first: they are at the top of the table."


def _weakest(facts: Facts) -> str:
    table = facts.found.clusters
    consensus = table["cluster_consensus"]
    if np.isnan(consensus).all():
        return "Every cluster is a single sample."
    weak, firm = int(np.nanargmin(consensus)), int(np.nanargmax(consensus))
    text = (
        f"The most stable is cluster {firm}: two of its samples are together in "
        f"{consensus[firm]:.0%} of the clusterings. The least stable is cluster {weak} "
        f"({consensus[weak]:.0%})"
    )
    if table["next"][weak] >= 0:
        text += f", whose most frequent runner-up is cluster {table['next'][weak]}"
    return f"{text}."


def _members(facts: Facts) -> str:
    table = facts.found.members
    if facts.found.ensemble.n_members == 1:
        return "There is only one member, so confidence means little."
    low, high = int(table["n_clusters"].min()), int(table["n_clusters"].max())
    each = f"{low}" if low == high else f"{low} to {high}"
    return (
        f"The members have {each} clusters each; their mean diversity is "
        f"{table['diversity'].mean():.2f} (0: identical, 1: unrelated)."
    )


def on_kinds(facts: Facts) -> list[str]:
    """Return sentences on how the kinds agree and which clusters they see."""
    found = facts.found.by_kind
    if found is None:
        return []
    G = len(found.groups)
    said = []
    if G > 1:
        mean = (found.agreement.sum() - G) / (G * (G - 1))
        most = int(found.weight.argmax())
        n_kinds = len({group.kind for group in found.groups})
        n_views = len({group.view for group in found.groups})
        said.append(
            f"{count(n_kinds, 'kind')} of clustering on {count(n_views, 'view')} of "
            f"the data make {G} groups; two of them agree by {mean:.2f} on average (1: "
            f"identical, 0: by chance). {found.names[most]} counts most "
            f"({found.weight[most]:.0%})."
        )
    n_seen = found.seen.sum(axis=1)
    firm = np.flatnonzero(2 * n_seen >= G)
    if firm.size:
        least = int(n_seen[firm].min())
        who = f"All {G}" if least == G else f"At least {least} of {G}"
        said.append(f"{who} groups see {_clusters(firm)}.")
    weak = np.flatnonzero((n_seen > 0) & (2 * n_seen < G))
    said += [_seen_by_few(found, c) for c in weak[:_MOST_NAMED]]
    if weak.size > _MOST_NAMED:
        rest = weak[_MOST_NAMED:]
        said.append(f"Fewer than half of the groups see {_clusters(rest)}.")
    unseen = np.flatnonzero(n_seen == 0)
    if unseen.size:
        them = "it" if unseen.size == 1 else "them"
        said.append(f"No group sees {_clusters(unseen)}: do not rely on {them}.")
    return [" ".join(said)]


def _seen_by_few(found: Kinds, cluster: int) -> str:
    groups = [found.groups[g] for g in np.flatnonzero(found.seen[cluster])]
    kinds = list(dict.fromkeys(group.kind for group in groups))
    by = f"by {len(groups)} of {len(found.groups)} groups only"
    if len(groups) == 1:
        by = f"only by {groups[0].name}"
    elif len(kinds) == 1:
        by = f"only by {kinds[0]}"
    return f"Cluster {cluster} is seen {by}: treat it with care."


def _clusters(numbers: np.ndarray) -> str:
    """Return clusters as text: "clusters 0, 2 and 5"."""
    texts = [str(number) for number in numbers]
    if len(texts) == 1:
        return f"cluster {texts[0]}"
    if len(texts) > _MOST_NUMBERED:
        return f"{len(texts)} clusters"
    return f"clusters {', '.join(texts[:-1])} and {texts[-1]}"


def _part(size: Any, n: int) -> str:
    share = f"{size / n:.1%}" if size > 0.0005 * n else "less than 0.1%"
    return f"{count(int(size), 'sample')} ({share})"
