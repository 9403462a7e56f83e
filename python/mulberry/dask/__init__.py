"""Mulberry's tasks on a Dask cluster: many trainings, many labels or rows in one training, many rows
to score. Functions take the client first. ``pip install mulberry-ml[dask]``

>>> from dask.distributed import Client                                       # doctest: +SKIP
>>> client = Client(n_workers=4, threads_per_worker=1)                        # doctest: +SKIP
>>> mulberry.dask.score_parquet(client, "model.mb", "in/*.parquet", "out/")   # doctest: +SKIP

A task uses one thread, so that workers are never oversubscribed. A worker that dies costs its
unfinished tasks, which run again elsewhere. A task that fails, or kills every worker that it is
given to, ends the job with a `JobError` that names it; finished files and cells are kept, and the
same call goes on from them.
"""

from ._distributed import Distributed
from ._fit import fit
from ._jobs import JobError
from ._scores import predict, score_parquet
from ._trainings import cross_validate, run_study, tune

__all__ = ["Distributed", "JobError", "cross_validate", "fit", "predict", "run_study",
           "score_parquet", "tune"]
