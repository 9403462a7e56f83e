"""Quick start: from data to a compared, inspected and saved model, in a few seconds."""

from sklearn.model_selection import cross_val_score

import mulberry
from mulberry import BR, RML, ECC, Logistic, MLkNN, datasets, metrics
from mulberry.model_selection import IterativeStratifiedKFold, train_test_split

# Data: 600 made-up photos with 11 possible labels. datasets.load reads ARFF, LibSVM, CSV, npz.
photos = datasets.make("photos")
rows, features, labels = photos.shape
print(f"{rows} rows, {features} features, {labels} labels: {', '.join(photos.label_names)}")

X_train, X_test, Y_train, Y_test = train_test_split(photos.X, photos.Y, random_state=1)

# Compare learners with stratified folds and a measure chosen by name.
folds = IterativeStratifiedKFold(3)
scorer = metrics.make_scorer("macro_f1")
for model in (BR(base=Logistic()), ECC(), MLkNN(), RML()):
    scores = cross_val_score(model, X_train, Y_train, cv=folds, scoring=scorer)
    print(f"{type(model).__name__:6} macro-F1 {scores.mean():.3f}")

# Train one of them and compute all measures on new data.
model = RML(measure="f1", n_jobs=-1).fit(X_train, Y_train)
found = metrics.measure_all(Y_test, Y_pred=model.predict(X_test),
                            Y_score=model.decision_function(X_test))
for name in ("macro_f1", "hamming_loss", "ranking_loss"):
    print(f"{name:13} {found[name]:.3f}")

# How close to the optimum is every label?
print(model.certificate_)

# The command line reads the same model file.
model.save("photos.mb")
again = mulberry.load("photos.mb")
assert (again.predict(X_test) == model.predict(X_test)).all()
