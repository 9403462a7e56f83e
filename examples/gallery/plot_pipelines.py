"""
Pipelines and searches
======================

Learners are scikit-learn estimators: they stand at the end of pipelines, their parameters and those of
their base learners are searched, and stratified folds take the place of ``cv``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import mulberry
from mulberry import ECC, Logistic, datasets, metrics
from mulberry.model_selection import IterativeStratifiedKFold, train_test_split

photos = datasets.make("photos", rows=400)
X_train, X_test, Y_train, Y_test = train_test_split(photos.X, photos.Y, random_state=1)
features = X_train.shape[1]

# %%
# Some columns are scaled, others replaced by their principal components; an ensemble of chains reads the
# result.
prepare = ColumnTransformer([
    ("scaled", StandardScaler(), list(range(features // 2))),
    ("components", PCA(n_components=4), list(range(features // 2, features))),
])
pipeline = Pipeline([("prepare", prepare), ("tags", ECC(Logistic(), chains=5))])
pipeline

# %%
# ``tags__base__C`` reaches through the pipeline into the base learner of the chains.
strengths = [0.01, 0.1, 1, 10, 100]
search = GridSearchCV(
    pipeline,
    {"tags__base__C": strengths, "prepare__components__n_components": [2, 6]},
    scoring={name: metrics.make_scorer(name) for name in ("macro_f1", "ranking_loss")},
    refit="macro_f1",  # pyright: ignore[reportArgumentType]
    cv=IterativeStratifiedKFold(3),
)
search.fit(X_train, Y_train)
print(search.best_params_)
print(f"macro-F1 of the winner on new rows: {metrics.macro_f1(Y_test, search.predict(X_test)):.3f}")

# %%
# scikit-learn turns losses around, so that higher is better for all scores.
found = search.cv_results_
_, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharex=True)
for axis, measure, sign in zip(axes, ("macro_f1", "ranking_loss"), (1, -1)):
    for components in (2, 6):
        chosen = np.array([p["prepare__components__n_components"] == components for p in found["params"]])
        axis.errorbar(strengths, sign * found[f"mean_test_{measure}"][chosen],
                      found[f"std_test_{measure}"][chosen], marker="o", capsize=3,
                      label=f"{components} components")
    axis.set(xscale="log", xlabel="C of the base learner", title=measure)
axes[0].legend()
plt.tight_layout()

# %%
# ``mulberry.tune`` searches the ranges that the learners declare, without a grid. The value on outer
# folds is honest: no search has seen their rows.
result = mulberry.tune(ECC(Logistic(), chains=5), X_train, Y_train, measure="macro_f1", trials=6, folds=3,
                       outer=3)
print(result.best_params_)
print(f"macro-F1 {result.best_score_:.3f} in the search, {result.outer_score_:.3f} on outer folds")

plt.show()
