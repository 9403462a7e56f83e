"""Shared by several test files."""

import os
import subprocess
from pathlib import Path

import pytest

import mulberry
from mulberry import datasets


def pytest_generate_tests(metafunc):
    if "estimator_class" in metafunc.fixturenames:
        classes = mulberry.all_estimators()
        metafunc.parametrize("estimator_class", classes, ids=[c.__name__ for c in classes])


def data_for(estimator, rows=80):
    """Data that suits the learner, with label sets if it needs them."""
    return datasets.make("cars" if "label_sets" in estimator._tags() else "photos", rows=rows)


@pytest.fixture(scope="session")
def photos():
    return datasets.make("photos", rows=200)


@pytest.fixture(scope="session")
def cars():
    return datasets.make("cars", rows=120)


@pytest.fixture(scope="session")
def command():
    """Runs the command line; skips if it was not built."""
    path = os.environ.get("MULBERRY")
    if not path or not Path(path).exists():
        pytest.skip("needs the command line: set MULBERRY to it")

    def run(*words):
        return subprocess.run([path, *map(str, words)], check=True, capture_output=True, text=True)

    return run
