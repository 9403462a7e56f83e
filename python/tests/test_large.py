"""X that should not be copied: layouts, float32, blocks, iterators, memory maps."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_multilabel_classification

import mulberry
from mulberry import BR, CC, RML, LinearSVM, Logistic, MLkNN


@pytest.fixture(scope="module")
def data():
    return make_multilabel_classification(150, 8, n_classes=4, random_state=0)


def same_scores(found, expected):
    """On some processors the last bit of a row's scores depends on the rows that are multiplied with it."""
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("form", [lambda X: X.astype(np.float32), np.asfortranarray])
def test_predicting_in_blocks(data, form, monkeypatch):
    from mulberry import _arrays

    X, Y = data
    model = BR(Logistic()).fit(X, Y)
    whole = model.raw_scores(form(X))
    monkeypatch.setattr(_arrays, "_BLOCK", 1000)
    assert len(list(_arrays.blocks_of(form(X)))) == 10
    same_scores(model.raw_scores(form(X)), whole)
    np.testing.assert_array_equal(model.predict(form(X)), model.predict(X))


READ_IN_PLACE = [BR(Logistic()), BR(LinearSVM()), mulberry.Forest(trees=3), mulberry.Boost(rounds=2),
                 mulberry.EBR(Logistic(), members=2, n_jobs=1), mulberry.Threshold(BR(Logistic()), folds=2),
                 BR("prior"), mulberry.Calibrated(BR(Logistic()), folds=2), CC("tree"),
                 mulberry.ECC(Logistic(), chains=2, n_jobs=1), mulberry.PCC(Logistic()),
                 mulberry.Stacking(Logistic(), folds=2), mulberry.Stacking(Logistic(), folds=2, related=2),
                 CC(LinearSVM())]


@pytest.mark.parametrize("form", [
    lambda X: X, lambda X: np.asfortranarray(X), lambda X: np.asfortranarray(X).astype(np.float64),
    lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1][::-1]],
    ids=["rows", "columns", "float64 columns", "every second", "reversed twice"])
@pytest.mark.parametrize("model", [*READ_IN_PLACE, RML(C=1.0), MLkNN(k=3), CC(Logistic())], ids=str)
def test_training_in_any_layout(data, model, form):
    """The same bits as from rows of doubles."""
    X, Y = data
    X = X.astype(np.float32)
    expected = clone(model).fit(X.astype(np.float64), Y).raw_scores(X)
    np.testing.assert_array_equal(clone(model).fit(form(X), Y).raw_scores(X), expected)


def csr(X, values, indices):
    out = sparse.csr_matrix(X, dtype=values)
    out.indices, out.indptr = out.indices.astype(indices), out.indptr.astype(indices)
    return out


@pytest.mark.parametrize("values, indices", [(np.float32, np.int32), (np.float32, np.int64),
                                             (np.float64, np.int64)], ids=str)
@pytest.mark.parametrize("model", [*READ_IN_PLACE, Logistic(), LinearSVM(), RML(C=1.0), MLkNN(k=3),
                                   CC(Logistic()), mulberry.Tree(), mulberry.BPMLL(epochs=2)], ids=str)
def test_training_on_any_csr(data, model, values, indices):
    """The same bits as from doubles with indices of 32 bits; X stays as it was."""
    X, Y = data
    X = np.where(X > 4, X + 0.3, 0).astype(np.float32)
    given = csr(X, values, indices)
    plain = csr(X, np.float64, np.int32)
    expected = clone(model).fit(plain, Y)
    found = clone(model).fit(given, Y)
    np.testing.assert_array_equal(found.raw_scores(given), expected.raw_scores(plain))
    assert given.dtype == values and given.indices.dtype == indices
    one = Y[:, 0] + Y[:, 1]  # three classes, for multinomial models
    if "label_sets" not in model._tags():
        np.testing.assert_array_equal(clone(model).fit(given, one).predict(given),
                                      clone(model).fit(plain, one).predict(plain))


def test_csr_that_is_not_in_order(data):
    X, Y = data
    rows = np.repeat(np.arange(150), 2)
    columns = np.tile([3, 1], 150)
    values = np.arange(300).astype(np.float32)
    start = np.arange(0, 301, 2)
    mixed = sparse.csr_matrix((values, columns, start), shape=(150, 8))
    dense = np.zeros((150, 8))
    dense[rows, columns] = values
    plain = sparse.csr_matrix(dense)
    np.testing.assert_array_equal(BR(Logistic()).fit(mixed, Y).raw_scores(mixed),
                                  BR(Logistic()).fit(plain, Y).raw_scores(plain))
    assert mixed.indices[0] == 3  # as it was given
    broken = sparse.csr_matrix((values, columns + 6, start), shape=(150, 10))
    broken._shape = (150, 8)
    with pytest.raises(ValueError):
        BR(Logistic()).fit(broken, Y)


