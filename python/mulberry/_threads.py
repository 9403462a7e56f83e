"""How many threads a computation may use."""

from __future__ import annotations

import sys

from joblib import effective_n_jobs


def threads_of(n_jobs: int | None) -> int:
    """As joblib counts them. A task of Dask has one thread, since its worker and others on the
    machine run more of them; a number that is asked for holds as far as the worker has threads."""
    if "distributed" in sys.modules:
        try:
            worker = sys.modules["distributed"].get_worker()
        except ValueError:  # not within a task
            return int(effective_n_jobs(n_jobs))
        return min(n_jobs, worker.state.nthreads) if n_jobs is not None and n_jobs > 0 else 1
    return int(effective_n_jobs(n_jobs))
