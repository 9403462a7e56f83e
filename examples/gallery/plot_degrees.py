"""
How strongly labels apply
=========================

A label says yes or no. For every training row and label, MLL-LE learns a number: above 0 the label
applies, and the higher it is, the better the label fits the row and the rows near it.
"""

import matplotlib.pyplot as plt
import numpy as np

from mulberry import MLLLE, datasets, metrics
from mulberry.model_selection import train_test_split

photos = datasets.make("photos", rows=600, random_state=1, as_frame=True)
X, X_test, Y, Y_test = train_test_split(photos.X, photos.Y, random_state=1)
forgotten = datasets.hide_labels(Y, 0.2, random_state=1)  # every fifth label was forgotten

model = MLLLE().fit(X, forgotten)
degrees = model.numerical_labels_
degrees

# %%
# The numbers of one photo: a label that was forgotten stands out among those that were not given.
given, truth = forgotten.to_numpy() == 1, Y.to_numpy() == 1
lost = truth & ~given
row = int(np.argmax(np.where(lost, np.asarray(degrees), -np.inf).max(axis=1)))
order = np.argsort(np.asarray(degrees)[row])
colours = np.where(given[row], "tab:purple", np.where(lost[row], "tab:orange", "lightgrey"))[order]
_, ax = plt.subplots()
ax.barh([degrees.columns[k] for k in order], np.asarray(degrees)[row][order], color=colours)
ax.axvline(0, color="black", linewidth=0.8)
ax.set_title(f"photo {row}: given (purple), forgotten (orange), neither (grey)")
plt.tight_layout()

# %%
# The same over all photos. Forgotten labels lie between the given ones and those that do not apply.
_, ax = plt.subplots()
kinds = {"does not apply": ~truth, "forgotten": lost, "given": given}
for colour, (name, cells) in zip(("lightgrey", "tab:orange", "tab:purple"), kinds.items()):
    ax.hist(np.asarray(degrees)[cells], bins=40, range=(-1.3, 1.3), density=True, alpha=0.7, color=colour,
            label=f"{name}, {cells.sum()} cells")
ax.set(xlabel="how strongly the label applies", ylabel="density")
ax.legend()

# %%
# New rows get numbers as well, and with them an order of their labels.
print(model.predict_top(X_test.iloc[:3], k=3))
print(f"ranking loss on new rows {metrics.ranking_loss(Y_test, model.decision_function(X_test)):.4f}")

plt.show()
