"""How sure is a clustering: doubtful samples, new samples, and a report to look at."""

from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import coterie

wine = load_wine()
X = scale(wine.data)
known, new = X[::2], X[1::2]

model = coterie.EnsembleClustering(3, random_state=0).fit(known)
found = coterie.explain(model)

table = found.samples
doubtful = table["margin"].argsort()[:3]
print("the least sure samples:")
for i in doubtful:
    print(
        f"  {i:3d}: cluster {table['cluster'][i]} with confidence "
        f"{table['confidence'][i]:.2f}, or cluster {table['second'][i]}"
    )

for c, consensus in enumerate(found.clusters["cluster_consensus"]):
    print(f"cluster {c}: two of its samples go together in {consensus:.0%} of members")

best = found.members["quality"].argmax()
print(f"{found.members['name'][best]} agrees best with the result")

placed, sure = model.predict(new), model.predict_confidence(new)
print(f"{len(new)} new samples placed by {model.predicts_by_}, mean {sure.mean():.2f}")
print(f"{(sure < 0.6).sum()} of them are doubtful")

path = coterie.report(model, known, "wine.html", features=wine.feature_names)
print(f"{path}: {path.stat().st_size / 1000:.0f} kB")
