"""dsml against the paper's algorithm with weighted stumps, and what the paper proves of two sets."""

import numpy as np
import pytest
from dsml_reference import Dsml
from trained import Trained


def two_sets(seed=37, rows=60):
    rng = np.random.default_rng(seed)
    ya, yb = rng.integers(0, 4, rows), rng.integers(0, 3, rows)
    ya[:4], yb[:3] = range(4), range(3)
    x = rng.normal(size=(rows, 4)) + rng.normal(size=(4, 4))[ya] + rng.normal(size=(3, 4))[yb]
    return x, ya, yb


def trained(x, ya, yb, rounds, words=""):
    names = np.column_stack([[f"a{c}" for c in ya], [f"b{c}" for c in yb]])
    return Trained(f"dsml(base=stump, rounds={rounds}, fit=weights, error=weighted{words})", x, names,
                   sets=True)


@pytest.mark.parametrize("labels", ["pred", "training", "true"])
@pytest.mark.parametrize("factor", [1.0, 1.05])
def test_weights_path(labels, factor):
    """Errors and votes of every round follow from the weights of the rounds before."""
    x, ya, yb = two_sets()
    rounds = 8
    reference = Dsml(x, ya, yb, rounds, factor, labels)
    model = trained(x, ya, yb, rounds, f", B={factor}, reuse_labels={labels}")
    assert len(reference.rounds) == model.training["rounds"] > 3
    assert np.abs(model.results["errors"] - reference.errors).max() <= 1e-12
    assert np.abs(model.results["votes"] - reference.votes).max() <= 1e-12
    new = np.random.default_rng(1).normal(size=(11, 4))
    assert np.abs(model.scores(new) - np.hstack(reference.predict(new))).max() <= 1e-12


def test_the_three_readings_differ():
    x, ya, yb = two_sets()
    paths = [np.array(Dsml(x, ya, yb, 8, 1.05, labels).errors) for labels in ("pred", "training", "true")]
    for i in range(3):
        for j in range(i):
            n = min(len(paths[i]), len(paths[j]))
            assert np.abs(paths[i][:n] - paths[j][:n]).max() > 1e-6


def test_margins_and_losses_of_two_sets():
    """Theorem 1: the margin of each set is no smaller than the margin of all labels. The observation
    below Definition 3: a row is wrong as a whole only if one of its sets is."""
    x, ya, yb = two_sets()
    scores = trained(x, ya, yb, 8).scores(x)
    rows = np.arange(len(x))
    a, b = scores[:, :4], scores[:, 4:]

    def margin(s, truth):
        rest = s.copy()
        rest[rows, truth] = -np.inf
        return s[rows, truth] - rest.max(1)

    rest = scores.copy()
    rest[rows, ya] = rest[rows, 4 + yb] = -np.inf
    joint = np.minimum(a[rows, ya], b[rows, yb]) - rest.max(1)
    assert (np.minimum(margin(a, ya), margin(b, yb)) >= joint - 1e-12).all()
    wrong_a, wrong_b = a.argmax(1) != ya, b.argmax(1) != yb
    assert ((wrong_a | wrong_b) == np.maximum(wrong_a, wrong_b)).all()
    assert 0 < (wrong_a | wrong_b).mean() <= wrong_a.mean() + wrong_b.mean()
