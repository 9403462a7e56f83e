"""A cluster of processes on this machine, which tests may hurt."""

import os
import signal
import threading
import time

import pytest
from distributed import Client, LocalCluster


@pytest.fixture(scope="session")
def cluster(tmp_path_factory):
    """Its workers are started again when they die."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                      local_directory=str(tmp_path_factory.mktemp("dask"))) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        client.wait_for_workers(2)
        yield client


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
