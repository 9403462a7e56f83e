"""
Comparing learners
==================

Which learner is best, and would it be again? All see the same stratified folds of several data sets, and
tests say which differences mean something.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mulberry
from mulberry import (BR, ECC, ComparisonDisplay, CriticalDifferenceDisplay, Logistic, MLkNN, Prior,
                      datasets)

# %%
# Made-up data, and data sets of scikit-learn whose labels are questions about the class: "is it even?",
# "is it at least five?".
digits, number = load_digits(return_X_y=True)
digits, number = digits[:600], number[:600]
(wine, kind), (iris, species) = load_wine(return_X_y=True), load_iris(return_X_y=True)
sets = {
    "photos": tuple(datasets.make("photos", rows=300)),
    "linear": tuple(datasets.make("linear", rows=300, features=20, labels=6)),
    "union": tuple(datasets.make("data-union", rows=300)),
    "digits": (digits, np.column_stack([number % 2 == 0, number >= 5, number % 3 == 0])),
    "wine": (wine, np.column_stack([kind == k for k in range(3)])),
    "iris": (iris, np.column_stack([species > 0, species > 1])),
}
sets = {name: (X, np.asarray(Y, dtype=int)) for name, (X, Y) in sets.items()}

# %%
# Learners of this package and any multi-label estimator of scikit-learn.
learners = {
    "BR": BR(Logistic()),
    "ECC": ECC(Logistic(), chains=5),
    "ML-kNN": MLkNN(),
    "forest (scikit-learn)": RandomForestClassifier(30, random_state=0),
    "prior": Prior(),
}
learners = {name: make_pipeline(StandardScaler(), learner) for name, learner in learners.items()}
found = mulberry.compare(learners, sets, measures=["macro_f1", "hamming_loss"], cv=4)
found

# %%
# One data set: the values of the folds. Folds share rows, so a test has to know that; the p-values are
# against the best learner of each data set.
ComparisonDisplay.from_comparison(found, "macro_f1", dataset="photos")
plt.title("photos")
plt.tight_layout()
found.statistics("macro_f1")["against_best"]

# %%
# All data sets: mean ranks, 1 is the best. A bar joins learners of which no two differ significantly.
statistics = found.statistics("macro_f1", test="nemenyi")
print(f"Friedman's test: p = {statistics['friedman_p']:.3g}")
CriticalDifferenceDisplay.from_comparison(found, "macro_f1", test="nemenyi")
plt.tight_layout()

# %%
# With six data sets few differences can be significant, however clear they look: that a bar joins two
# learners is no proof that they are equal. The values themselves are a data frame.
print(found.to_frame().groupby(["measure", "estimator"])["value"].mean().round(3))

plt.show()
