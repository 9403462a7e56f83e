"""A cluster of processes on this machine, which tests may hurt."""

import importlib
import os
import signal
import threading
import time
import uuid

import dask
import pytest
from distributed import Client, LocalCluster, WorkerPlugin

from mulberry import datasets


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """Its workers are started again when they die; a task may kill two of them before it is blamed,
    which is less than usual and saves time."""
    config = {"distributed.scheduler.allowed-failures": 1}
    folder = str(tmp_path_factory.mktemp("dask"))
    with dask.config.set(config), \
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0",
                         local_directory=folder) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture(autouse=True)
def a_task_per_partition(monkeypatch):
    """However few rows it has."""
    from mulberry.dask import _rows

    monkeypatch.setattr(_rows, "_TASK", 1)


@pytest.fixture(scope="session")
def photos():
    return datasets.make("photos", rows=300)


class Killer:
    """Kills a worker (-9) as soon as a condition holds, once."""

    def __init__(self, client, when):
        pids = list(client.run(os.getpid).values())
        self.killed = threading.Event()

        def watch():
            while not self.killed.is_set():
                if when():
                    os.kill(pids[0], signal.SIGKILL)
                    self.killed.set()
                time.sleep(0.01)

        self._thread = threading.Thread(target=watch, daemon=True)
        self._thread.start()


@pytest.fixture
def killer():
    return Killer


class Wrapped(WorkerPlugin):
    """Wraps a function of the package on every worker, also on those that are started later."""

    def __init__(self, module, function, around):
        self.name = f"wrapped-{uuid.uuid4().hex}"
        self.module, self.function, self.around = module, function, around

    def setup(self, worker):
        module = importlib.import_module(self.module)
        inner, around = getattr(module, self.function), self.around

        def outer(*args):
            around(*args)
            return inner(*args)

        outer.inner = inner
        setattr(module, self.function, outer)

    def teardown(self, worker):
        module = importlib.import_module(self.module)
        inner = getattr(getattr(module, self.function), "inner", None)
        if inner is not None:
            setattr(module, self.function, inner)


@pytest.fixture
def wrapped(client):
    """wrapped(module, function, around): `around` is called with the arguments of every task."""
    plugins = []

    def wrap(module, function, around):
        plugins.append(Wrapped(module, function, around))
        client.register_plugin(plugins[-1])

    def undo():
        while plugins:
            client.unregister_worker_plugin(plugins.pop().name)

    wrap.undo = undo
    yield wrap
    undo()
