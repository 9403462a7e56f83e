"""One training by many workers: blocks of labels, of trees, partitions of rows."""

import os
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import mulberry.dask
from mulberry import BR, Forest, LinearSVM, Logistic, MLkNN, Tree, datasets

dask_array = pytest.importorskip("dask.array")


def content(model, path):
    model.save(path)
    return path.read_bytes()


def fitted(estimator, X, Y, weights):
    return estimator.fit(X, Y) if weights is None else estimator.fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True], ids=["", "weights"])
@pytest.mark.parametrize("estimator", [
    BR(Logistic()), Logistic(C=3), BR(Logistic(class_weight="balanced", bias="free")), BR(Tree()),
    BR(Forest(trees=7), random_state=3), Forest(trees=19, random_state=5),
    Forest(trees=9, targets="each", importance="label", oob="scores"),
    Forest(trees=9, importance="permutation", label_weights="variance"),
    Forest(trees=9, sample="all", cuts="random")], ids=repr)
def test_blocks_give_the_bytes_of_one_machine(client, photos, tmp_path, estimator, weighted):
    Y = photos.Y.astype(float)
    Y[::7, 2] = np.nan
    Y[:, 4] = 0
    weights = np.linspace(0, 3, 300) if weighted else None
    expected = content(fitted(estimator, photos.X, Y, weights), tmp_path / "one.mb")
    found = mulberry.dask.fit(client, estimator, photos.X, Y, sample_weight=weights, blocks=4)
    assert content(found, tmp_path / "many.mb") == expected
    np.testing.assert_array_equal(mulberry.load(tmp_path / "many.mb").predict(photos.X),
                                  found.predict(photos.X))


def test_blocks_of_sparse_data_with_names(client, photos, tmp_path):
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame(photos.X, columns=photos.feature_names)
    Y = pandas.DataFrame(photos.Y, columns=photos.label_names)
    for estimator in (BR(Logistic()), Forest(trees=6)):
        expected = content(estimator.fit(X, Y), tmp_path / "one.mb")
        assert content(mulberry.dask.fit(client, estimator, X, Y), tmp_path / "many.mb") == expected
        S, T = sparse.csr_matrix(photos.X * (photos.X > 0)), sparse.csr_matrix(photos.Y)
        expected = content(estimator.fit(S, T), tmp_path / "one.mb")
        assert content(mulberry.dask.fit(client, estimator, S, T), tmp_path / "many.mb") == expected


def test_blocks_of_labels_that_draw_at_random_are_as_good(client, photos):
    # Dual descent visits rows in an order that depends on the number of the label.
    base = LinearSVM(loss="squared", tolerance=1e-9)
    one = BR(base).fit(photos.X, photos.Y)
    found = mulberry.dask.fit(client, BR(base), photos.X, photos.Y, blocks=4)
    np.testing.assert_allclose(found.raw_scores(photos.X), one.raw_scores(photos.X), atol=1e-3)


# Partitions of rows.


def objective(model, X, Y, C, squared, bias, weights, balanced):
    """Of every label, by its definition."""
    penalised = [model.coef_] if bias == "free" else [model.coef_, model.intercept_[:, None]]
    W = np.hstack(penalised)
    signs = np.where(Y == 1, 1, -1)
    margins = (np.asarray(X @ model.coef_.T) + model.intercept_) * signs
    losses = np.maximum(0, 1 - margins) ** 2 if squared else np.logaddexp(0, -margins)
    costs = np.repeat(weights[:, None], Y.shape[1], axis=1) * ~np.isnan(Y)
    if balanced:
        totals = {s: (costs * (signs == s)).sum(axis=0) for s in (1, -1)}
        costs = costs * np.where(signs == 1, 1 / totals[1], 1 / totals[-1]) * costs.sum(axis=0) / 2
    return 0.5 * (W * W).sum(axis=1) + C * (costs * losses).sum(axis=0)


@pytest.mark.parametrize("squared", [False, True], ids=["logistic", "svm"])
@pytest.mark.parametrize("more, is_sparse, weighted", [
    ({}, False, False), ({}, True, True), ({"bias": "free"}, True, False),
    ({"bias": "none"}, False, True), ({"class_weight": "balanced"}, True, True)], ids=str)