_PEAK = """
import sys, warnings
import numpy as np
import mulberry
from mulberry import *

warnings.simplefilter("ignore")
def status(field):
    text = open("/proc/self/status").read()
    return 1024 * int(text.split(field + ":")[1].split()[0])

X = np.random.default_rng(0).normal(size=(120_000, 250)).astype(np.float32)  # 120 MB
if sys.argv[2] == "columns":
    X = np.asfortranarray(X)
Y = (X[:, :2] > 0).astype(np.int8)
if sys.argv[2] == "csr":
    from scipy import sparse
    X = sparse.csr_matrix(np.where(X > 0, X, 0))
    X.nbytes = X.data.nbytes + X.indices.nbytes  # of 120 MB
model = eval(sys.argv[1])
model.fit(X[:300], Y[:300])
open("/proc/self/clear_refs", "w").write("5")
before = status("VmRSS")
model.fit(X, Y)
print((status("VmHWM") - before) / X.nbytes)
"""


@pytest.mark.parametrize("model, order", [
    ("BR(Logistic(tolerance=1e3))", "rows"), ("BR(Logistic(tolerance=1e3))", "columns"),
    ("BR(LinearSVM(tolerance=0.5))", "rows"),
    ("Forest(trees=1, max_depth=2, oob='none')", "columns"),
    ("CC(Logistic(tolerance=1e3))", "rows"), ("CC(Logistic(tolerance=1e3))", "columns"),
    ("BR(Logistic(tolerance=1e3))", "csr"), ("BR(LinearSVM(C=1e-6, tolerance=0.5))", "csr")])
def test_the_memory_of_training_on_float32(model, order):
    """Doubles of the whole of X would be 200 % of it; what the learner itself needs is allowed."""
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", _PEAK, model, order], capture_output=True, text=True,
                          check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert float(done.stdout) < 0.8  # a forest has its bins, a byte per value, twice for a moment


def test_predicting_what_can_be_iterated(data):
    """A loader of batches has neither length nor shape."""
    X, Y = data
    model = BR(Logistic()).fit(X, Y)

    class Loader:
        def __iter__(self):
            return (X[k:k + 64] for k in range(0, len(X), 64))

    loader = Loader()
    np.testing.assert_array_equal(model.predict(loader), model.predict(X))
    np.testing.assert_array_equal(model.predict_proba(loader), model.predict_proba(X))


def test_predicting_frames_and_sparse_in_blocks(data, monkeypatch):
    from mulberry import _arrays

    X, Y = data
    names = [f"x{k}" for k in range(X.shape[1])]
    model = BR(Logistic()).fit(pd.DataFrame(X, columns=names), Y)
    expected = model.raw_scores(pd.DataFrame(X, columns=names))
    monkeypatch.setattr(_arrays, "_BLOCK", 1000)
    frame = pd.DataFrame(X, columns=names)
    assert len(list(_arrays.blocks_of(frame))) > 5
    same_scores(model.raw_scores(frame), expected)
    plain = BR(Logistic()).fit(X, Y)
    wide = sparse.csr_matrix(X.astype(np.float32))
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert len(list(_arrays.blocks_of(wide))) > 5
    np.testing.assert_allclose(plain.raw_scores(wide), plain.raw_scores(X.astype(np.float32)))


def test_predicting_an_iterator(data, tmp_path):
    X, Y = data
    model = BR(Logistic()).fit(X, Y)
    np.save(tmp_path / "x.npy", X)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    found = model.predict(mapped[k:k + 40] for k in range(0, 150, 40))
    np.testing.assert_array_equal(found, model.predict(X))
    assert model.predict_proba(iter([X[:3], X[3:5]])).shape == (5, 4)
    with pytest.raises(ValueError, match="at least one block"):
        model.predict(iter([]))


def test_the_memory_of_predictions():
    """A large float32 matrix is converted block by block, not as a whole."""
    import tracemalloc

    X = np.ones((60_000, 300), dtype=np.float32)  # 144 MB as doubles
    rng = np.random.default_rng(0)
    model = BR("prior").fit(rng.normal(size=(50, 300)), rng.integers(2, size=(50, 3)))
    tracemalloc.start()
    model.predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
