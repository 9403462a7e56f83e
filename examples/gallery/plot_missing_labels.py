"""
Missing labels
==============

Whoever tags a photo with *sea* and *beach* forgets *sky*. A label that is not there may be a "no" or a
forgotten "yes". Here labels are hidden on purpose, so that the truth is known.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mulberry import BR, MLRGL, Logistic, datasets, metrics
from mulberry.model_selection import missing_labels, train_test_split

warnings.simplefilter("ignore", ConvergenceWarning)  # the sweeps of MLR-GL are limited on purpose

photos = datasets.make("photos", rows=800, random_state=1, as_frame=True)
X, X_test, Y, Y_test = train_test_split(photos.X, photos.Y, random_state=1)

# %%
# How much does each learner suffer if a share of the labels is forgotten? MLR-GL ranks labels, and an
# absent label that outranks many of the row's own labels at once was probably forgotten, so that it
# costs little.
shares = np.linspace(0, 0.6, 7)
models = {"BR, linear SVM": BR(), "MLR-GL": MLRGL()}
curves: dict[str, list[float]] = {name: [] for name in models}
for share in shares:
    forgotten = datasets.hide_labels(Y, share, random_state=1)
    for name, model in models.items():
        learner = make_pipeline(StandardScaler(), model).fit(X, forgotten)
        curves[name].append(metrics.ranking_loss(Y_test, learner.decision_function(X_test)))
for name, values in curves.items():
    plt.plot(shares, values, marker="o", label=name)
plt.xlabel("share of the labels that were forgotten")
plt.ylabel("ranking loss on new rows")
plt.legend()

# %%
# Which labels are missing? Every row is judged by a model that has not seen it, and the doubtful cells
# are listed, the likeliest first.
forgotten = datasets.hide_labels(Y, 0.3, random_state=1)
suspects = missing_labels(BR(Logistic()), X, forgotten, k=300)
right = np.array([bool(Y[s.label].iloc[s.row]) for s in suspects])
print("row  label     chance  was hidden")
for suspect, hit in zip(suspects[:6], right):
    print(f"{suspect.row:3}  {suspect.label:8}  {suspect.chance:.3f}   {'yes' if hit else 'no'}")

# %%
# A person who reads the list from its top finds nearly all entries right, far more than among cells
# drawn at random.
hidden = int(Y.to_numpy().sum() - forgotten.to_numpy().sum())
chance = hidden / int((forgotten.to_numpy() == 0).sum())
_, ax = plt.subplots()
read = np.arange(1, len(right) + 1)
ax.plot(read, right.cumsum() / read, label="the list")
ax.axhline(chance, color="grey", linestyle=":", label="cells drawn at random")
ax.set(xlabel="entries read", ylabel="share that was hidden", ylim=(0, 1.05))
ax.legend()

# %%
# Cells that nobody answered are better marked as unknown: NaN in Y. Learners that can leave them out do
# so, and a share of the cells that is unknown hurts far less than the same share of wrong "no".
unknown = datasets.hide_labels(Y, 0.5, mode="missing", random_state=1)
wrong = datasets.hide_labels(Y, 0.5, mode="negative", random_state=1)
for name, labels in {"all labels": Y, "half unknown": unknown, "half wrong": wrong}.items():
    learner = BR(Logistic()).fit(X, labels)
    print(f"{name:13} micro-F1 {metrics.micro_f1(Y_test, learner.predict(X_test)):.3f}")

plt.show()