def test_partitions_of_rows_reach_the_objective_of_one_machine(
        client, tmp_path, monkeypatch, squared, more, is_sparse, weighted):
    from mulberry.dask import _rows

    monkeypatch.setattr(_rows, "_SAMPLE", 2)  # the first steps look at two of three partitions
    base = LinearSVM(loss="squared", C=2.0, tolerance=1e-10, **more) if squared else \
        Logistic(C=2.0, tolerance=1e-6, **more)
    data = datasets.make("linear", rows=900, features=15, labels=4)
    X = sparse.csr_matrix(np.where(np.abs(data.X) > 0.5, data.X, 0)) if is_sparse else data.X
    Y = data.Y.astype(float)
    Y[::11, 1] = np.nan
    weights = np.random.default_rng(1).uniform(0, 3, 900) if weighted else None
    if weighted:
        weights[:50] = 0
    one = fitted(BR(base), X, Y, weights)
    parts = [dask_array.from_array(X[k:k + 300], chunks=(300, 15), asarray=False)
             for k in range(0, 900, 300)]
    many = mulberry.dask.fit(
        client, BR(base), dask_array.concatenate(parts), dask_array.from_array(Y, chunks=(300, -1)),
        sample_weight=dask_array.from_array(weights, chunks=300) if weighted else None,
        cache=tmp_path / "cache")
    facts = (X, Y, 2.0, squared, more.get("bias"), np.ones(900) if weights is None else weights,
             "class_weight" in more)
    expected = objective(one, *facts)
    np.testing.assert_allclose(objective(many, *facts), expected, rtol=1e-6)
    np.testing.assert_allclose(many.summary_["objective"], expected.sum(), rtol=1e-6)
    np.testing.assert_allclose(many.coef_, one.coef_, atol=2e-3)
    many.save(tmp_path / "m.mb")
    again = mulberry.load(tmp_path / "m.mb")
    np.testing.assert_array_equal(again.predict(X), many.predict(X))
    assert many.summary_["converged"] and many.summary_["rows"] == 900


def test_partitions_of_data_frames(client, photos, tmp_path):
    pandas = pytest.importorskip("pandas")
    import dask.dataframe

    X = pandas.DataFrame(photos.X, columns=photos.feature_names)
    Y = pandas.DataFrame(photos.Y, columns=photos.label_names)
    one = Logistic(tolerance=1e-8).fit(X, Y)
    many = mulberry.dask.fit(client, Logistic(tolerance=1e-8),
                             dask.dataframe.from_pandas(X, npartitions=4, sort=False),
                             dask.dataframe.from_pandas(Y, npartitions=4, sort=False),
                             cache=tmp_path)
    assert many.label_names_ == one.label_names_
    assert list(many.feature_names_in_) == list(one.feature_names_in_)
    np.testing.assert_allclose(many.predict_proba(X), one.predict_proba(X), atol=1e-6)


def test_the_cache_knows_its_data(client, photos, tmp_path):
    import dask

    marks, cache = tmp_path / "marks", tmp_path / "cache"
    marks.mkdir()

    @dask.delayed(pure=True)
    def read(k, folder=str(marks), X=photos.X):
        with open(os.path.join(folder, os.urandom(8).hex()), "w"):
            return X[100 * k:100 * k + 100]

    X = dask_array.concatenate([dask_array.from_delayed(read(k), (100, photos.X.shape[1]), float)
                                for k in range(3)])
    Y = dask_array.from_array(photos.Y, chunks=(100, -1))
    first = mulberry.dask.fit(client, BR(Logistic()), X, Y, cache=cache)
    files = {p: p.stat().st_mtime_ns for p in cache.iterdir()}
    assert len(files) == 3 and len(list(marks.iterdir())) == 3
    mulberry.dask.fit(client, BR(Logistic(C=5)), X, Y, cache=cache)
    assert {p: p.stat().st_mtime_ns for p in cache.iterdir()} == files, "read, not made again"
    assert len(list(marks.iterdir())) == 3, "X is not computed again"
    other = mulberry.dask.fit(client, BR(Logistic()), X, 1 - Y, cache=cache)
    np.testing.assert_allclose(other.coef_, -first.coef_, atol=1e-4)
    assert len(list(cache.iterdir())) == 6, "other data has other files"


def test_many_partitions_are_summed_in_their_order(client, photos, tmp_path, monkeypatch):
    from mulberry.dask import _rows

    X, Y = (dask_array.from_array(v, chunks=(20, -1)) for v in (photos.X, photos.Y))
    monkeypatch.setattr(_rows, "_GROUPS", 4)
    monkeypatch.setattr(_rows, "_LARGE", 1000)  # weights are sent by a task
    few = mulberry.dask.fit(client, BR(Logistic(tolerance=1e-8)), X, Y, cache=tmp_path)
    again = mulberry.dask.fit(client, BR(Logistic(tolerance=1e-8)), X, Y, cache=tmp_path)
    np.testing.assert_array_equal(few.coef_, again.coef_)
    one = BR(Logistic(tolerance=1e-8)).fit(photos.X, photos.Y)
    np.testing.assert_allclose(few.coef_, one.coef_, atol=1e-6)


