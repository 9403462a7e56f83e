"""The Newton method over partitions of rows, without a cluster: the optimum of the library's solver."""

import numpy as np
import pytest
from scipy import sparse

from mulberry import BR, LinearSVM, Logistic, _core, _newton, datasets


def block(X, signs, weights=None):
    if sparse.issparse(X):
        return _core.RowBlock(X.shape[1], signs, X.data, X.indptr.astype(np.int64),
                              X.indices.astype(np.int32), weights)
    return _core.RowBlock(X.shape[1], signs, X.ravel(), None, None, weights)


class Local:
    """Blocks in memory; the smaller sample is every second one."""

    def __init__(self, blocks, labels, logistic, C, samples):
        self.blocks, self.logistic, self.samples = blocks, logistic, samples
        self.costs, self.passes = np.full((2, labels), C), {}

    def _sum(self, name, sample, *given):
        self.passes[name, sample] = self.passes.get((name, sample), 0) + 1
        whole = sample == self.samples - 1
        found = [getattr(b, name)(*given) for b in self.blocks[::1 if whole else 2]]
        return [sum(f[k] for f in found) for k in range(len(found[0]))] \
            if isinstance(found[0], tuple) else sum(found)

    def _given(self, labels, sample):
        scale = 1 if sample == self.samples - 1 else len(self.blocks) / len(self.blocks[::2])
        return self.logistic, labels, self.costs[:, labels] * scale

    def gradients(self, W, labels, sample):
        return self._sum("gradients", sample, *self._given(labels, sample), W)

    def curvatures(self, W, V, labels, sample):
        return self._sum("curvatures", sample, *self._given(labels, sample), W, V)

    def squares(self):
        found = self._sum("squares", 0)
        return found / found[-1]


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("learner", [Logistic(C=2.0, tolerance=1e-7),
                                     Logistic(C=2.0, tolerance=1e-7, bias="free"),
                                     LinearSVM(loss="squared", C=2.0, tolerance=1e-10)], ids=repr)
def test_the_optimum_of_the_library(learner, is_sparse, samples):
    data = datasets.make("linear", rows=800, features=12, labels=5)
    X = sparse.csr_matrix(np.where(np.abs(data.X) > 0.5, data.X, 0)) if is_sparse else data.X
    X = X @ sparse.diags_array(10.0 ** np.linspace(-2, 2, 12))  # scales that differ
    X = X.tocsr() if is_sparse else np.ascontiguousarray(X)
    signs = _newton.signs_of(data.Y)
    local = Local([block(X[k:k + 100], signs[k:k + 100]) for k in range(0, 800, 100)], 5,
                  isinstance(learner, Logistic), 2.0, samples)
    W, facts = _newton.solve(local, 5, 12, float(learner.tolerance), learner.bias,
                             relative=isinstance(learner, LinearSVM))
    one = BR(learner).fit(X, data.Y)
    assert facts[:, 3].all()
    np.testing.assert_allclose(facts[:, 0].sum(), one.summary_["objective"], rtol=1e-7)
    np.testing.assert_allclose(X @ W[:, :-1].T + W[:, -1], X @ one.coef_.T + one.intercept_, atol=1e-2)
    if samples == 2:
        assert local.passes["curvatures", 0] > 0, "the first steps look at the sample"
        before = Local(local.blocks, 5, local.logistic, 2.0, 1)
        _newton.solve(before, 5, 12, float(learner.tolerance), learner.bias,
                      relative=isinstance(learner, LinearSVM))
        assert local.passes["curvatures", 1] < before.passes["curvatures", 0], "fewer over all rows"


def test_what_signs_say():
    np.testing.assert_array_equal(_newton.signs_of([[0, 1], [1, 0]]), [[-1, 1], [1, -1]])
    np.testing.assert_array_equal(_newton.signs_of(np.array([[np.nan, 1.0]])), [[0, 1]])
    np.testing.assert_array_equal(_newton.signs_of(sparse.csr_matrix([[True, False]])), [[1, -1]])
    for wrong in ([[2, 0]], [[0.5, 1.0]], [[-1, 1]]):
        with pytest.raises(ValueError, match="expected 0, 1 or NaN"):
            _newton.signs_of(wrong)
