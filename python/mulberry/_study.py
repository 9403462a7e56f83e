"""Studies: learners x data sets x splits from one file, as `mulberry run` and `reproduce` run them."""

from __future__ import annotations

import json
import os
from importlib import resources
from typing import Any

import numpy as np

from . import _core
from ._files import write_text
from ._progress import Progress
from ._results import ResultTable
from ._threads import threads_of


class StudyResult:
    """What a study has found so far.

    Attributes
    ----------
    learners, sets, measures : list of str
    results_ : dict, what `mulberry run --json` prints
    cells_made_, cells_there_, cells_left_ : int
        Cells trained now, finished before, and left for another run by the budget.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.results_: dict[str, Any] = json.loads(found["json"])
        self.learners = [entry["name"] if isinstance(entry, dict) else entry
                         for entry in self.results_["learners"]]
        self.sets = [entry["name"] if isinstance(entry, dict) else entry
                     for entry in self.results_["sets"]]
        self.cells_made_, self.cells_there_ = found["made"], found["there"]
        self.cells_left_ = found["left"]
        self._cells, self._pending = found["cells"], found["pending"]
        self._found = found

    def to_latex(self) -> str:
        """The tables for LaTeX."""
        return self._found["latex"]

    def to_csv(self, path: str | os.PathLike[str]) -> str:
        """One line per measure, data set and learner."""
        return write_text(path, self._found["csv"])

    def to_frame(self) -> Any:
        """One row per measure, data set and learner, as a pandas DataFrame."""
        import io

        import pandas

        return pandas.read_csv(io.StringIO(self._found["csv"]))

    def _page(self) -> str:
        return self._found["page"]

    def __repr__(self) -> str:
        return self._found["text"]


def run_study(study: str | os.PathLike[str], *, work: str | os.PathLike[str] | None = None,
              quick: bool = False, repeats: int | None = None, only: Any = (),
              shard: tuple[int, int] = (1, 1), budget: float | None = None, collect: bool = False,
              alpha: float = 0.05, test: str = "wilcoxon-holm", n_jobs: int | None = None,
              verbose: bool = False) -> StudyResult:
    """Run a study file (docs/experiments.md); finished cells are kept, and a second call goes on.

    Parameters
    ----------
    study : a TOML file
    work : folder of the cells; default: the name of the study with .work. The command line uses the
        same cells.
    quick : the small form of the study, if it has one
    repeats : number of repeats of the splits; default: the number that the study says
    only : names of learners and data sets; default: all
    shard : (i, n), only part i of n
    budget : minutes after which no further cell begins
    collect : run nothing, return what is finished
    alpha, test : of the tests between learners, as in `Comparison.statistics`
    """
    path = os.fspath(study)
    folder = os.fspath(work) if work is not None else os.path.splitext(path)[0] + ".work"
    options: dict[str, Any] = {"quick": quick, "collect": collect, "only": list(only),
                               "shard": shard[0], "shards": shard[1], "budget": float(budget or 0),
                               "repeats": repeats or 0}
    call = (path, folder, options, f"mulberry run {path}", alpha, test, threads_of(n_jobs))
    if not verbose:
        return StudyResult(_core.run_study(*call))
    with Progress("run_study") as progress:
        return StudyResult(_core.run_study(*call, progress))


def studies() -> dict[str, str]:
    """The ready-made studies of `mulberry reproduce`: name and title.

    >>> import mulberry
    >>> "rml-table3" in mulberry.studies()
    True
    """
    import tomllib

    out = {}
    for entry in sorted(resources.files(__package__).joinpath("experiments").iterdir(),
                        key=lambda item: item.name):
        if entry.name.endswith(".toml"):
            found = tomllib.loads(entry.read_text(encoding="utf-8"))
            out[entry.name.removesuffix(".toml")] = found.get("title", "")
    return out


def reproduce(name: str, *, work: str | os.PathLike[str] = "reproduce.work", **options: Any) -> StudyResult:
    """Run a table or figure of a paper: one of `studies()`; the options are as in `run_study`.

    The data sets are looked for where the command line looks (docs/experiments.md).
    """
    known = studies()
    if name not in known:
        raise ValueError(f"there is no study {name!r}; there are {', '.join(known)}")
    with resources.as_file(resources.files(__package__) / "experiments" / f"{name}.toml") as path:
        return run_study(path, work=work, **options)