def test_small_partitions_share_a_task(client, photos, tmp_path, monkeypatch, wrapped):
    from mulberry.dask import _rows

    X, Y = (dask_array.from_array(v, chunks=(20, -1)) for v in (photos.X, photos.Y))
    alone = mulberry.dask.fit(client, BR(Logistic(tolerance=1e-8)), X, Y, cache=tmp_path / "cache")
    sizes = {path.stat().st_size for path in (tmp_path / "cache").iterdir()}
    assert len(sizes) == 1
    monkeypatch.setattr(_rows, "_TASK", int(2.5 * sizes.pop()))
    marks = tmp_path / "marks"
    marks.mkdir()

    def mark(paths, *args, folder=str(marks)):
        with open(os.path.join(folder, f"{len(paths)}-{os.urandom(8).hex()}"), "w"):
            pass

    wrapped("mulberry.dask._rows", "_share", mark)
    found = mulberry.dask.fit(client, BR(Logistic(tolerance=1e-8)), X, Y, cache=tmp_path / "cache")
    assert {p.name.split("-")[0] for p in marks.iterdir()} == {"3"}, "15 partitions, five tasks"
    np.testing.assert_allclose(found.coef_, alone.coef_, atol=1e-8)


def test_a_damaged_block_is_named(client, photos, tmp_path):
    X, Y = (dask_array.from_array(v, chunks=(100, -1)) for v in (photos.X, photos.Y))
    mulberry.dask.fit(client, BR(Logistic()), X, Y, cache=tmp_path)
    block = sorted(tmp_path.glob("*.block"))[0]
    block.write_bytes(block.read_bytes()[:-4096])
    with pytest.raises(mulberry.dask.JobError, match="partition . failed.*damaged"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y, cache=tmp_path)


def test_an_estimator_with_the_methods_of_scikit_learn(client, photos, tmp_path):
    model = mulberry.dask.Distributed(Forest(trees=8), blocks=4).fit(photos.X, photos.Y)
    one = Forest(trees=8).fit(photos.X, photos.Y)
    X = dask_array.from_array(photos.X, chunks=(100, -1))
    np.testing.assert_array_equal(model.predict(X).compute(), one.predict(photos.X))
    np.testing.assert_array_equal(model.predict_proba(photos.X), one.predict_proba(photos.X))
    assert model.score(photos.X, photos.Y) == one.score(photos.X, photos.Y)
    assert model.label_names_ == one.label_names_
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.raw_scores(photos.X), one.raw_scores(photos.X))
    rows = clone(mulberry.dask.Distributed(Logistic(tolerance=1e-8), cache=tmp_path))
    rows.client = client
    rows.fit(X, dask_array.from_array(photos.Y, chunks=(100, -1)))
    np.testing.assert_allclose(rows.model_.coef_,
                               Logistic(tolerance=1e-8).fit(photos.X, photos.Y).coef_, atol=1e-6)


def test_what_cannot_be_trained_apart_is_refused(client, photos, tmp_path):
    with pytest.raises(TypeError, match="BR.*Forest.*found MLkNN"):
        mulberry.dask.fit(client, MLkNN(), photos.X, photos.Y)
    with pytest.raises(TypeError, match="this package as BR.base, found GaussianNB"):
        mulberry.dask.fit(client, BR(GaussianNB()), photos.X, photos.Y)
    X = dask_array.from_array(photos.X, chunks=(100, -1))
    Y = dask_array.from_array(photos.Y, chunks=(100, -1))
    with pytest.raises(ValueError, match="cache="):
        mulberry.dask.fit(client, BR(Logistic()), X, Y)
    with pytest.raises(TypeError, match="sums over rows"):
        mulberry.dask.fit(client, BR(Tree()), X, Y, cache=tmp_path)
    with pytest.raises(ValueError, match="C.*must be.*-1"):
        mulberry.dask.fit(client, BR(Logistic(C=-1)), X, Y, cache=tmp_path)
    assert not list(tmp_path.iterdir()), "before anything is computed"
    with pytest.raises(ValueError, match="same partitions.*3, 6"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y.rechunk((50, -1)), cache=tmp_path)
    with pytest.raises(TypeError, match="sample_weight as a Dask array"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y, sample_weight=np.ones(300), cache=tmp_path)
    bad = dask_array.from_array(np.where(np.arange(300) == 250, np.nan, 1), chunks=100)
    with pytest.raises(mulberry.dask.JobError, match="partition 3 failed.*weights"):
        mulberry.dask.fit(client, BR(Logistic()), X, Y, sample_weight=bad, cache=tmp_path)
    with pytest.raises(mulberry.dask.JobError, match="partition 1 failed.*finite"):
        mulberry.dask.fit(client, BR(Logistic()), X * np.nan, Y, cache=tmp_path)
