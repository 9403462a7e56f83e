"""Type checkers see what the package offers, and what is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(str(path) for folder in ("examples", "examples/gallery")
                  for path in (ROOT / folder).glob("*.py"))

RIGHT = """
import mulberry
from mulberry import BR, ECC, Logistic, ResultTable, datasets, load, metrics
from mulberry.model_selection import IterativeStratifiedKFold, train_test_split

data = datasets.make("photos", rows=20)
model: BR = BR(Logistic(C=2.0)).fit(data.X, data.Y)
value: float = metrics.macro_f1(data.Y, model.predict(data.X))
names: list[str] = mulberry.ECC(chains=3).fit(data.X, data.Y).label_names_
"""

WRONG = {
    'mulberry.BR(wrong=1)': "wrong",
    'mulberry.Logistic(bias="bad")': "bad",
    'mulberry.metrics.macro_f1()': "Y_true",
    'mulberry.Nothing()': "Nothing",
}


def checked(tool, *paths):
    words = {"mypy": ["mypy", "--config-file", str(ROOT / "pyproject.toml"), "--no-incremental"],
             "pyright": ["pyright", "--pythonpath", sys.executable]}[tool]
    return subprocess.run([sys.executable, "-m", *words, *map(str, paths)], capture_output=True,
                          text=True, check=False, cwd=Path(paths[0]).parent)


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_examples_have_right_types(tool, tmp_path):
    path = tmp_path / "right.py"
    path.write_text(RIGHT, encoding="utf-8")
    done = checked(tool, path, *EXAMPLES)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_has_right_types(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"),
                           "--no-incremental", "-p", "mulberry"], capture_output=True, text=True,
                          check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tool", ["mypy", "pyright"])
def test_mistakes_are_seen(tool, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text("\n".join(["import mulberry", *WRONG]), encoding="utf-8")
    done = checked(tool, path)
    assert done.returncode == 1, done.stdout + done.stderr
    for line, word in enumerate(WRONG.values(), start=2):
        assert any(f"wrong.py:{line}" in row and word in row for row in done.stdout.splitlines()), \
            done.stdout
