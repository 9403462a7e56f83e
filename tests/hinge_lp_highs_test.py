"""The linear programmes of MAHR's reuse step against HiGHS, a general solver."""

import os
import pathlib
import subprocess

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity

PROGRAM = pathlib.Path(os.environ.get("MULBERRY_BUILD", "build")) / "hinge_tool"


def programme(rng, most_rows, most_variables):
    """Signs, weights, targets and prices: votes that lean to the right answer, as stumps do."""
    variables = int(rng.integers(1, most_variables + 1))
    rows = int(rng.integers(1, most_rows + 1))
    lean = rng.uniform(0.35, 0.75, variables)
    signs = np.where(rng.random((rows, variables)) < lean, 1, -1)
    if rng.random() < 0.3:  # rows that repeat
        signs = signs[rng.integers(0, rows, rows)]
    weights = rng.random(rows) ** rng.choice([0.0, 1.0, 4.0])
    targets = np.ones(rows) if rng.random() < 0.5 else rng.choice([0.0, 2.0], rows)
    prices = np.full(variables, max(1e-6, rng.choice([0.0, 0.01, 0.1, 0.3])))
    prices[0] = 1e-6
    return signs, weights / weights.sum(), targets, prices


def value_at(b, signs, weights, targets, prices):
    return weights @ np.maximum(0, targets - signs @ b) + prices @ np.abs(b)


def highs(signs, weights, targets, prices):
    """Slacks first, then the positive parts, then the negative parts of the variables."""
    rows, variables = signs.shape
    costs = np.concatenate([weights, prices, prices])
    left = hstack([-identity(rows), csr_matrix(-signs), csr_matrix(signs)])
    bounds = [(0, None)] * (rows + 2 * variables)
    bounds[rows + variables] = (0, 0)  # the label's own stump has no negative weight
    return linprog(costs, A_ub=left, b_ub=-targets, bounds=bounds, method="highs").fun


def solved(programmes):
    lines = []
    for signs, weights, targets, prices in programmes:
        lines.append(f"{signs.shape[0]} {signs.shape[1]}")
        lines.append(" ".join(repr(float(p)) for p in prices))
        for row, weight, target in zip(signs, weights, targets):
            lines.append(f"{float(weight)!r} {target:.0f} " + " ".join(map(str, row)))
    out = subprocess.run([PROGRAM], input="\n".join(lines) + "\n", capture_output=True, text=True,
                         check=True).stdout
    return [np.array(line.split(), dtype=float) for line in out.splitlines()]


@pytest.mark.parametrize("count,most_rows,most_variables", [(2000, 25, 7), (200, 120, 20), (8, 400, 53)])
def test_values_agree(count, most_rows, most_variables):
    rng = np.random.default_rng(count)
    programmes = [programme(rng, most_rows, most_variables) for _ in range(count)]
    answers = solved(programmes)
    assert len(answers) == count
    for parts, answer in zip(programmes, answers):
        expected = highs(*parts)
        assert answer[0] == pytest.approx(expected, abs=1e-6)
        assert value_at(answer[1:], *parts) == pytest.approx(answer[0], abs=1e-9)
        assert answer[1] >= 0
